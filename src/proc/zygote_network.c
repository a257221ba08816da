/* trainyard's side of a network of pods: sockets in it, and its uplink. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/netns.h"
#include "proc/wire.h"
#include "proc/zygote_inner.h"

#define TAP "tap0"
/* The event loop waits while a probe asks for a socket; the uplink is opened before there is one.
 */
enum { SOCKET_MS = 1000, UPLINK_MS = 20 * 1000 };

static int wait_for(int fd, int ms)
{
    struct pollfd p = { fd, POLLIN, 0 };
    int n;

    do
        n = poll(&p, 1, ms);
    while (n < 0 && errno == EINTR);
    return n > 0 ? 0 : n == 0 ? -ETIMEDOUT : -errno;
}

/* Its answer, a number; and the descriptor beside it, if there is one. */
static int ask_zygote(const struct ty_zygote *z, enum ty_wire_kind kind, struct ty_str body, int ms,
                      int *ret_fd)
{
    struct ty_wire_msg msg;
    int pair[2], code = -EBADMSG;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    int r = ty_zygote_send(z, kind, body, pair[1]);
    close(pair[1]);
    if (r == 0)
        r = wait_for(pair[0], ms);
    if (r == 0 && (r = ty_wire_recv(pair[0], &msg)) > 0) {
        if (msg.n == sizeof(code))
            memcpy(&code, msg.body, sizeof(code));
        if (ret_fd && code == 0 && msg.n_fds == 1)
            *ret_fd = ty_wire_take(&msg, 0);
        ty_wire_done(&msg);
        r = code;
    } else if (r == 0) {
        r = -EPIPE;
    }
    close(pair[0]);
    return r;
}

int ty_zygote_socket(const struct ty_zygote *z)
{
    int fd = -1, r = ask_zygote(z, TY_WIRE_SOCKET, (struct ty_str){ 0 }, SOCKET_MS, &fd);

    return r < 0 ? r : fd;
}

/* Its path, as a shell would find it; false: it is not installed. */
static bool find_slirp(char *ret, size_t max)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *dirs = getenv("PATH");

    if (!dirs)
        dirs = "/bin:/usr/bin";
    while (*dirs) {
        int len = (int)strcspn(dirs, ":");
        int n = snprintf(ret, max, "%.*s/slirp4netns", len, dirs);
        if (len && n > 0 && (size_t)n < max && access(ret, X_OK) == 0)
            return true;
        dirs += len + (dirs[len] == ':');
    }
    return false;
}

/* slirp4netns reads what the bridge sends to its interface, and speaks to the world as an ordinary
 * program of this user: nothing of the machine's own network changes, and no rights are needed. It
 * ends when our end of the pipe is closed, by our death, too. (pasta would serve one address only,
 * and a bridge has many.) Only async-signal-safe calls. */
_Noreturn static void run_slirp(const char *path, char *const *argv, int ready, int end)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    setsid(); /* Ctrl-C is trainyard's */
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    fcntl(ready, F_SETFD, 0);
    fcntl(end, F_SETFD, 0);
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        dup2(null, fd);
    execv(path, argv);
    _exit(127);
}

static pid_t fork_slirp(const char *path, pid_t zygote, int ready, int end)
{
    char ready_arg[32], end_arg[32], pid_arg[16];
    char name[] = "slirp4netns", cidr[] = "--cidr=" TY_NETNS_CIDR,
         no_loopback[] = "--disable-host-loopback", tap[] = TAP;
    char *argv[] = { name, cidr, no_loopback, ready_arg, end_arg, pid_arg, tap, NULL };

    snprintf(ready_arg, sizeof(ready_arg), "--ready-fd=%d", ready);
    snprintf(end_arg, sizeof(end_arg), "--exit-fd=%d", end);
    snprintf(pid_arg, sizeof(pid_arg), "%d", zygote);
    pid_t pid = fork();
    if (pid == 0)
        run_slirp(path, argv, ready, end);
    return pid;
}

/* 0: it serves its interface. */
static int start_slirp(struct ty_zygote *z, struct ty_err *err)
{
    int ready[2], end[2];
    char byte = 0, path[PATH_MAX];

    if (!find_slirp(path, sizeof(path)))
        return ty_fail(err, -ENOENT, "install slirp4netns");
    if (pipe2(ready, O_CLOEXEC) < 0)
        return ty_fail(err, -errno, "no pipe: %s", strerrordesc_np(errno));
    if (pipe2(end, O_CLOEXEC) < 0) {
        int code = errno;
        close(ready[0]);
        close(ready[1]);
        return ty_fail(err, -code, "no pipe: %s", strerrordesc_np(code));
    }
    pid_t pid = fork_slirp(path, z->pid, ready[1], end[0]);
    close(ready[1]);
    close(end[0]);
    bool good = pid > 0 && wait_for(ready[0], UPLINK_MS) == 0 && read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (good) {
        z->uplink = end[1];
        z->slirp = pid;
        return 0;
    }
    close(end[1]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return ty_fail(err, -EIO, "slirp4netns does not work here: is /dev/net/tun open to you?");
}

void ty_zygote_close_uplink(struct ty_zygote *z)
{
    if (z->slirp <= 0)
        return;
    close(z->uplink);
    kill(z->slirp, SIGKILL);
    while (waitpid(z->slirp, NULL, 0) < 0 && errno == EINTR)
        ;
    z->slirp = 0;
}

int ty_zygote_open_uplink(struct ty_zygote *z, struct ty_err *err)
{
    int r = start_slirp(z, err);

    if (r < 0)
        return r;
    r = ask_zygote(z, TY_WIRE_UPLINK, (struct ty_str){ TAP, sizeof(TAP) }, UPLINK_MS, NULL);
    if (r == 0)
        return 0;
    ty_zygote_close_uplink(z);
    return ty_fail(err, r, "its interface could not be used: %s", strerrordesc_np(-r));
}
