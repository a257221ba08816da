/* trainyard's side of the zygote: starts it while this process is small, and stops it with all its
 * shims. */
#include "proc/zygote.h"

#include <errno.h>
#include <poll.h>
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

int ty_zygote_start_with(unsigned without, struct ty_zygote **ret, struct ty_err *err)
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
        ty_zygote_run(pair[1], us, without, &nofile);
    }
    int code = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return ty_fail(err, -code, "cannot fork: %s", strerrordesc_np(code));
    }
    struct ty_zygote *z = ty_xalloc(calloc(1, sizeof(*z)));
    *z = (struct ty_zygote){ .pid = pid, .control = pair[0] };
    int r = read_hello(z, err);
    if (r < 0) {
        ty_zygote_stop(z);
        return r;
    }
    nofile.rlim_cur = nofile.rlim_max;
    setrlimit(RLIMIT_NOFILE, &nofile);
    *ret = z;
    return 0;
}

int ty_zygote_start(struct ty_zygote **ret, struct ty_err *err)
{
    return ty_zygote_start_with(0, ret, err);
}

void ty_zygote_stop(struct ty_zygote *z)
{
    if (!z)
        return;
    close(z->control);
    while (waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(z);
}

struct ty_zygote_caps ty_zygote_caps(const struct ty_zygote *z)
{
    return z->can;
}
