/* Detects user IDs, CPUs, memory and GPUs. */
#include "engine/host.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "engine/engine_inner.h"
#include "proc/netns.h"
#include "proc/zygote.h"
#include "trainer/trainjob.h"

#define GPUS_MAX  64
#define ID_MAX    80                     /* of a device: MIG-GPU-<uuid>/<n>/<n> */
#define ADDRESSES ((int64_t)16384 * 250) /* as net.c gives them out */
#define SPARE     64                     /* for everything else of ours */

static int64_t count_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
                                                        : sysconf(_SC_NPROCESSORS_ONLN);
}

static int by_number(const void *x, const void *y)
{
    int64_t a = 0, b = 0;

    ty_str_parse_i64(ty_str(*(const char *const *)x), &a);
    ty_str_parse_i64(ty_str(*(const char *const *)y), &b);
    return (a > b) - (a < b);
}

/* "0,2,3", as CUDA_VISIBLE_DEVICES is written. */
static const char **split_list(struct ty_arena *a, const char *list)
{
    const char **v = ty_new_n(a, const char *, GPUS_MAX + 1);
    struct ty_str rest = ty_str(list), head;
    size_t n = 0;

    while (rest.n && n < GPUS_MAX) {
        rest = ty_str_cut(rest, ',', &head);
        head = ty_str_trim(head);
        if (head.n)
            v[n++] = ty_arena_cstr(a, head);
        if (!rest.p)
            break;
    }
    return v;
}

static bool has_device(const char *const *v, const char *id)
{
    for (; *v; v++)
        if (strcmp(*v, id) == 0)
            return true;
    return false;
}

/* A device that is named twice would be given to two pods at once. */
static const char *check_list(struct ty_arena *a, const char *const *v)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/._";

    for (; *v; v++) {
        if (has_device(v + 1, *v))
            return ty_arena_printf(a, "device %s is named twice", *v);
        if ((*v)[strspn(*v, good)] || strlen(*v) > ID_MAX)
            return ty_arena_printf(a, "%s is not a device", *v);
    }
    return NULL;
}

/* What the caller may use, as CUDA reads it: it ends at the first entry that does not exist, for
 * example -1. UUIDs are taken as they are: only the driver could compare them with numbers. */
static const char *const *visible_devices(struct ty_arena *a, const char *const *found,
                                          const char *var)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *bound = getenv(var);
    const char **kept = ty_new_n(a, const char *, GPUS_MAX + 1), **may;
    int64_t number = 0;
    size_t n = 0;

    if (!bound || !found[0])
        return found;
    may = split_list(a, bound);
    for (; *may; may++) {
        if (ty_str_parse_i64(ty_str(*may), &number) && !has_device(found, *may))
            break;
        if (!has_device((const char *const *)kept, *may))
            kept[n++] = *may;
    }
    return kept;
}

/* Numbers behind `prefix` among the names of a folder: /dev/nvidia0, /dev/dri/renderD128. */
static const char **find_devices(struct ty_arena *a, const char *folder, const char *prefix,
                                 int64_t base)
{
    const char **v = ty_new_n(a, const char *, GPUS_MAX + 1);
    DIR *d = opendir(folder);
    size_t n = 0, skip = strlen(prefix);

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e && n < GPUS_MAX; e = readdir(d)) {
        int64_t number = 0;
        if (strncmp(e->d_name, prefix, skip) == 0 &&
            ty_str_parse_i64(ty_str(e->d_name + skip), &number) && number >= base)
            v[n++] = ty_arena_printf(a, "%lld", (long long)(number - base));
    }
    if (d)
        closedir(d);
    qsort(v, n, sizeof(*v), by_number);
    return v;
}

static int64_t read_number(const char *path)
{
    FILE *f = fopen(path, "re");
    long long v = 0;
    bool good = f && fscanf(f, "%lld", &v) == 1;

    if (f)
        fclose(f);
    return good ? v : 0;
}

static void lower_pods_most(struct ty_host *h, int64_t pods, const char *why)
{
    if (pods >= h->pods_most)
        return;
    h->pods_most = pods > 0 ? pods : 1;
    h->pods_why = why;
}

/* A pod takes two processes, its shim and at least one of its own, and three descriptors: the
 * shim's socket, a pipe and a log file. */
static void find_pods_most(struct ty_arena *a, struct ty_host *h)
{
    struct rlimit r;
    int64_t pids = read_number("/proc/sys/kernel/pid_max");

    h->pods_most = ADDRESSES;
    h->pods_why = "so many loopback addresses there are";
    if (pids > 0)
        lower_pods_most(h, (pids - SPARE) / 2,
                        ty_arena_printf(a, "kernel.pid_max is %lld, and a pod takes two processes",
                                        (long long)pids));
    if (!h->root && getrlimit(RLIMIT_NPROC, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        lower_pods_most(h, ((int64_t)r.rlim_cur - SPARE) / 2,
                        ty_arena_printf(a, "ulimit -u is %lld, and a pod takes two processes",
                                        (long long)r.rlim_cur));
    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_max != RLIM_INFINITY)
        lower_pods_most(h, ((int64_t)r.rlim_max - SPARE) / 3,
                        ty_arena_printf(a, "ulimit -Hn is %lld, and a pod takes three descriptors",
                                        (long long)r.rlim_max));
}

void ty_host_find(struct ty_arena *a, const struct ty_zygote *z, struct ty_host *ret)
{
    struct ty_zygote_caps can = ty_zygote_caps(z);
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *told = getenv("TRAINYARD_GPUS");
    struct sysinfo info = { 0 };

    sysinfo(&info);
    *ret = (struct ty_host){ .uid = (int)getuid(),
                             .gid = (int)getgid(),
                             .root = getuid() == 0,
                             .mounts = can.mounts,
                             .pid_ns = can.pid_ns,
                             .no_mounts = can.mounts ? NULL : ty_arena_strdup(a, can.why),
                             .cpus = count_cpus(),
                             .memory = (int64_t)info.totalram * info.mem_unit,
                             .gpu_var = "CUDA_VISIBLE_DEVICES",
                             .gpu_resource = "nvidia.com/gpu" };
    find_pods_most(a, ret);
    if (can.network)
        lower_pods_most(ret, TY_NETNS_PODS_MAX,
                        "with --network pod all are ports of one bridge, which has 1,023");
    ret->gpus = told ? split_list(a, told) : find_devices(a, "/dev", "nvidia", 0);
    if (told)
        ret->gpus_bad = check_list(a, ret->gpus);
    else if (!ret->gpus[0] && access("/dev/kfd", F_OK) == 0) {
        ret->gpus = find_devices(a, "/dev/dri", "renderD", 128); /* ROCm counts from 128 */
        ret->gpu_var = "ROCR_VISIBLE_DEVICES";
        ret->gpu_resource = "amd.com/gpu";
    }
    ret->gpus = visible_devices(a, ret->gpus, ret->gpu_var);
}

/* The host with the TrainJob's own token and its audience; the engine's host without an issuer. */
const struct ty_host *ty_host_for_job(struct ty_engine *e, struct ty_arena *a, struct ty_str ns,
                                      struct ty_str job)
{
    if (!e->o.token)
        return &e->o.host;
    struct ty_host *host = ty_new(a, struct ty_host);
    *host = e->o.host;
    host->token = e->o.token(e->o.token_ctx, a, ns, job);
    host->audience = ty_trainjob_audience(a, ns, job);
    return host;
}
