/* The machine: ids, cpus, memory, devices. */
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "engine/engine.h"

#define GPUS_MAX 64

static int64_t count_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
                                                        : sysconf(_SC_NPROCESSORS_ONLN);
}

static int by_number(const void *x, const void *y)
{
    int64_t a = 0, b = 0;

    ty_parse_i64(ty_str(*(const char *const *)x), &a);
    ty_parse_i64(ty_str(*(const char *const *)y), &b);
    return (a > b) - (a < b);
}

/* "0,2,3", as CUDA_VISIBLE_DEVICES is written. */
static const char **split(struct ty_arena *a, const char *list)
{
    const char **v = ty_new_n(a, const char *, GPUS_MAX + 1);
    struct ty_str rest = ty_str(list), head;
    size_t n = 0;

    while (rest.n && n < GPUS_MAX) {
        rest = ty_str_cut(rest, ',', &head);
        head = ty_str_trim(head);
        if (head.n)
            v[n++] = ty_arena_strndup(a, head.p, head.n);
        if (!rest.p)
            break;
    }
    return v;
}

/* Numbers behind `prefix` among the names of a folder: /dev/nvidia0, /dev/dri/renderD128. */
static const char **devices(struct ty_arena *a, const char *folder, const char *prefix,
                            int64_t base)
{
    const char **v = ty_new_n(a, const char *, GPUS_MAX + 1);
    DIR *d = opendir(folder);
    size_t n = 0, skip = strlen(prefix);

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e && n < GPUS_MAX; e = readdir(d)) {
        int64_t number = 0;
        if (strncmp(e->d_name, prefix, skip) == 0 &&
            ty_parse_i64(ty_str(e->d_name + skip), &number) && number >= base)
            v[n++] = ty_arena_printf(a, "%lld", (long long)(number - base));
    }
    if (d)
        closedir(d);
    qsort(v, n, sizeof(*v), by_number);
    return v;
}

void ty_host_find(struct ty_arena *a, const struct ty_zygote *z, struct ty_host *ret)
{
    struct ty_zygote_can can = ty_zygote_can(z);
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *told = getenv("TRAINYARD_GPUS");
    struct sysinfo info = { 0 };

    sysinfo(&info);
    *ret = (struct ty_host){ .uid = (int)getuid(),
                             .gid = (int)getgid(),
                             .root = getuid() == 0,
                             .mounts = can.mounts,
                             .pid_ns = can.pid_ns,
                             .no_mounts = can.mounts ? NULL : ty_arena_printf(a, "%s", can.why),
                             .cpus = count_cpus(),
                             .memory = (int64_t)info.totalram * info.mem_unit,
                             .gpu_var = "CUDA_VISIBLE_DEVICES",
                             .gpu_resource = "nvidia.com/gpu" };
    ret->gpus = told ? split(a, told) : devices(a, "/dev", "nvidia", 0);
    if (told || ret->gpus[0])
        return;
    if (access("/dev/kfd", F_OK) == 0) { /* ROCm numbers its render nodes from 128 */
        ret->gpus = devices(a, "/dev/dri", "renderD", 128);
        ret->gpu_var = "ROCR_VISIBLE_DEVICES";
        ret->gpu_resource = "amd.com/gpu";
    }
}
