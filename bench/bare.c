/* A loop that starts pods without an engine, two at a time: the namespaces of a pod with its /proc,
 * its host name and an init that reaps, and in it the container, `true`, with a session and a mount
 * namespace of its own and a pipe for what it prints. No volumes, no log, no history.
 * bench/local.py compares `trainyard run` with it: what a run costs above this is the engine's.
 * usage: bare [PODS] */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PODS = 1000, AT_ONCE = 2 };

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerrordesc_np(errno));
    _exit(1);
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        die(path);
    close(fd);
}

/* Root needs no user namespace; an ordinary user maps only itself. */
static void enter_namespaces(void)
{
    unsigned uid = geteuid(), gid = getegid();
    char text[64];

    if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
        die("unshare");
    if (uid) {
        snprintf(text, sizeof(text), "%u %u 1", uid, uid);
        write_file("/proc/self/uid_map", text);
        write_file("/proc/self/setgroups", "deny");
        snprintf(text, sizeof(text), "%u %u 1", gid, gid);
        write_file("/proc/self/gid_map", text);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        die("mount /");
}

_Noreturn static void container(int out)
{
    char word[] = "true", path[] = "PATH=/usr/bin:/bin";
    char *argv[] = { word, NULL }, *env[] = { path, NULL };

    setsid();
    if (unshare(CLONE_NEWNS) < 0)
        die("unshare");
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execve("/bin/true", argv, env);
    die("/bin/true");
}

_Noreturn static void pod(int out)
{
    static const char name[] = "bench-node-0-0";
    int status;

    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        die("mount /proc");
    if (sethostname(name, sizeof(name) - 1) < 0)
        die("sethostname");
    pid_t pid = vfork(); /* as posix_spawn() does, and the shim */
    if (pid == 0)
        container(out);
    if (pid < 0 || wait(&status) != pid)
        die("vfork");
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Returns the end of the pipe to read. */
static int start_pod(void)
{
    unsigned long flags = SIGCHLD | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWPID;
    int out[2];

    if (pipe2(out, O_CLOEXEC) < 0)
        die("pipe");
    long pid = syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    if (pid < 0)
        die("clone");
    if (pid == 0)
        pod(out[1]);
    close(out[1]);
    return out[0];
}

static void await_pod(int out)
{
    char text[4096];
    int status;

    while (read(out, text, sizeof(text)) > 0)
        ;
    close(out);
    if (wait(&status) < 0)
        die("wait");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    long pods = argc > 1 ? strtol(argv[1], NULL, 10) : PODS;
    struct timespec from, to;
    int out[AT_ONCE];

    clock_gettime(CLOCK_MONOTONIC, &from);
    enter_namespaces();
    for (long i = 0; i < pods + AT_ONCE; i++) {
        if (i >= AT_ONCE && i - AT_ONCE < pods)
            await_pod(out[i % AT_ONCE]);
        if (i < pods)
            out[i % AT_ONCE] = start_pod();
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
    printf("bare loop: %ld pods of true in %.1f ms\n", pods, ms);
    return 0;
}
