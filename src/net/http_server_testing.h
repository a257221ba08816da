/* For tests: a server in this process, and a client in a thread. */
#ifndef TY_NET_HTTP_SERVER_TESTING_H
#define TY_NET_HTTP_SERVER_TESTING_H

#include "net/http_server.h"
#include "net/testing.h"

#include <errno.h>
#include <stdatomic.h>

struct ty_talk { /* sends, then reads until the server closes */
    pthread_t thread;
    int port;
    const char *send;
    char got[65536]; /* /metrics has 34 kB */
    size_t n;
    atomic_bool done;
};

static inline void *talk_run(void *ctx)
{
    struct ty_talk *t = ctx;
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr = { htonl(INADDR_LOOPBACK) },
                              .sin_port = htons((uint16_t)t->port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
        send(fd, t->send, strlen(t->send), MSG_NOSIGNAL) >= 0) {
        ssize_t got = 1;
        while (got > 0 && t->n + 1 < sizeof(t->got)) {
            got = read(fd, t->got + t->n, sizeof(t->got) - 1 - t->n);
            t->n += got > 0 ? (size_t)got : 0;
        }
    }
    close(fd);
    t->done = true;
    return NULL;
}

static inline void talk_start(struct ty_talk *t, int port, const char *text)
{
    memset(t, 0, sizeof(*t));
    t->port = port;
    t->send = text;
    assert_int_equal(pthread_create(&t->thread, NULL, talk_run, t), 0);
}

static inline void talk_tick(uv_timer_t *t)
{
    (void)t;
}

/* Runs the loop until the server has closed the client's connection. */
static inline const char *talk_end(struct ty_talk *t, uv_loop_t *loop)
{
    uv_timer_t tick; /* wakes the loop for the end of the client */

    uv_timer_init(loop, &tick);
    uv_timer_start(&tick, talk_tick, 5, 5);
    while (!t->done)
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
    pthread_join(t->thread, NULL);
    return t->got;
}

/* One exchange. */
static inline const char *talk(struct ty_talk *t, uv_loop_t *loop, int port, const char *text)
{
    talk_start(t, port, text);
    return talk_end(t, loop);
}

/* ---- a client that the test drives step by step, in its own thread ---- */

static inline int raw_open(int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr = { htonl(INADDR_LOOPBACK) },
                              .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static inline void raw_send(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* The other side gets an error, not an orderly close. */
static inline void raw_reset(int fd)
{
    const struct linger at_once = { .l_onoff = 1 };

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
}

/* True: the server has closed the connection. What it sent before is discarded. */
static inline bool raw_ended(int fd)
{
    char junk[4096];
    ssize_t n = 1;

    while (n > 0)
        n = recv(fd, junk, sizeof(junk), MSG_DONTWAIT);
    return n == 0 || (errno != EAGAIN && errno != EINTR);
}

/* Runs the loop until the condition holds. */
static inline void loop_until(uv_loop_t *loop, bool (*holds)(void *ctx), void *ctx)
{
    uv_timer_t tick;

    uv_timer_init(loop, &tick);
    uv_timer_start(&tick, talk_tick, 2, 2);
    while (!holds(ctx))
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
}

/* Only handles that close themselves may be left on the loop. */
static inline void loop_end(uv_loop_t *loop)
{
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

/* A server on its own loop, and its client. */
struct serve_world {
    uv_loop_t loop;
    struct ty_http_server *s;
    struct ty_talk t;
};

static inline void serve_begin(struct serve_world *w, struct ty_http_server_opts o)
{
    uv_loop_init(&w->loop);
    o.loop = &w->loop;
    o.address = "127.0.0.1";
    assert_int_equal(ty_http_server_new(&o, &w->s, NULL), 0);
}

static inline const char *serve_talk(struct serve_world *w, const char *text)
{
    return talk(&w->t, &w->loop, ty_http_server_port(w->s), text);
}

static inline void serve_finish(struct serve_world *w)
{
    ty_http_server_free(w->s);
    loop_end(&w->loop);
}

/* For a test whose state is on the heap and begins with one. */
static inline int serve_teardown(void **state)
{
    serve_finish(*state);
    free(*state);
    return 0;
}

#endif
