/* Serves the control socket. A client cannot exhaust the run: lines have a maximum length, replies
 * are not queued, and above the maximum number of clients the oldest is disconnected. */
#include "engine/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/run_socket.h"
#include "proc/no_links.h"
#include "json/json.h"

#define LINE_BYTES 4096
#define CLIENTS    16

struct control_client {
    uv_pipe_t pipe;
    struct ty_control_socket *c;
    struct control_client *next; /* older */
    size_t n;
    char line[LINE_BYTES];
};

struct ty_control_socket {
    uv_pipe_t pipe;
    ty_control_socket_fn *fn;
    void *ctx;
    char *path;
    struct control_client *clients; /* newest first */
    size_t n;
    int handles; /* that libuv still has */
};

static void handle_gone(struct ty_control_socket *c)
{
    if (--c->handles > 0)
        return;
    free(c->path);
    free(c);
}

static void listener_closed(uv_handle_t *h)
{
    handle_gone(h->data);
}

static void client_closed(uv_handle_t *h)
{
    struct control_client *it = h->data;
    struct ty_control_socket *c = it->c;

    free(it);
    handle_gone(c);
}

static void drop_client(struct control_client *it)
{
    for (struct control_client **at = &it->c->clients; *at; at = &(*at)->next)
        if (*at == it) {
            *at = it->next;
            it->c->n--;
            break;
        }
    uv_close((uv_handle_t *)&it->pipe, client_closed);
}

/* False if the socket buffer is full: a client that does not read gets no reply. */
static bool send_reply(struct control_client *it, struct ty_str text)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char *line = ty_arena_printf(a, "%.*s\n", TY_ARG(text));
    uv_buf_t b = uv_buf_init(line, (unsigned)text.n + 1);

    return uv_try_write((uv_stream_t *)&it->pipe, &b, 1) == (int)b.len;
}

static bool send_error(struct control_client *it, struct ty_arena *a, const char *why)
{
    struct ty_json *v = ty_json_object(a);

    ty_json_set(a, v, "error", ty_json_cstr(a, why));
    return send_reply(it, ty_json_text(a, v));
}

static bool run_command(struct control_client *it, struct ty_str line)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    const struct ty_json *order = ty_json_parse(a, line, NULL, NULL);
    struct ty_str verb = ty_json_str_at(order, "verb"), name = ty_json_str_at(order, "name");
    struct ty_err err = { 0 };

    if (!verb.n || !name.n || memchr(name.p, 0, name.n) || memchr(verb.p, 0, verb.n))
        return send_error(it, a, "an order is one line: {\"verb\":\"suspend\",\"name\":\"JOB\"}");
    if (it->c->fn(it->c->ctx, ty_arena_cstr(a, verb), ty_arena_cstr(a, name), &err) < 0)
        return send_error(it, a, err.text);
    return send_reply(it, TY_LIT("{\"ok\":true}"));
}

static void on_alloc(uv_handle_t *h, size_t hint TY_UNUSED, uv_buf_t *ret)
{
    struct control_client *it = h->data;
    *ret = uv_buf_init(it->line + it->n, (unsigned)(sizeof(it->line) - it->n));
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf TY_UNUSED)
{
    struct control_client *it = s->data;
    char *end = NULL;
    bool well = n >= 0;

    if (n > 0)
        it->n += (size_t)n;
    while (well && (end = memchr(it->line, '\n', it->n))) {
        size_t used = (size_t)(end - it->line) + 1;
        well = run_command(it, (struct ty_str){ it->line, used - 1 });
        memmove(it->line, it->line + used, it->n - used);
        it->n -= used;
    }
    if (!well || it->n == sizeof(it->line))
        drop_client(it);
}

static void on_connection(uv_stream_t *s, int status)
{
    struct ty_control_socket *c = s->data;
    struct control_client *it = status == 0 ? calloc(1, sizeof(*it)) : NULL;

    if (!it)
        return;
    uv_pipe_init(s->loop, &it->pipe, 0);
    it->c = c;
    it->pipe.data = it;
    c->handles++;
    it->next = c->clients;
    c->clients = it;
    c->n++;
    if (uv_accept(s, (uv_stream_t *)&it->pipe) < 0 ||
        uv_read_start((uv_stream_t *)&it->pipe, on_alloc, on_read) < 0) {
        drop_client(it);
        return;
    }
    if (c->n <= CLIENTS)
        return;
    while (it->next)
        it = it->next;
    drop_client(it);
}

