/* Finds children through /proc and kills them, group by group: a signal to a process group is
 * atomic against fork, so that a process which forks and exits all the time cannot outrun it. */
#include "proc/reap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "base/xalloc.h"

struct pids {
    pid_t *v;
    size_t n, cap;
};

static void add_pid(struct pids *p, pid_t pid)
{
    /* If this is init and aborts, the kernel kills its namespace; otherwise the zygote kills its
     * children. */
    ty_xroom(p->v, p->n, p->cap);
    p->v[p->n++] = pid;
}

static bool has_pid(const pid_t *v, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == pid)
            return true;
    return false;
}

/* The kernel's own list of our children; false where it was built without. */
static bool read_children(struct pids *ret)
{
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    char room[4096];
    pid_t pid = 0;
    ssize_t n;

    if (fd < 0)
        return false;
    while ((n = read(fd, room, sizeof(room))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (room[i] >= '0' && room[i] <= '9') {
                pid = pid * 10 + (room[i] - '0');
            } else if (pid) {
                add_pid(ret, pid);
                pid = 0;
            }
        }
    }
    close(fd);
    return n == 0;
}

struct process {
    pid_t pid, parent, group;
    bool alive; /* a zombie is not, unless only its first thread has ended */
};

/* From /proc/PID/stat: "PID (any text) S PPID PGRP …"; false: gone. */
static bool read_process(int proc, pid_t pid, struct process *ret)
{
    char path[32], room[512], state = 0;
    long threads = 0;

    snprintf(path, sizeof(path), "%d/stat", (int)pid);
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, room, sizeof(room) - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    room[n] = 0;
    const char *after = strrchr(room, ')');
    *ret = (struct process){ .pid = pid };
    if (!after ||
        sscanf(after + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
               &state, &ret->parent, &ret->group, &threads) != 4)
        return false;
    ret->alive = (state != 'Z' && state != 'X') || threads > 1;
    return true;
}

/* Calls fn for every process that we can see. */
typedef void each_fn(void *ctx, const struct process *p);
static void each_process(each_fn *fn, void *ctx)
{
    DIR *d = opendir("/proc");
    struct process p;
    if (!d)
        return;
    const struct dirent *e;
    while ((e = readdir(d))) { /* NOLINT(concurrency-mt-unsafe): d is ours alone */
        int64_t pid = 0;
        if (ty_str_parse_i64(ty_str(e->d_name), &pid) && read_process(dirfd(d), (pid_t)pid, &p))
            fn(ctx, &p);
    }
    closedir(d);
}

struct hunt {
    const pid_t *mine;
    size_t n_mine, alive;
    struct pids prey;
    pid_t us, our_group;
};

static void kill_one(const struct hunt *h, pid_t pid, pid_t group)
{
    if (group > 1 && group != h->our_group && !has_pid(h->mine, h->n_mine, group))
        kill(-group, SIGKILL);
    kill(pid, SIGKILL);
}

/* Kills each process as soon as it is found: a fork bomb leaves us little CPU time, and a dying
 * process needs some before we inherit its children. Parents are mostly listed before their
 * children. */
static void hunt_one(void *ctx, const struct process *p)
{
    struct hunt *h = ctx;
    bool ours = p->parent == h->us && !has_pid(h->mine, h->n_mine, p->pid);
    if (!ours && !has_pid(h->prey.v, h->prey.n, p->parent))
        return;
    kill_one(h, p->pid, p->group);
    h->alive += p->alive;
    if (!has_pid(h->prey.v, h->prey.n, p->pid))
        add_pid(&h->prey, p->pid);
}

/* The fast path: usually there are no children. Without the kernel's list of children /proc is
 * scanned. */
static bool any_strangers(struct hunt *h)
{
    struct pids children = { 0 };
    bool known = read_children(&children), any = !known;
    for (size_t i = 0; i < children.n; i++) {
        if (has_pid(h->mine, h->n_mine, children.v[i]))
            continue;
        kill_one(h, children.v[i], getpgid(children.v[i]));
        any = true;
    }
    free(children.v);
    return any;
}

size_t ty_reap_orphans(const pid_t *mine, size_t n)
{
    struct hunt h = { .mine = mine, .n_mine = n, .us = getpid(), .our_group = getpgrp() };
    if (any_strangers(&h))
        each_process(hunt_one, &h);
    free(h.prey.v);
    return h.alive;
}

void ty_reap_everything(void)
{
    enum { UNREAPED = 32 };
    struct timespec pause = { .tv_nsec = 20 * 1000L };

    for (int round = 1;; round++) {
        /* One that forks on without a limit must not fill the machine with zombies, either. */
        if (ty_reap_orphans(NULL, 0) && round % UNREAPED) {
            nanosleep(&pause, NULL);
            if (pause.tv_nsec < 2L * 1000 * 1000)
                pause.tv_nsec *= 2;
            continue;
        }
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
            ;
        if (pid < 0 && errno == ECHILD)
            return;
    }
}

static void follow_one(void *ctx, const struct process *p)
{
    struct pids *tree = ctx;
    if (has_pid(tree->v, tree->n, p->parent) && !has_pid(tree->v, tree->n, p->pid))
        add_pid(tree, p->pid);
}

void ty_reap_signal_tree(pid_t pid, int sig)
{
    struct pids tree = { 0 };
    size_t before;

    add_pid(&tree, pid);
    do { /* again, for children that are listed before their parents */
        before = tree.n;
        each_process(follow_one, &tree);
    } while (tree.n > before);
    kill(-pid, sig);
    for (size_t i = 0; i < tree.n; i++)
        if (getpgid(tree.v[i]) != pid)
            kill(tree.v[i], sig);
    free(tree.v);
}
