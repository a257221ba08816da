/* The zygote's main loop: forks a shim for every socket that it receives, and reaps it. It stays
 * small, because every shim is a copy of it.
 *
 * The zygote holds each pod's socket open until it has reaped the shim, so that trainyard sees it
 * closed only after everything in the pod is dead: the kernel closes the files of an init before
 * its namespace is empty, but reports its exit after. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "proc/netns.h"
#include "proc/proc_failure.h"
#include "proc/proc_probe.h"
#include "proc/reap.h"
#include "proc/shim.h"
#include "proc/shim_event.h"
#include "proc/shim_inner.h"
#include "proc/shim_mounts.h"
#include "proc/wire.h"
#include "proc/zygote_inner.h"

struct zygote {
    struct ty_zygote_mode mode;
    int control, sigfd;
    int lifeline[2]; /* the shims see its end when we die */
    pid_t *pids;     /* of the shims */
    int *socks;
    size_t n, cap;
    struct ty_wire_msg msg;
};

static void move_fd(int from, int to)
{
    if (from == to)
        return;
    if (dup3(from, to, O_CLOEXEC) < 0)
        _exit(1);
    close(from);
}

static void close_from(int first)
{
    if (close_range((unsigned)first, ~0U, 0) == 0)
        return;
    struct rlimit most; /* a kernel before 5.9 */
    int end = getrlimit(RLIMIT_NOFILE, &most) == 0 ? (int)most.rlim_cur : 1024;
    for (int fd = first; fd < end; fd++)
        close(fd);
}

/* A raw system call: glibc reserves two signals (32, 33), and our parent may have left them
 * ignored. All zero is SIG_DFL without flags. */
static void reset_signal(int sig)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } plain = { 0 };

    syscall(SYS_rt_sigaction, sig, &plain, NULL, sizeof(plain.mask));
}

/* Nothing of trainyard's terminal, descriptors, signal handlers stays, but stderr. */
static int detach_from_parent(int control)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 1; i < NSIG; i++)
        reset_signal(i); /* containers inherit these */
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return -errno;
    dup2(null, 0);
    dup2(null, 1);
    if (fcntl(2, F_GETFD) < 0)
        dup2(null, 2);
    move_fd(control, TY_SHIM_SOCK); /* here the zygote's; a shim puts its own in its place */
    close_from(TY_SHIM_LIFELINE);
    setsid(); /* Ctrl-C goes to trainyard only */
    return 0;
}

static int open_own(struct zygote *z)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (pipe2(z->lifeline, O_CLOEXEC) < 0)
        return -errno;
    z->sigfd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return z->sigfd < 0 ? -errno : 0;
}

static void raise_nofile(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r);
    }
}

static void add_shim(struct zygote *z, pid_t pid, int sock)
{
    size_t cap = z->cap;

    ty_xroom(z->socks, z->n, cap);
    ty_xroom(z->pids, z->n, z->cap);
    z->pids[z->n] = pid;
    z->socks[z->n++] = sock;
}

/* The run's network is ours alone: trainyard asks us for what it needs there. */
static void reply(struct zygote *z, int code, int fd)
{
    struct ty_str body = { (const char *)&code, sizeof(code) };

    ty_wire_send(z->msg.fds[0], (enum ty_wire_kind)z->msg.kind, body, &fd, fd >= 0);
    if (fd >= 0)
        close(fd);
}

static void serve_network(struct zygote *z)
{
    if (z->msg.kind == TY_WIRE_SOCKET) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        reply(z, fd < 0 ? -errno : 0, fd);
    } else if (z->msg.kind == TY_WIRE_UPLINK) {
        struct ty_wire_in in = { .p = z->msg.body, .end = z->msg.body + z->msg.n };
        const char *tap = ty_wire_get_str(&in);
        reply(z, tap ? ty_netns_add_uplink(&z->mode.net, tap) : -EBADMSG, -1);
    }
}

static void new_pod(struct zygote *z)
{
    int sock = ty_wire_take(&z->msg, 0);
    pid_t pid = ty_proc_fork_pod(&z->mode.can);
    if (pid == 0) {
        move_fd(sock, TY_SHIM_SOCK);
        move_fd(z->lifeline[0], TY_SHIM_LIFELINE);
        close_from(TY_SHIM_FIRST_FREE);
        ty_shim_run(&z->mode);
    }
    if (pid > 0) {
        add_shim(z, pid, sock);
        return;
    }
    struct ty_proc_failure fail = { .doing = "fork a keeper", .code = errno };
    struct ty_shim_event gone = { .what = TY_SHIM_GONE, .code = errno };
    ty_proc_failure_text(&fail, gone.text, sizeof(gone.text));
    ty_shim_event_send(sock, &gone, false);
    close(sock);
}

/* Reaps what has ended. The sockets of dead shims move behind the living ones, to be closed when
 * nothing of their pods is left. True: a shim was killed, and what it guarded may live on. */
