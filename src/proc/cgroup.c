/* Reads and writes the files of cgroup v2. */
#include "proc/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { PERIOD_US = 100 * 1000, LINGER_MS = 1000, PATH_BYTES = 4096 };
#define PREFIX "trainyard-"

struct ty_cgroups {
    char *dir; /* of this run */
    struct ty_cgroups_controllers can;
};

/* O_CREAT: the kernel refuses it, and an ordinary folder will do in a test. */
static int write_file(const char *dir, const char *file, const char *word)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    ssize_t n = write(fd, word, strlen(word));
    int r = n < 0 ? -errno : 0;
    close(fd);
    return r;
}

/* At most n - 1 bytes, and a NUL; "" if it cannot be read. */
static void read_file(const char *dir, const char *file, char *ret, size_t n)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, ret, n - 1);
    ret[got > 0 ? got : 0] = 0;
    if (fd >= 0)
        close(fd);
}

static bool has_word(const char *list, const char *word)
{
    struct ty_str rest = ty_str(list), head;

    do {
        rest = ty_str_cut(rest, ' ', &head);
        if (ty_str_is(ty_str_trim(head), word))
            return true;
    } while (rest.p);
    return false;
}

/* Children of `dir` shall have these; which of them they then do have. */
static struct ty_cgroups_controllers enable_controllers(const char *dir)
{
    char list[512];

    write_file(dir, "cgroup.subtree_control", "+memory");
    write_file(dir, "cgroup.subtree_control", "+cpu");
    write_file(dir, "cgroup.subtree_control", "+pids");
    read_file(dir, "cgroup.subtree_control", list, sizeof(list));
    return (struct ty_cgroups_controllers){ .memory = has_word(list, "memory"),
                                            .cpu = has_word(list, "cpu"),
                                            .pids = has_word(list, "pids") };
}

static bool is_usable(const char *dir)
{
    char path[PATH_BYTES], list[512];

    snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
    read_file(dir, "cgroup.controllers", list, sizeof(list));
    return has_word(list, "memory") && access(dir, W_OK) == 0 && access(path, W_OK) == 0 &&
           enable_controllers(dir).memory;
}

char *ty_cgroups_mount_point(struct ty_arena *a)
{
    FILE *f = fopen("/proc/self/mountinfo", "re");
    char line[PATH_BYTES], *found = NULL;

    while (f && !found && fgets(line, sizeof(line), f)) {
        struct ty_str rest = ty_str(line), word = { 0 };
        if (!strstr(line, " - cgroup2 "))
            continue;
        for (int i = 0; i < 5; i++) /* id, parent, device, root, mount point */
            rest = ty_str_cut(rest, ' ', &word);
        found = ty_arena_cstr(a, word);
    }
    if (f)
        fclose(f);
    return found;
}

/* The line "0::/path" of /proc/self/cgroup: the path. */
static char *own_path(struct ty_arena *a)
{
    char text[PATH_BYTES];
    struct ty_str rest, line;

    read_file("/proc/self", "cgroup", text, sizeof(text));
    rest = ty_str(text);
    do {
        rest = ty_str_cut(rest, '\n', &line);
        if (ty_str_starts(line, TY_LIT("0::/")))
            return ty_arena_strndup(a, line.p + 3, line.n - 3);
    } while (rest.p);
    return NULL;
}

char *ty_cgroups_find(struct ty_arena *a, struct ty_err *err)
{
    const char *root = ty_cgroups_mount_point(a), *own = own_path(a);

    if (!root || !own) {
        ty_fail(err, -ENOENT, "cgroup v2 is not mounted");
        return NULL;
    }
    char *dir = ty_arena_printf(a, "%s%s", root, strcmp(own, "/") == 0 ? "" : own);
    while (strlen(dir) >= strlen(root)) {
        if (is_usable(dir))
            return dir;
        *strrchr(dir, '/') = 0;
    }
    ty_fail(err, -EACCES, "no cgroup with a memory controller is delegated to us");
    return NULL;
}

/* When the process started, in clock ticks since boot; 0: there is none. */
static unsigned long long start_ticks(int pid)
{
    char dir[64], text[1024];
    unsigned long long ticks = 0;

    snprintf(dir, sizeof(dir), "/proc/%d", pid);
    read_file(dir, "stat", text, sizeof(text));
    const char *p = strrchr(text, ')'); /* the name before it may hold anything */
    for (int i = 2; p && i < 22; i++)
        p = strchr(p + 1, ' ');
    return p && sscanf(p, "%llu", &ticks) == 1 ? ticks : 0;
}

