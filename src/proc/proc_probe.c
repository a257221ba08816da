/* Root may create namespaces; other users need a user namespace, in which their UID and GID are
 * mapped to themselves. Containers, security modules and sysctls forbid parts of this in many ways,
 * so the zygote tries it. */
#include "proc/proc_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/proc_failure.h"
#include "proc/shim_mounts.h"
#include "proc/zygote.h"
#include "proc/zygote_inner.h"

static int write_file(const char *path, const char *text, struct ty_proc_failure *fail)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    int r = n < 0 ? ty_proc_failure_set(fail, "write", path) : 0;
    if (fd >= 0)
        close(fd);
    return r;
}

/* The kernel wants setgroups given up before an ordinary user may map a group. */
static int map_ids(uid_t uid, gid_t gid, struct ty_proc_failure *fail)
{
    char text[64];
    snprintf(text, sizeof(text), "%u %u 1", uid, uid);
    int r = write_file("/proc/self/uid_map", text, fail);
    if (r == 0)
        r = write_file("/proc/self/setgroups", "deny", fail);
    snprintf(text, sizeof(text), "%u %u 1", gid, gid);
    return r < 0 ? r : write_file("/proc/self/gid_map", text, fail);
}

int ty_proc_enter_namespaces(const struct ty_zygote_caps *can, struct ty_proc_failure *fail)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();

    if (!can->mounts)
        return 0;
    if (unshare(CLONE_NEWNS | (can->user_ns ? CLONE_NEWUSER : 0)) < 0)
        return ty_proc_failure_set(
            fail, can->user_ns ? "make a user namespace" : "make a mount namespace", NULL);
    int r = can->user_ns ? map_ids(uid, gid, fail) : 0;
    return r < 0 ? r : ty_shim_mounts_make_private(fail);
}

/* Kernels before 5.2, and filters of system calls, know no detached trees. */
static int try_bind(struct ty_proc_failure *fail)
{
    int tree = ty_shim_mounts_clone(AT_FDCWD, "/dev");
    int r = tree < 0 || ty_shim_mounts_attach(tree, "/dev") < 0
                ? ty_proc_failure_set(fail, "bind", "/dev")
                : 0;
    if (tree >= 0)
        close(tree);
    return r;
}

/* Not fork(): that cannot make namespaces. One thread, so the library needs no preparation. */
pid_t ty_proc_fork_pod(const struct ty_zygote_caps *can)
{
    unsigned long flags =
        SIGCHLD | (can->mounts ? CLONE_NEWNS | CLONE_NEWUTS : 0) | (can->pid_ns ? CLONE_NEWPID : 0);
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
}

static int try_pod(struct ty_zygote_caps *can, struct ty_proc_failure *fail)
{
    int status = 0;
    can->pid_ns = true;
    pid_t pid = ty_proc_fork_pod(can);
    if (pid == 0)
        _exit(ty_shim_mounts_proc(fail) < 0 ? fail->code : 0); /* an errno fits */
    can->pid_ns = false;
    if (pid < 0)
        return ty_proc_failure_set(fail, "make a pid namespace", NULL);
    if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        errno = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
        return ty_proc_failure_set(fail, "mount", "/proc");
    }
    can->pid_ns = true;
    return 0;
}

/* In the child: as root directly, else or when that is forbidden inside a user namespace. */
static void try_all(unsigned without, struct ty_zygote_caps *can)
{
    struct ty_proc_failure fail = { 0 };
    can->mounts = true;
    int r = geteuid() == 0 ? ty_proc_enter_namespaces(can, &fail) : -EPERM;
    if (r < 0 && !(without & TY_NO_USER_NS)) {
        can->user_ns = true;
        r = ty_proc_enter_namespaces(can, &fail);
    }
    if (r == 0)
        r = try_bind(&fail);
    if (r < 0) {
        can->mounts = can->user_ns = false;
        if (!fail.code)
            fail = (struct ty_proc_failure){ .doing = "make a mount namespace", .code = EPERM };
    } else if (!(without & TY_NO_PID_NS)) {
        r = try_pod(can, &fail);
    }
    if (r < 0)
        ty_proc_failure_text(&fail, can->why, sizeof(can->why));
    else if (without)
        snprintf(can->why, sizeof(can->why), "switched off");
}

struct ty_zygote_caps ty_proc_probe(unsigned without)
{
    struct ty_zygote_caps can = { 0 };
    int pipe[2];

    if (without & TY_NO_MOUNTS) {
        snprintf(can.why, sizeof(can.why), "switched off");
        return can;
    }
    if (pipe2(pipe, O_CLOEXEC) < 0)
        return can;
    pid_t pid = fork();
    if (pid == 0) {
        try_all(without, &can);
        _exit(write(pipe[1], &can, sizeof(can)) == sizeof(can) ? 0 : 1);
    }
    close(pipe[1]);
    if (pid > 0) {
        if (read(pipe[0], &can, sizeof(can)) != sizeof(can))
            can = (struct ty_zygote_caps){ .why = "the trial ended early" };
        waitpid(pid, NULL, 0);
    }
    close(pipe[0]);
    return can;
}