static bool reap_shims(struct zygote *z, size_t *dead)
{
    bool killed = false;
    int status = 0;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        for (size_t i = 0; i < z->n; i++) {
            if (z->pids[i] != pid)
                continue;
            int sock = z->socks[i];
            z->pids[i] = z->pids[--z->n];
            z->socks[i] = z->socks[z->n];
            z->socks[z->n] = sock;
            ++*dead;
            killed = killed || !WIFEXITED(status);
            break;
        }
    }
    return killed;
}

/* Where there is no pid namespace, the children of a killed shim come to us. */
static void kill_orphans(struct zygote *z)
{
    size_t dead = 0;
    bool killed = reap_shims(z, &dead);
    const struct timespec pause = { .tv_nsec = 200 * 1000L };

    while (killed && !z->mode.can.pid_ns && ty_reap_orphans(z->pids, z->n))
        nanosleep(&pause, NULL);
    if (killed)
        reap_shims(z, &dead); /* those we have killed */
    for (size_t i = 0; i < dead; i++)
        close(z->socks[z->n + i]);
}

/* The shims see the lifeline end and kill what they have; inits need not even be asked. */
_Noreturn static void stop_zygote(struct zygote *z)
{
    close(z->lifeline[1]);
    for (size_t i = 0; z->mode.can.pid_ns && i < z->n; i++)
        kill(z->pids[i], SIGKILL);
    while (z->n) {
        struct pollfd p = { z->sigfd, POLLIN, 0 };
        struct signalfd_siginfo info;
        poll(&p, 1, 100);
        while (read(z->sigfd, &info, sizeof(info)) > 0)
            ;
        kill_orphans(z);
    }
    if (!z->mode.can.pid_ns)
        ty_reap_everything();
    _exit(0);
}

static void serve_control(struct zygote *z)
{
    struct pollfd p[] = { { z->control, POLLIN, 0 }, { z->sigfd, POLLIN, 0 } };
    struct signalfd_siginfo info;

    if (poll(p, 2, -1) < 0)
        return;
    if (p[1].revents) {
        while (read(z->sigfd, &info, sizeof(info)) > 0)
            ;
        kill_orphans(z);
    }
    if (!p[0].revents)
        return;
    int r = ty_wire_recv(z->control, &z->msg);
    if (r == 0 || r == -ECONNRESET)
        stop_zygote(z);
    if (r > 0) {
        if (z->msg.n_fds == 1 && z->msg.kind == TY_WIRE_NEW)
            new_pod(z);
        else if (z->msg.n_fds == 1 && z->mode.net.bridge)
            serve_network(z);
        ty_wire_done(&z->msg);
    }
}

/* In a pid namespace the death of a parent may kill: the kernel does the rest. A guard without one
 * must live on to kill what it guards; it sees its socket end. */
static void tie_to(const struct zygote *z, pid_t parent)
{
    if (z->mode.can.pid_ns)
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    else
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (getppid() != parent)
        _exit(0);
}

/* Mount points of nearly every pod, made once for all: the copies of /dev and /run that they need
 * would else be made by each container. A refusal is reported by the first container. */
static void make_mount_points(const struct zygote *z)
{
    const struct ty_shim_mounts_ctx none = { 0 };
    struct ty_proc_failure fail = { 0 };

    if (!z->mode.can.mounts)
        return;
    ty_shim_mount_target_create("/dev/termination-log", false, &none, &fail);
    ty_shim_mount_target_create("/var/run/secrets/kubeflow/trainer", true, &none, &fail);
    ty_shim_mount_target_create("/run/trainyard/tmp", true, &none, &fail);
}

/* Only on request: a network namespace takes the kernel milliseconds to remove. */
static void make_network(struct zygote *z)
{
    struct ty_proc_failure fail = { 0 };

    if (!z->mode.can.mounts)
        return; /* and can.why says why */
    if (ty_netns_make(&z->mode.net, &fail) < 0)
        ty_proc_failure_text(&fail, z->mode.can.why, sizeof(z->mode.can.why));
    else
        z->mode.can.network = true;
}

_Noreturn void ty_zygote_run(int control, pid_t parent, unsigned without, bool network,
                             const struct rlimit *nofile)
{
    struct zygote *z = calloc(1, sizeof(*z));
    struct ty_proc_failure fail = { 0 };

    if (!z || detach_from_parent(control) < 0 || open_own(z) < 0)
        _exit(1);
    prctl(PR_SET_NAME, "ty-zygote", 0, 0, 0);
    z->control = TY_SHIM_SOCK;
    z->mode.nofile = *nofile;
    raise_nofile();
    z->mode.can = ty_proc_probe(without);
    if (ty_proc_enter_namespaces(&z->mode.can, &fail) < 0)
        _exit(1);
    if (network)
        make_network(z);
    tie_to(z, parent);
    struct ty_str hello = { (const char *)&z->mode.can, sizeof(z->mode.can) };
    if (ty_wire_send(z->control, TY_WIRE_HELLO, hello, NULL, 0) < 0)
        _exit(1);
    make_mount_points(z);
    for (;;)
        serve_control(z);
}
