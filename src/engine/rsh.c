/* The remote shell between local pods: `trainyard rsh HOST CMD` in one pod connects to a socket in
 * the run's directory, and the engine runs CMD in the pod HOST with the caller's stdin, stdout and
 * stderr. mpirun's daemons start this way, each a child of its pod's shim. */
#include "engine/rsh.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/pod/pods.h"
#include "engine/rsh_command.h"
#include "proc/regular_file.h"
#include "proc/shim.h"
#include "proc/zygote.h"

#define CLIENTS 4096

static void on_connection(uv_poll_t *poll, int status, int events);

/* Descriptors were closed: there may be room for another client. */
static void accept_again(struct ty_rsh *rsh)
{
    if (rsh->fd >= 0 && rsh->poll.data)
        uv_poll_start(&rsh->poll, UV_READABLE, on_connection);
}

static void remote_closed(uv_handle_t *h)
{
    struct ty_rsh_command *r = h->data;
    struct ty_rsh *rsh = &r->e->rsh;

    rsh->handles--;
    rsh->n--;
    close(r->fd);
    ty_buf_done(&r->command);
    free(r);
    accept_again(rsh);
}

static void remote_free(struct ty_rsh_command *r)
{
    for (struct ty_rsh_command **it = &r->e->rsh.commands; *it; it = &(*it)->next)
        if (*it == r) {
            *it = r->next;
            break;
        }
    for (int i = 0; i < 3; i++)
        if (r->fds[i] >= 0)
            close(r->fds[i]);
    r->e->rsh.handles++;
    uv_close((uv_handle_t *)&r->poll, remote_closed);
}

/* {exit code, text}: one packet, then the connection ends. */
static void send_reply(struct ty_rsh_command *r, int code, const char *text)
{
    struct ty_rsh_reply out = { .code = code, .foreign = r->foreign };

    snprintf(out.text, sizeof(out.text), "%.*s", (int)sizeof(out.text) - 1, text);
    if (send(r->fd, &out, sizeof(out), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        /* the client has exited: the reply is not needed */
    }
    remote_free(r);
}

static void begin_remote(struct ty_rsh_command *r, const char *command, size_t n)
{
    struct ty_err err = { 0 };

    r->id = TY_RSH_FIRST + r->e->rsh.next_id++;
    if (ty_rsh_command_start(r, command, n, &err) < 0)
        send_reply(r, 255, err.text);
}

/* A pod without GPUs may run mpirun before the pods of its ranks have got their GPUs: commands for
 * a waiting pod are stored until it starts. */
static void take_request(struct ty_rsh_command *r, const struct ty_rsh_request *req)
{
    char text[sizeof(((struct ty_rsh_reply *)0)->text)];

    r->pod = ty_pods_by_host(r->e, ty_str(req->host));
    r->argc = req->argc;
    r->tty = req->tty;
    memcpy(r->container, req->container, sizeof(r->container));
    if (!r->pod) {
        r->foreign = !ty_rsh_command_knows_host(r->e, ty_str(req->host));
        snprintf(text, sizeof(text), "no pod of this run is called %.200s", req->host);
        send_reply(r, 255, text);
    } else if (!req->command[0]) {
        send_reply(r, 255, "give a command: pods have no login shell");
    } else if (r->pod->plan.gated) { /* nothing removes scheduling gates locally */
        snprintf(text, sizeof(text), "%.200s has not started: it has scheduling gates", req->host);
        send_reply(r, 255, text);
    } else if (r->pod->waiting) {
        ty_buf_put(&r->command, req->command, sizeof(req->command));
    } else {
        begin_remote(r, req->command, sizeof(req->command));
    }
}

void ty_rsh_pod_started(struct ty_pod_runtime *p)
{
    for (struct ty_rsh_command *r = p->e->rsh.commands, *next = NULL; r; r = next) {
        ty_auto_buf command = { 0 };
        next = r->next;
        if (r->pod != p || !r->command.n)
            continue;
        command = r->command;
        r->command = (struct ty_buf){ 0 };
        begin_remote(r, command.p, command.n);
    }
}

/* Stores all descriptors that came with the message, so that they are closed with r; how many. */
static size_t take_fds(struct ty_rsh_command *r, struct msghdr *msg)
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(msg);
    size_t n = 0;

    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return 0;
    n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(r->fds, CMSG_DATA(c), n * sizeof(int)); /* there was room for three */
    return n;
}

static void on_request(struct ty_rsh_command *r)
{
    struct ty_rsh_request req;
    struct iovec iov = { &req, sizeof(req) };
    union {
        struct cmsghdr head; /* aligned as it wants to be */
        char room[CMSG_SPACE(3 * sizeof(int))];
    } control;
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = control.room,
                          .msg_controllen = CMSG_LEN(3 * sizeof(int)) };
    ssize_t n = recvmsg(r->fd, &msg, MSG_CMSG_CLOEXEC);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t fds = n >= 0 ? take_fds(r, &msg) : 0;
    if (n != (ssize_t)sizeof(req) || fds != 3) {
        remote_free(r);
        return;
    }
    req.host[sizeof(req.host) - 1] = req.command[sizeof(req.command) - 1] = 0;
    req.container[sizeof(req.container) - 1] = 0;
    if (req.argc > sizeof(req.command)) /* more words than bytes */
        req.argc = sizeof(req.command);
    take_request(r, &req);
}

static void on_remote(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_rsh_command *r = poll->data;
    char c;

    if (!r->pod) {
        on_request(r);
        return;
    }
    /* The client sends nothing after its request. When it disconnects, its command is killed. */
    if (recv(r->fd, &c, 1, MSG_DONTWAIT) == 0) {
        if (!r->command.n) {
            ty_shim_signal(r->pod->shim, r->id, SIGHUP, true);
            ty_shim_signal(r->pod->shim, r->id, SIGKILL, true);
        }
        remote_free(r);
    }
}

