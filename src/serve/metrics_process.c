/* Metrics of this process from /proc, under the names that all Prometheus clients use. */
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serve/metrics.h"
#include "serve/metrics_number.h"

/* Fields of /proc/self/stat, counted from 1 as proc(5) does. */
enum { UTIME = 14, STIME = 15, START = 22, VSIZE = 23, RSS = 24, FIELDS = 24 };

/* The file's first bytes, NUL-terminated; an empty text if it cannot be read. */
static void read_file(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;

    if (f)
        fclose(f);
    text[n] = 0;
}

static bool read_stat(int64_t fields[FIELDS + 1])
{
    char text[2048];

    read_file("/proc/self/stat", text, sizeof(text));
    const char *name_end = strrchr(text, ')'); /* the name may contain anything */
    struct ty_str rest = ty_str(name_end && name_end[1] ? name_end + 2 : NULL), word;
    int i = 3;

    for (; rest.n && i <= FIELDS; i++) {
        rest = ty_str_cut(rest, ' ', &word);
        fields[i] = 0;
        ty_str_parse_i64(word, &fields[i]);
    }
    return i > FIELDS;
}

/* The line "btime N" of /proc/stat; other lines may be long. */
static int64_t boot_time(void)
{
    FILE *f = fopen("/proc/stat", "re");
    char line[256];
    int64_t t = 0;

    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, "btime ", 6) == 0)
            ty_str_parse_i64(ty_str_trim(ty_str(line + 6)), &t);
    if (f)
        fclose(f);
    return t;
}

static double open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    double n = -3; /* not ".", "..", nor the folder itself */

    if (!d)
        return 0;
    while (readdir(d)) /* NOLINT(concurrency-mt-unsafe): a stream of our own */
        n++;
    closedir(d);
    return n;
}

static void put_metric(struct ty_buf *out, const char *name, const char *type, const char *help,
                       double v)
{
    ty_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s ", name, help, name, type, name);
    ty_metrics_number(out, v);
    ty_buf_chr(out, '\n');
}

void ty_metrics_process(struct ty_buf *out)
{
    int64_t f[FIELDS + 1] = { 0 };
    double tick = (double)sysconf(_SC_CLK_TCK), page = (double)sysconf(_SC_PAGESIZE);
    struct rlimit files = { 0 };

    if (!read_stat(f) || getrlimit(RLIMIT_NOFILE, &files) < 0)
        return; /* no metrics rather than wrong ones */
    put_metric(out, "process_cpu_seconds_total", "counter",
               "Total user and system CPU time spent in seconds.",
               (double)(f[UTIME] + f[STIME]) / tick);
    put_metric(out, "process_max_fds", "gauge", "Maximum number of open file descriptors.",
               (double)files.rlim_cur);
    put_metric(out, "process_open_fds", "gauge", "Number of open file descriptors.", open_files());
    put_metric(out, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.",
               (double)f[RSS] * page);
    put_metric(out, "process_start_time_seconds", "gauge",
               "Start time of the process since unix epoch in seconds.",
               (double)boot_time() + (double)f[START] / tick);
    put_metric(out, "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.",
               (double)f[VSIZE]);
}
