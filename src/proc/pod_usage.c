#include "proc/pod_usage.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/xalloc.h"
#include "proc/cgroup.h"
#include "proc/cgroup_usage.h"

#define ENVIRON_MAX ((size_t)1 << 20)
#define NO_POD      SIZE_MAX

struct ty_pod_usage_process {
    pid_t pid, parent;
    int64_t ticks;
    size_t pod; /* index, or NO_POD */
    bool shim;
};

/* ---- one process ---- */

bool ty_pod_usage_parse_stat(const char *text, pid_t *ret_parent, int64_t *ret_ticks)
{
    const char *p = strrchr(text, ')'); /* the name before it may hold anything */
    long long t[4];
    int parent = 0;

    /* state, parent, nine more, then utime, stime, cutime and cstime */
    if (!p || sscanf(p + 1, " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld %lld %lld",
                     &parent, &t[0], &t[1], &t[2], &t[3]) != 5)
        return false;
    *ret_parent = parent;
    *ret_ticks = t[0] + t[1] + t[2] + t[3];
    return true;
}

int64_t ty_pod_usage_parse_pss(const char *text)
{
    const char *line = strstr(text, "\nPss:");
    long long kb = 0;

    return line && sscanf(line, " Pss: %lld kB", &kb) == 1 ? kb * 1024 : -1;
}

/* At most cap - 1 bytes, and a NUL. False: it cannot be read. */
static bool read_file(pid_t pid, const char *file, char *ret, size_t cap, size_t *ret_n)
{
    char path[64];
    ssize_t got = 1;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (*ret_n = 0; *ret_n < cap - 1 && got > 0; *ret_n += got > 0 ? (size_t)got : 0)
        got = read(fd, ret + *ret_n, cap - 1 - *ret_n);
    close(fd);
    ret[*ret_n] = '\0';
    return *ret_n > 0;
}

/* Older kernels, and containers without ptrace, give only the pages of the process itself. */
static int64_t memory_of(pid_t pid)
{
    char text[4096];
    long long pages = 0;
    size_t n = 0;
    int64_t pss =
        read_file(pid, "smaps_rollup", text, sizeof(text), &n) ? ty_pod_usage_parse_pss(text) : -1;

    if (pss < 0 && read_file(pid, "statm", text, sizeof(text), &n) &&
        sscanf(text, "%*s %lld", &pages) == 1)
        pss = pages * sysconf(_SC_PAGESIZE);
    return pss < 0 ? 0 : pss;
}

static const char *value_of(const char *env, size_t n, const char *name)
{
    size_t len = strlen(name);

    for (const char *v = env; v < env + n; v += strlen(v) + 1)
        if (strncmp(v, name, len) == 0 && v[len] == '=')
            return v + len + 1;
    return NULL;
}

/* ---- all of them ---- */

struct usage_reader {
    struct ty_arena *a;
    struct ty_pod_usages *u;
    size_t cap, pods_cap;
    char *env; /* ENVIRON_MAX */
};

static const struct ty_pod_usage *find_pod(const struct ty_pod_usages *u, const char *run,
                                           const char *pod)
{
    for (size_t i = 0; i < u->n_pods; i++)
        if (strcmp(u->pods[i].pod, pod) == 0 && strcmp(u->pods[i].run, run) == 0)
            return &u->pods[i];
    return NULL;
}

static size_t pod_by_environ(struct usage_reader *r, pid_t pid)
{
    size_t n = 0;

    if (!read_file(pid, "environ", r->env, ENVIRON_MAX, &n))
        return NO_POD;
    const char *run = value_of(r->env, n, "TRAINYARD_RSH"),
               *pod = value_of(r->env, n, "TRAINYARD_POD");
    if (!run || !pod)
        return NO_POD;
    const struct ty_pod_usage *had = find_pod(r->u, run, pod);
    if (had)
        return (size_t)(had - r->u->pods);
    ty_room(r->a, r->u->pods, r->u->n_pods, r->pods_cap);
    r->u->pods[r->u->n_pods] = (struct ty_pod_usage){ .run = ty_arena_strdup(r->a, run),
                                                      .pod = ty_arena_strdup(r->a, pod) };
    return r->u->n_pods++;
}

static void add_process(struct usage_reader *r, pid_t pid)
{
    struct ty_pod_usage_process p = { .pid = pid };
    char text[1024];
    size_t n = 0;

    if (!read_file(pid, "stat", text, sizeof(text), &n) ||
        !ty_pod_usage_parse_stat(text, &p.parent, &p.ticks))
        return; /* it has just ended */
    p.pod = pod_by_environ(r, pid);
    ty_room(r->a, r->u->processes, r->u->n_processes, r->cap);
    r->u->processes[r->u->n_processes++] = p;
}

static int by_pid(const void *x, const void *y)
{
    pid_t a = ((const struct ty_pod_usage_process *)x)->pid,
          b = ((const struct ty_pod_usage_process *)y)->pid;
    return a < b ? -1 : a > b;
}

static struct ty_pod_usage_process *find_process(const struct ty_pod_usages *u, pid_t pid)
{
    struct ty_pod_usage_process key = { .pid = pid };

