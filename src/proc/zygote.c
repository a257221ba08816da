/* trainyard's side of the zygote: starts it while this process is small, and stops it with all its
 * shims. */
#include "proc/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "proc/wire.h"
#include "proc/zygote_inner.h"

enum { HELLO_MS = 20 * 1000 };

static int read_hello(struct ty_zygote *z, struct ty_err *err)
{
    struct ty_wire_msg msg;
    struct pollfd p = { z->control, POLLIN, 0 };
    int n, r = 0;

    do
        n = poll(&p, 1, HELLO_MS);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        r = ty_wire_recv(z->control, &msg);
    if (r <= 0)
        return ty_fail(err, r < 0 ? r : -EPIPE, "the helper process that starts pods %s",
                       n == 0 ? "does not answer" : "ended at once");
    if (msg.kind != TY_WIRE_HELLO || msg.n != sizeof(z->can))
        r = ty_fail(err, -EBADMSG, "the helper process that starts pods speaks in riddles");
    else
        memcpy(&z->can, msg.body, sizeof(z->can));
    ty_wire_done(&msg);
    return r < 0 ? r : 0;
}

int ty_zygote_fork_with(unsigned without, bool network, struct ty_zygote **ret, struct ty_err *err)
{
    struct rlimit nofile;
    int pair[2];
    pid_t us = getpid();

    if (getrlimit(RLIMIT_NOFILE, &nofile) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return ty_fail(err, -errno, "cannot make a socket: %s", strerrordesc_np(errno));
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        ty_zygote_run(pair[1], us, without, network, &nofile);
    }
    int code = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return ty_fail(err, -code, "cannot fork: %s", strerrordesc_np(code));
    }
    struct ty_zygote *z = ty_xalloc(calloc(1, sizeof(*z)));
    *z = (struct ty_zygote){ .pid = pid, .control = pair[0], .network = network };
    nofile.rlim_cur = nofile.rlim_max;
    setrlimit(RLIMIT_NOFILE, &nofile);
    *ret = z;
    return 0;
}

int ty_zygote_wait(struct ty_zygote *z, struct ty_err *err)
{
    int r = read_hello(z, err);
    if (r == 0 && z->network && !z->can.network)
        r = ty_fail(err, -EPERM,
                    "this machine does not allow network namespaces (%s): use --network host",
                    z->can.why);
    return r;
}

int ty_zygote_start_with(unsigned without, bool network, struct ty_zygote **ret, struct ty_err *err)
{
    struct ty_zygote *z = NULL;
    int r = ty_zygote_fork_with(without, network, &z, err);

    if (!z) /* it is untouched on failure */
        return r;
    r = ty_zygote_wait(z, err);
    if (r < 0)
        ty_zygote_stop(z);
    else
        *ret = z;
    return r;
}

int ty_zygote_send(const struct ty_zygote *z, enum ty_wire_kind kind, struct ty_str body, int fd)
{
    for (int waited = 0;; waited++) {
        int r = ty_wire_send(z->control, kind, body, &fd, 1);
        if ((r != -EAGAIN && r != -ETOOMANYREFS) || waited == HELLO_MS)
            return r;
        struct pollfd p = { z->control, POLLOUT, 0 };
        poll(r == -EAGAIN ? &p : NULL, r == -EAGAIN, 1);
    }
}

int ty_zygote_start(struct ty_zygote **ret, struct ty_err *err)
{
    return ty_zygote_start_with(0, false, ret, err);
}

int ty_zygote_fork(bool network, struct ty_zygote **ret, struct ty_err *err)
{
    return ty_zygote_fork_with(0, network, ret, err);
}

/* From the kernel's list of the zygote's children; where it was built without, they stay stopped.
 */
static void continue_shims(pid_t zygote)
{
    char path[64], room[4096];
    pid_t pid = 0;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)zygote, (int)zygote);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, room, sizeof(room))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (room[i] >= '0' && room[i] <= '9') {
                pid = pid * 10 + (room[i] - '0');
            } else if (pid) {
                kill(pid, SIGCONT);
                pid = 0;
            }
        }
    }
    if (fd >= 0)
        close(fd);
}

void ty_zygote_continue(const struct ty_zygote *z)
{
    if (!z)
        return;
    kill(z->pid, SIGCONT);
    continue_shims(z->pid);
}

void ty_zygote_close(struct ty_zygote *z)
{
    if (!z || z->control < 0)
        return;
    ty_zygote_close_uplink(z);
    close(z->control);
    z->control = -1;
}

void ty_zygote_stop(struct ty_zygote *z)
{
    if (!z)
        return;
    ty_zygote_close(z);
    ty_zygote_continue(z);
    for (int status = 0;;) {
        pid_t got = waitpid(z->pid, &status, WUNTRACED);
        if (got == z->pid && WIFSTOPPED(status))
            ty_zygote_continue(z); /* it has to end its shims */
        else if (got == z->pid || errno != EINTR)
            break;
    }
    free(z);
}

struct ty_zygote_caps ty_zygote_caps(const struct ty_zygote *z)
{
    return z->can;
}