/* A client has up to four descriptors: all of them have at most half of the engine's. */
static size_t max_clients(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur / 8 >= CLIENTS)
        return CLIENTS;
    return files.rlim_cur < 8 ? 1 : files.rlim_cur / 8;
}

/* Clients beyond the maximum, or without descriptors for them, wait for accept_again: the poll
 * would report them all the time. */
static void on_connection(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_engine *e = poll->data;
    bool room = e->rsh.n < max_clients();
    int fd = room ? accept4(e->rsh.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

    if (!room || (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)))
        uv_poll_stop(poll);
    if (fd < 0)
        return;
    struct ty_rsh_command *r = ty_xalloc(calloc(1, sizeof(*r)));
    *r =
        (struct ty_rsh_command){ .e = e, .fd = fd, .fds = { -1, -1, -1 }, .next = e->rsh.commands };
    e->rsh.commands = r;
    e->rsh.n++;
    uv_poll_init(e->o.loop, &r->poll, fd);
    r->poll.data = r;
    uv_poll_start(&r->poll, UV_READABLE, on_remote);
}

void ty_rsh_pod_ended(struct ty_pod_runtime *p)
{
    for (struct ty_rsh_command *r = p->e->rsh.commands, *next = NULL; r; r = next) {
        next = r->next;
        if (r->pod == p)
            send_reply(r, 255, "the pod ended");
    }
    accept_again(&p->e->rsh);
}

bool ty_rsh_on_shim_event(struct ty_pod_runtime *p, const struct ty_shim_event *n)
{
    struct ty_rsh_command *r = p->e->rsh.commands;

    if (n->what == TY_SHIM_GONE || n->id < TY_RSH_FIRST)
        return false;
    while (r && (r->pod != p || r->id != n->id))
        r = r->next;
    if (r && n->what == TY_SHIM_START_FAILED)
        send_reply(r, 127, n->text);
    else if (r && n->what == TY_SHIM_EXITED)
        send_reply(r, WIFEXITED(n->wstatus) ? WEXITSTATUS(n->wstatus) : 128 + WTERMSIG(n->wstatus),
                   "");
    return true;
}

/* bin/ssh in the run's folder, first in every pod's PATH. */
static int write_ssh(struct ty_engine *e, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char *dir = ty_arena_printf(a, "%s/bin", e->o.dir);
    char *path = ty_arena_printf(a, "%s/ssh", dir);

    int r = ty_no_links_mkdir(dir, TY_DEPTH_RUN, 0755);

    if (r < 0)
        return ty_no_links_fail(err, dir, r);
    FILE *f = ty_regular_file_fopen(path, TY_DEPTH_POD, "w");
    if (!f)
        return ty_fail(err, -errno, "%s: %s", path, ty_regular_file_error(errno));
    fprintf(f,
            "#!/bin/sh\n# Remote start inside this run, without sshd; the next ssh of PATH for all "
            "other "
            "hosts.\nexec '%s' rsh --run=\"${0%%/bin/ssh}\" \"$@\"\n",
            e->o.program);
    bool bad = fchmod(fileno(f), 0755) < 0;
    if (fclose(f) != 0 || bad)
        return ty_fail(err, -errno,
                       "%s cannot be written: %s; XDG_STATE_HOME=FOLDER puts the files of runs "
                       "elsewhere",
                       path, strerrordesc_np(errno));
    return 0;
}

int ty_rsh_listen(struct ty_engine *e, struct ty_err *err)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    ty_auto_arena *a = ty_arena_new(1 << 16);
    int r = write_ssh(e, err);

    if (r < 0)
        return r;
    /* sun_path has 108 bytes and the run's directory may have more: bind through /proc/self/fd/N.
     */
    e->rsh.path = ty_xalloc(strdup(ty_arena_printf(a, "%s/rsh.sock", e->o.dir)));
    int dir = ty_no_links_open_last(e->o.dir, TY_DEPTH_ENTRY, O_PATH | O_DIRECTORY, 0);
    snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/rsh.sock", dir);
    e->rsh.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* A client can run commands as this user, so the socket is 0600: bind creates the file with the
     * mode that the socket has now. */
    r = dir < 0 ? dir : 0;
    if (r == 0 &&
        (e->rsh.fd < 0 || fchmod(e->rsh.fd, 0600) < 0 ||
         bind(e->rsh.fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(e->rsh.fd, 128) < 0))
        r = -errno;
    if (dir >= 0)
        close(dir);
    if (r < 0)
        return ty_fail(err, r, "%s: %s", e->rsh.path, strerrordesc_np(-r));
    uv_poll_init(e->o.loop, &e->rsh.poll, e->rsh.fd);
    e->rsh.poll.data = e;
    uv_poll_start(&e->rsh.poll, UV_READABLE, on_connection);
    return 0;
}

static void listener_closed(uv_handle_t *h)
{
    struct ty_engine *e = h->data;
    e->rsh.handles--;
}

void ty_rsh_close(struct ty_engine *e)
{
    while (e->rsh.commands)
        remote_free(e->rsh.commands);
    if (e->rsh.poll.data) {
        e->rsh.handles++;
        uv_close((uv_handle_t *)&e->rsh.poll, listener_closed);
    }
    if (e->rsh.fd >= 0)
        close(e->rsh.fd);
    if (e->rsh.path)
        ty_no_links_unlink(e->rsh.path, TY_DEPTH_RUN, 0);
    free(e->rsh.path);
    e->rsh.fd = -1;
    e->rsh.path = NULL;
}