    return u->n_processes ? bsearch(&key, u->processes, u->n_processes, sizeof(key), by_pid) : NULL;
}

/* The parent of a pod's process without the pod's variables is its shim. Not init: what a killed
 * shim leaves for a moment is adopted there, with all other orphans of the machine. */
static void find_shims(const struct ty_pod_usages *u)
{
    for (size_t i = 0; i < u->n_processes; i++) {
        const struct ty_pod_usage_process *p = &u->processes[i];
        struct ty_pod_usage_process *up = find_process(u, p->parent);
        if (p->pod == NO_POD || p->shim || !up || up->pid == 1 || up->pod != NO_POD)
            continue;
        up->pod = p->pod;
        up->shim = true;
    }
}

/* The bound is for a list that was read while processes came and went: it may have a cycle. */
static size_t inherited_pod(const struct ty_pod_usages *u, const struct ty_pod_usage_process *p)
{
    for (size_t depth = 0; p && depth < u->n_processes; depth++) {
        if (p->pod != NO_POD)
            return p->pod;
        p = find_process(u, p->parent);
    }
    return NO_POD;
}

/* ---- the sums ---- */

struct usage_sum {
    const char *cgroups; /* where cgroup v2 is mounted, or NULL */
    struct ty_map added; /* cgroups: their path */
    long hz;
};

/* Adds the cgroup of the process, once. False: it is in none of ours, or the kernel does not count
 * there. */
static bool add_cgroup(struct usage_sum *s, pid_t pid, struct ty_pod_usage *pod)
{
    char text[4096], dir[2 * sizeof(text)];
    struct ty_cgroup_usage use;
    size_t n = 0;

    if (!s->cgroups || !read_file(pid, "cgroup", text, sizeof(text), &n))
        return false;
    struct ty_str path = ty_cgroup_usage_path(ty_str(text));
    if (!path.n || ty_map_get(&s->added, path))
        return path.n != 0;
    if (snprintf(dir, sizeof(dir), "%s%.*s", s->cgroups, TY_ARG(path)) >= (int)sizeof(dir) ||
        !ty_cgroup_usage_read(dir, &use))
        return false;
    ty_map_put(&s->added, path, s);
    pod->cpu_ms += use.cpu_ms;
    pod->memory += use.memory;
    return true;
}

static void add_usage(struct usage_sum *s, const struct ty_pod_usage_process *p,
                      struct ty_pod_usage *pod)
{
    if (!p->shim && add_cgroup(s, p->pid, pod))
        return;
    pod->cpu_ms += p->ticks * 1000 / s->hz;
    if (!p->shim) /* it is ours, and waits only */
        pod->memory += memory_of(p->pid);
}

static void add_up(struct ty_arena *a, const struct ty_pod_usages *u)
{
    struct usage_sum s = { .cgroups = ty_cgroups_mount_point(a), .hz = sysconf(_SC_CLK_TCK) };

    for (size_t i = 0; i < u->n_processes; i++) {
        struct ty_pod_usage_process *p = &u->processes[i];
        p->pod = inherited_pod(u, p);
        if (p->pod != NO_POD)
            add_usage(&s, p, &u->pods[p->pod]);
    }
    ty_map_done(&s.added);
}

void ty_pod_usage_read(struct ty_arena *a, struct ty_pod_usages *ret)
{
    struct usage_reader r = { .a = a, .u = ret, .env = ty_xalloc(malloc(ENVIRON_MAX)) };
    DIR *d = opendir("/proc");
    struct timespec now = { 0 };

    *ret = (struct ty_pod_usages){ 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    ret->at_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *it; d && !ty_arena_full(a) && (it = readdir(d));)
        if (isdigit((unsigned char)it->d_name[0]))
            add_process(&r, (pid_t)strtol(it->d_name, NULL, 10));
    if (d)
        closedir(d);
    free(r.env);
    if (!ret->n_pods)
        return;
    qsort(ret->processes, ret->n_processes, sizeof(*ret->processes), by_pid);
    find_shims(ret);
    add_up(a, ret);
}

const struct ty_pod_usage *ty_pod_usage_find(const struct ty_pod_usages *u, const char *run,
                                             const char *pod)
{
    return find_pod(u, run, pod);
}

const struct ty_pod_usage *ty_pod_usage_of(const struct ty_pod_usages *u, pid_t pid)
{
    const struct ty_pod_usage_process *p = u->n_pods ? find_process(u, pid) : NULL;

    return p && p->pod != NO_POD ? &u->pods[p->pod] : NULL;
}

int64_t ty_pod_usage_milli(const struct ty_pod_usages *before, const struct ty_pod_usages *now,
                           const struct ty_pod_usage *pod)
{
    const struct ty_pod_usage *had = find_pod(before, pod->run, pod->pod);
    int64_t ms = now->at_ms - before->at_ms;

    /* Less than before: a process ended, and nobody waited for it. */
    if (!had || ms <= 0 || pod->cpu_ms < had->cpu_ms)
        return 0;
    return (pod->cpu_ms - had->cpu_ms) * 1000 / ms;
}