static bool remove_at(const char *dir, const char *name)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    if (rmdir(path) == 0 || errno == ENOENT)
        return true;
    if (errno == EBUSY)
        write_file(path, "cgroup.kill", "1");
    return rmdir(path) == 0;
}

/* A run's folder and those in it. False: something in it is still alive. */
static bool remove_run(const char *dir)
{
    DIR *d = opendir(dir);
    bool all = true;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (e->d_type == DT_DIR && e->d_name[0] != '.')
            all = remove_at(dir, e->d_name) && all;
    if (d)
        closedir(d);
    return all && (rmdir(dir) == 0 || errno == ENOENT);
}

static void remove_stale(const char *dir)
{
    DIR *d = opendir(dir);
    char path[PATH_BYTES];

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        unsigned long long ticks = 0;
        int pid = 0;
        if (sscanf(e->d_name, PREFIX "%d-%llu", &pid, &ticks) != 2 || start_ticks(pid) == ticks)
            continue;
        snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        remove_run(path);
    }
    if (d)
        closedir(d);
}

int ty_cgroups_open(const char *dir, struct ty_cgroups **ret, struct ty_err *err)
{
    char path[PATH_BYTES];
    struct ty_cgroups *c = NULL;

    remove_stale(dir);
    snprintf(path, sizeof(path), "%s/" PREFIX "%d-%llu", dir, getpid(), start_ticks(getpid()));
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    c = ty_xalloc(calloc(1, sizeof(*c)));
    c->dir = ty_xalloc(strdup(path));
    c->can = enable_controllers(path);
    *ret = c;
    return 0;
}

struct ty_cgroups_controllers ty_cgroups_controllers(const struct ty_cgroups *c)
{
    return c ? c->can : (struct ty_cgroups_controllers){ 0 };
}

void ty_cgroups_close(struct ty_cgroups *c)
{
    const struct timespec pause = { .tv_nsec = 2000000L };

    if (!c)
        return;
    for (int waited = 0; !remove_run(c->dir) && waited < LINGER_MS; waited += 2)
        nanosleep(&pause, NULL);
    free(c->dir);
    free(c);
}

/* As the kubelet does: no swap beyond the limit, and all of a container goes when one must. */
static int limit_memory(const char *dir, int64_t bytes)
{
    char word[64] = "max";

    if (bytes > 0)
        snprintf(word, sizeof(word), "%lld", (long long)bytes);
    int r = write_file(dir, "memory.max", word);
    if (bytes > 0) {
        write_file(dir, "memory.swap.max",
                   "0"); /* a kernel without swap accounting has no such file */
        write_file(dir, "memory.oom.group", "1");
    }
    return r;
}

static int limit_cpu(const char *dir, int64_t milli)
{
    char word[64];

    if (milli <= 0)
        return write_file(dir, "cpu.max", "max");
    int64_t quota = milli * (PERIOD_US / 1000);
    snprintf(word, sizeof(word), "%lld %d", (long long)(quota < 1000 ? 1000 : quota), PERIOD_US);
    return write_file(dir, "cpu.max", word);
}

int ty_cgroup_create(struct ty_cgroups *c, const char *name, const struct ty_cgroup_limits *l,
                     struct ty_err *err)
{
    char dir[PATH_BYTES], word[64];
    int r = 0;

    snprintf(dir, sizeof(dir), "%s/%s", c->dir, name);
    if (mkdir(dir, 0755) < 0 && errno != EEXIST)
        return ty_fail(err, -errno, "%s: %s", dir, strerrordesc_np(errno));
    if (c->can.memory)
        r = limit_memory(dir, l->memory);
    if (r == 0 && c->can.cpu)
        r = limit_cpu(dir, l->cpu_milli);
    snprintf(word, sizeof(word), "%lld", (long long)l->pids);
    if (r == 0 && c->can.pids)
        r = write_file(dir, "pids.max", l->pids > 0 ? word : "max");
    return r < 0 ? ty_fail(err, r, "%s: cannot set its limits: %s", dir, strerrordesc_np(-r)) : 0;
}

int ty_cgroup_procs(const struct ty_cgroups *c, const char *name)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s/cgroup.procs", c->dir, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int64_t ty_cgroup_oom_kills(const struct ty_cgroups *c, const char *name)
{
    char dir[PATH_BYTES], text[1024];
    long long n = 0;

    snprintf(dir, sizeof(dir), "%s/%s", c->dir, name);
    read_file(dir, "memory.events", text, sizeof(text));
    const char *line = strstr(text, "oom_kill ");
    return line && sscanf(line, "oom_kill %lld", &n) == 1 ? n : 0;
}

bool ty_cgroup_remove(const struct ty_cgroups *c, const char *name)
{
    return remove_at(c->dir, name);
}
