/* trainyard's side of a shim: sends requests, receives events. Only ty_shim_new may block, while
 * the zygote has hundreds of pods to create. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "proc/shim.h"
#include "proc/shim_event.h"
#include "proc/wire.h"
#include "proc/zygote.h"
#include "proc/zygote_inner.h"

const struct ty_process_spec ty_process_spec_none = { .in = -1,
                                                      .out = -1,
                                                      .err = -1,
                                                      .uid = -1,
                                                      .gid = -1,
                                                      .limit_nproc = -1,
                                                      .limit_as = -1,
                                                      .limit_nofile = -1,
                                                      .limit_core = -1 };

struct ty_shim {
    int fd;
    bool gone;
};

static int send_new_pod(struct ty_zygote *z, const struct ty_shim_spec *k, const int pair[2])
{
    const int on = 1;
    ty_auto_buf body = { .ceiling = TY_WIRE_MAX };
    ty_wire_put_str(&body, k->hostname ? k->hostname : "");
    ty_wire_put_binds(&body, k->binds);
    ty_wire_put_str(&body, k->address ? k->address : "");
    if (body.full)
        return -E2BIG;
    if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
        return -errno;
    int r = ty_wire_send(pair[0], TY_WIRE_POD, ty_buf_str(&body), NULL, 0);
    return r < 0 ? r : ty_zygote_send(z, TY_WIRE_NEW, (struct ty_str){ 0 }, pair[1]);
}

int ty_shim_new(struct ty_zygote *z, const struct ty_shim_spec *k, struct ty_shim **ret,
                struct ty_err *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return ty_fail(err, -errno, "cannot make a pod: %s", strerrordesc_np(errno));
    int r = send_new_pod(z, k, pair);
    close(pair[1]);
    if (r < 0) {
        close(pair[0]);
        return ty_fail(err, r, "cannot make a pod: %s",
                       r == -EPIPE ? "the helper process that starts pods is gone"
                                   : strerrordesc_np(-r));
    }
    *ret = ty_xalloc(calloc(1, sizeof(**ret)));
    (*ret)->fd = pair[0];
    return 0;
}

void ty_shim_free(struct ty_shim *k)
{
    if (!k)
        return;
    close(k->fd);
    free(k);
}

int ty_shim_fd(const struct ty_shim *k)
{
    return k->fd;
}

/* Descriptors go beside the message; in it, 0 says that there is one and -1 that there is none. */
static void pass_fd(int *fd, int *fds, size_t *n)
{
    if (*fd >= 0)
        fds[(*n)++] = *fd;
    *fd = *fd >= 0 ? 0 : -1;
}

int ty_shim_start(struct ty_shim *k, const struct ty_process_spec *s, struct ty_err *err)
{
    struct ty_process_spec plain = *s;
    ty_auto_buf body = { .ceiling = TY_WIRE_MAX };
    int fds[4];
    size_t n = 0;

    plain.argv = plain.env = NULL;
    plain.cwd = NULL;
    plain.binds = NULL;
    pass_fd(&plain.in, fds, &n);
    pass_fd(&plain.out, fds, &n);
    pass_fd(&plain.err, fds, &n);
    if (plain.cgroup > 0)
        fds[n++] = plain.cgroup;
    ty_buf_put(&body, &plain, sizeof(plain));
    ty_wire_put_strs(&body, s->argv);
    ty_wire_put_strs(&body, s->env);
    ty_wire_put_str(&body, s->cwd ? s->cwd : "");
    ty_wire_put_binds(&body, s->binds);
    int r = body.full ? -E2BIG : ty_wire_send(k->fd, TY_WIRE_START, ty_buf_str(&body), fds, n);
    if (r < 0)
        return ty_fail(err, r, "cannot start a process in the pod: %s",
                       r == -EPIPE ? "the pod is gone" : strerrordesc_np(-r));
    return 0;
}

int ty_shim_signal(struct ty_shim *k, uint32_t id, int sig, bool group)
{
    const int32_t body[] = { (int32_t)id, sig, group };
    return ty_wire_send(k->fd, TY_WIRE_SIGNAL, (struct ty_str){ (const char *)body, sizeof(body) },
                        NULL, 0);
}

int ty_shim_hold(struct ty_shim *k, int fd)
{
    return ty_wire_send(k->fd, TY_WIRE_HOLD, (struct ty_str){ 0 }, &fd, 1);
}

void ty_shim_next(struct ty_shim *k, struct ty_shim_event *ret)
{
    *ret = (struct ty_shim_event){ .what = TY_SHIM_NOTHING };
    if (k->gone)
        return;
    int r = ty_shim_event_recv(k->fd, ret);
    if (r < 0 && r != -EAGAIN)
        *ret = (struct ty_shim_event){ .what = TY_SHIM_GONE, .code = -r };
    else if (r == 0)
        ret->what = TY_SHIM_GONE;
    k->gone = ret->what == TY_SHIM_GONE;
}
