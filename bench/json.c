/* Parsing and printing a JobSet of 2 kB: src/json against jansson, alternating in one process, so
 * that the load of the machine affects both. Prints medians.
 *
 *     meson setup build-bench -Dbuildtype=release -Dbench=true && ninja -C build-bench
 *     build-bench/bench-json [ROUNDS]
 */
#include <jansson.h>

#include "testdata.h"

/* CPU time: on a busy machine the slower of the two would be interrupted more often. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { TIMES = 200, LANES = 4 };

static double ours_parse(struct ty_arena *a, struct ty_str jobset)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++) {
        ty_arena_reset(a);
        if (!ty_json_parse(a, jobset, NULL, NULL))
            abort();
    }
    return cpu_seconds() - from;
}

static double jansson_parse(struct ty_str jobset)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++) {
        json_t *v = json_loadb(jobset.p, jobset.n, JSON_REJECT_DUPLICATES, NULL);
        if (!v)
            abort();
        json_decref(v);
    }
    return cpu_seconds() - from;
}

static double ours_print(const struct ty_json *v, struct ty_buf *out)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++) {
        out->n = 0;
        ty_json_print(out, v);
    }
    return cpu_seconds() - from;
}

/* Into an existing buffer: the fastest way with jansson. */
static double jansson_print(const json_t *v, char *out, size_t n, size_t want)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++)
        if (json_dumpb(v, out, n, JSON_COMPACT) != want)
            abort();
    return cpu_seconds() - from;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* MB/s of the median */
static double median_speed(double *seconds, size_t n, size_t bytes)
{
    qsort(seconds, n, sizeof(*seconds), by_value);
    return (double)(bytes * TIMES) / seconds[n / 2] / 1e6;
}

int main(int argc, char **argv)
{
    int64_t rounds = 301;
    if (argc > 1 && (!ty_str_parse_i64(ty_str(argv[1]), &rounds) || rounds < 1 || rounds > 1000000))
        return fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]), 2;
    size_t n = (size_t)rounds;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    ty_auto_arena *keep = ty_arena_new(1 << 24);
    ty_auto_buf out = { 0 };
    static char dump[1 << 14];
    struct ty_str jobset = testdata_text(keep, "bench/testdata/jobset.json");
    const struct ty_json *ours = ty_json_parse(keep, jobset, NULL, NULL);
    json_t *theirs = json_loadb(jobset.p, jobset.n, 0, NULL);
    double *lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = calloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        lane[0][i] = ours_parse(a, jobset);
        lane[1][i] = jansson_parse(jobset);
        lane[2][i] = ours_print(ours, &out);
        lane[3][i] = jansson_print(theirs, dump, sizeof(dump), jobset.n);
    }
    if (!ty_str_eq(ty_buf_str(&out), jobset)) /* check the output */
        abort();
    double mb[LANES];
    for (int i = 0; i < LANES; i++) {
        mb[i] = median_speed(lane[i], n, jobset.n);
        free(lane[i]);
    }
    json_decref(theirs);
    printf("%zu bytes, median of %zu rounds of %d\n", jobset.n, n, TIMES);
    printf("parse  ours %7.1f MB/s   jansson %6.1f MB/s   ratio %5.2f\n", mb[0], mb[1],
           mb[0] / mb[1]);
    printf("print  ours %7.1f MB/s   jansson %6.1f MB/s   ratio %5.2f\n", mb[2], mb[3],
           mb[2] / mb[3]);
    return 0;
}
