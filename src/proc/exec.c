/* The child shares our memory until it has called execve and we are suspended meanwhile (as with
 * vfork), so nothing is copied, and it reports a failure by writing to our struct. It makes only
 * async-signal-safe calls, on a stack of its own. */
#include "proc/exec.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/proc_failure.h"
#include "proc/shim_mounts.h"

enum { STACK_SIZE = 64 << 10 }; /* small enough to come from the heap, without a mapping */
static const char default_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* A daemon that loses its parent becomes a child of the container's first process, as in a
 * container of its own; when that ends the shim inherits them, and kills them as processes that it
 * did not start. */
static int lead_session(struct ty_proc_failure *fail)
{
    if (setsid() < 0)
        return ty_proc_failure_set(fail, "setsid", NULL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return ty_proc_failure_set(fail, "become a subreaper", NULL);
    return 0;
}

/* Before anything else: all that the container costs is counted. */
static int join_cgroup(const struct ty_process_spec *s, struct ty_proc_failure *fail)
{
    if (s->cgroup > 0 && write(s->cgroup, "0", 1) < 0)
        return ty_proc_failure_set(fail, "join its cgroup", NULL);
    return 0;
}

static const char *value_of(char *const *env, const char *name, size_t n)
{
    for (; *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

/* The files that another process of the pod sees, its own mounts included. */
static int join_view(const struct ty_exec *x, struct ty_proc_failure *fail)
{
    int fd = (int)syscall(SYS_pidfd_open, x->beside, 0);
    bool joined = fd >= 0 && setns(fd, CLONE_NEWNS) == 0;

    return joined ? 0 : ty_proc_failure_set(fail, "join the container", NULL);
}

static int set_view(const struct ty_exec *x, struct ty_proc_failure *fail)
{
    if (x->beside && x->mode->can.mounts)
        return join_view(x, fail);
    const struct ty_bind_mount *binds = x->start->binds;
    if (!binds || !binds[0].to || !x->mode->can.mounts)
        return 0;
    if (unshare(CLONE_NEWNS) < 0)
        return ty_proc_failure_set(fail, "make a mount namespace", NULL);
    const char *home = value_of(x->env, "HOME", 4);
    const char *const keep[] = { x->start->cwd ? x->start->cwd : home, home, NULL };
    return ty_shim_mounts_bind(binds, keep, fail);
}

static int set_limit(int what, int64_t v, const char *name, struct ty_proc_failure *fail)
{
    if (v < 0)
        return 0;
    __rlimit_resource_t res = (__rlimit_resource_t)what;
    struct rlimit old, want = { (rlim_t)v, (rlim_t)v };
    int r = setrlimit(res, &want);
    if (r < 0 && errno == EPERM && getrlimit(res, &old) == 0) {
        want.rlim_cur = want.rlim_max = old.rlim_max; /* ours is lower, and limits it as well */
        r = setrlimit(res, &want);
    }
    return r < 0 ? ty_proc_failure_set(fail, "limit", name) : 0;
}

static int set_limits(const struct ty_exec *x, struct ty_proc_failure *fail)
{
    const struct ty_process_spec *s = x->start;
    static const int64_t nowhere[16];
    int r = 0;

    if (memcmp(s->cpus_mask, nowhere, sizeof(nowhere)) != 0 &&
        syscall(SYS_sched_setaffinity, 0, sizeof(s->cpus_mask), s->cpus_mask) < 0)
        r = ty_proc_failure_set(fail, "pin to cpus", NULL);
    if (r == 0 && s->limit_nofile < 0 && setrlimit(RLIMIT_NOFILE, &x->mode->nofile) < 0)
        r = ty_proc_failure_set(fail, "limit", "open files");
    if (r == 0)
        r = set_limit(RLIMIT_NOFILE, s->limit_nofile, "open files", fail);
    if (r == 0)
        r = set_limit(RLIMIT_NPROC, s->limit_nproc, "processes", fail);
    if (r == 0)
        r = set_limit(RLIMIT_CORE, s->limit_core, "core size", fail);
    if (r == 0)
        r = set_limit(RLIMIT_AS, s->limit_as, "address space", fail);
    return r;
}

/* Raw system calls: glibc's wrappers would signal other threads, and there are none.
 */
static int set_ids(const struct ty_exec *x, struct ty_proc_failure *fail)
{
    long uid = x->start->uid, gid = x->start->gid;
    bool same = (uid < 0 || (uid_t)uid == geteuid()) && (gid < 0 || (gid_t)gid == getegid());
    if (same)
        return 0;
    if (!x->mode->can.user_ns && geteuid() == 0 && syscall(SYS_setgroups, 0, NULL) < 0)
        return ty_proc_failure_set(fail, "leave the groups", NULL);
    if (gid >= 0 && syscall(SYS_setresgid, gid, gid, gid) < 0)
        return ty_proc_failure_set(fail, "change the group", NULL);
    if (uid >= 0 && syscall(SYS_setresuid, uid, uid, uid) < 0)
        return ty_proc_failure_set(fail, "change the user", NULL);
    return 0;
}

/* The shim has /dev/null open as 0 and 1: 1 serves until it is replaced itself. */
static int set_fds(const struct ty_process_spec *s, struct ty_proc_failure *fail)
{
    if (dup2(s->in < 0 ? 1 : s->in, 0) < 0 || dup2(s->err < 0 ? 1 : s->err, 2) < 0 ||
        (s->out >= 0 && dup2(s->out, 1) < 0))
        return ty_proc_failure_set(fail, "pass descriptors", NULL);
    return 0;
}

static int set_place(const struct ty_exec *x, struct ty_proc_failure *fail)
{
    const struct ty_process_spec *s = x->start;
    if (s->cwd && chdir(s->cwd) < 0)
        return ty_proc_failure_set(fail, "working directory", s->cwd);
    int r = set_fds(s, fail);
    if (r == 0 && s->tty && ioctl(0, TIOCSCTTY, 0) < 0)
        r = ty_proc_failure_set(fail, "take the terminal", NULL);
    /* Without namespaces a setuid program would become root, whom our guard cannot kill;
     * inside a user namespace the kernel ignores the bit anyway. */
    if (r == 0 && !x->mode->can.pid_ns && geteuid() != 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return r;
}

/* Tries the directories of PATH, as a shell does. EACCES is reported only if a directory has a
 * program of that name, and none is executable: not for a directory that we may not search. */
static void exec_along(const struct ty_exec *x, const char *dirs)
{
    int worst = ENOENT;
    struct stat st;
    while (dirs) {
        size_t n = strcspn(dirs, ":");
        struct ty_shim_path p;
        p.n = 0;
        if (ty_shim_path_add(&p, n ? dirs : ".", n ? n : 1) == 0 &&
            ty_shim_path_add(&p, "/", 1) == 0 &&
            ty_shim_path_add(&p, x->argv[0], strlen(x->argv[0])) == 0)
            execve(p.p, x->argv, x->env);
        if (errno == EACCES)
            worst = stat(p.p, &st) == 0 ? EACCES : worst;
        else if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
            return; /* found, but something is wrong with it */
        dirs = dirs[n] ? dirs + n + 1 : NULL;
    }
    errno = worst;
}

static int become_program(const struct ty_exec *x, struct ty_proc_failure *fail)
{
    const char *path = value_of(x->env, "PATH", 4);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (!x->argv[0] || !x->argv[0][0])
        errno = ENOENT;
    else if (strchr(x->argv[0], '/'))
        execve(x->argv[0], x->argv, x->env);
    else
        exec_along(x, path ? path : default_path);
    return ty_proc_failure_set(fail, "exec", x->argv[0]);
}

static int run_child(void *arg)
{
    struct ty_exec *x = arg;
    struct ty_proc_failure *fail = &x->fail;
    int r = join_cgroup(x->start, fail);
    if (r == 0)
        r = lead_session(fail);
    if (r == 0)
        r = set_view(x, fail);
    if (r == 0)
        r = set_limits(x, fail);
    if (r == 0)
        r = set_ids(x, fail);
    if (r == 0)
        r = set_place(x, fail);
    if (r == 0)
        become_program(x, fail);
    syscall(SYS_exit_group, 127); /* not _exit: sanitizers would take this stack for the shim's */
    return 127;
}

int ty_exec_spawn(struct ty_exec *x, pid_t *ret_pid)
{
    char *stack = malloc(STACK_SIZE);
    x->fail = (struct ty_proc_failure){ 0 };
    if (!stack)
        return ty_proc_failure_set(&x->fail, "allocate a stack", NULL);
    pid_t pid = clone(run_child, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, x);
    int r = pid < 0 ? ty_proc_failure_set(&x->fail, "clone", NULL) : -x->fail.code;
    free(stack);
    if (pid > 0 && r < 0)
        waitpid(pid, NULL, 0);
    if (r == 0)
        *ret_pid = pid;
    return r;
}