/* sun_path has 108 bytes and the run's directory may have more: bind through /proc/self/fd/N. */
static int bind_socket(const char *dir)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int at = ty_no_links_open_last(dir, TY_DEPTH_ENTRY, O_PATH | O_DIRECTORY, 0);

    if (at < 0)
        return at;
    snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/control.sock", at);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r = fd;
    /* bind creates the file with the mode that the socket has now. */
    if (fd < 0 || fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
        r = -errno;
    if (fd >= 0 && r < 0)
        close(fd);
    close(at);
    return r;
}

int ty_control_socket_listen(uv_loop_t *loop, const char *dir, ty_control_socket_fn *fn, void *ctx,
                             struct ty_control_socket **ret, struct ty_err *err)
{
    int fd = bind_socket(dir);

    if (fd < 0)
        return ty_fail(err, fd, "%s/control.sock: %s", dir, strerrordesc_np(-fd));
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_control_socket *c = ty_xalloc(calloc(1, sizeof(*c)));
    c->fn = fn;
    c->ctx = ctx;
    c->handles = 1;
    c->path = ty_xalloc(strdup(ty_arena_printf(a, "%s/control.sock", dir)));
    uv_pipe_init(loop, &c->pipe, 0);
    c->pipe.data = c;
    int r = uv_pipe_open(&c->pipe, fd);
    if (r < 0)
        close(fd);
    else
        r = uv_listen((uv_stream_t *)&c->pipe, CLIENTS, on_connection);
    if (r < 0) {
        ty_fail(err, r, "%s/control.sock: %s", dir, uv_strerror(r));
        ty_control_socket_free(c);
        return r;
    }
    *ret = c;
    return 0;
}

void ty_control_socket_free(struct ty_control_socket *c)
{
    if (!c)
        return;
    while (c->clients)
        drop_client(c->clients);
    if (c->path)
        ty_no_links_unlink(c->path, TY_DEPTH_RUN, 0);
    uv_close((uv_handle_t *)&c->pipe, listener_closed);
}

/* ---- the client ---- */

static int exchange_line(int fd, const char *line, char *ret, size_t cap)
{
    struct timeval patience = { .tv_sec = 30 };
    size_t n = 0;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (send(fd, line, strlen(line), MSG_NOSIGNAL) != (ssize_t)strlen(line))
        return -EPIPE;
    while (n + 1 < cap && !memchr(ret, '\n', n)) {
        ssize_t got = recv(fd, ret + n, cap - 1 - n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EPIPE;
        n += (size_t)got;
    }
    return (int)n;
}

static int send_command(int fd, const char *dir, const char *verb, const char *name,
                        struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_json *order = ty_json_object(a);
    char reply[8192] = "";

    ty_json_set(a, order, "verb", ty_json_cstr(a, verb));
    ty_json_set(a, order, "name", ty_json_cstr(a, name));
    int n = exchange_line(fd, ty_arena_printf(a, "%s\n", ty_json_text(a, order).p), reply,
                          sizeof(reply));
    if (n < 0)
        return ty_fail(err, n, "the run in %s does not answer: %s", dir, strerrordesc_np(-n));
    struct ty_str line;
    ty_str_cut((struct ty_str){ reply, (size_t)n }, '\n', &line);
    const struct ty_json *v = ty_json_parse(a, line, NULL, NULL);
    if (ty_json_true_at(v, "ok"))
        return 0;
    struct ty_str why = ty_json_str_at(v, "error");
    return ty_fail(err, -EINVAL, "%.*s", TY_ARG(why.n ? why : TY_LIT("an answer without meaning")));
}

int ty_control_socket_send(const char *dir, const char *verb, const char *name, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    char *path = ty_arena_printf(a, "%s/control.sock", dir);
    int fd = ty_run_socket_connect(path, SOCK_STREAM);

    if (fd < 0)
        return ty_fail(err, fd, "%s: %s", path, strerrordesc_np(-fd));
    int r = send_command(fd, dir, verb, name, err);
    close(fd);
    return r;
}
