/* For tests: a scripted server on the loopback interface. */
#ifndef TY_NET_TESTING_H
#define TY_NET_TESTING_H

#include "base/port_testing.h"
#include "base/str.h"

#include <pthread.h>

/* Answers each connection with the next of `answers`, byte for byte, and closes it. */
struct ty_peer {
    pthread_t thread;
    int fd;
    char url[64];
    const char *const *answers; /* ends with NULL */
    char asked[24][2048];       /* what was received: head and body */
    size_t n;
};

/* Whether the headers, and as much body as they announce, have arrived. */
static inline bool peer_has_all(const char *got, size_t n)
{
    static const char name[] = "\r\nContent-Length: ";
    const char *end = strstr(got, "\r\n\r\n"), *length = strcasestr(got, name);
    size_t body = 0;
    if (end && length && length < end)
        body = strtoul(length + sizeof(name) - 1, NULL, 10);
    return end && n >= (size_t)(end - got) + 4 + body;
}

static inline void *peer_run(void *ctx)
{
    struct ty_peer *p = ctx;
    for (; p->answers[p->n]; p->n++) {
        int c = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
        if (c < 0)
            break;
        size_t at = 0;
        char *to = p->asked[p->n];
        while (at + 1 < sizeof(p->asked[0]) && !peer_has_all(to, at)) {
            ssize_t got = read(c, to + at, sizeof(p->asked[0]) - 1 - at);
            if (got <= 0)
                break;
            at += (size_t)got;
        }
        struct ty_str rest = ty_str(p->answers[p->n]);
        while (rest.n) {
            ssize_t put = send(c, rest.p, rest.n, MSG_NOSIGNAL);
            if (put <= 0)
                break;
            rest = (struct ty_str){ rest.p + put, rest.n - (size_t)put };
        }
        shutdown(c, SHUT_WR);
        char junk[256];
        while (read(c, junk, sizeof(junk)) > 0) /* until the client closes: avoids a reset */
            ;
        close(c);
    }
    return NULL;
}

static inline void peer_start(struct ty_peer *p, const char *const *answers)
{
    int port = 0;
    memset(p, 0, sizeof(*p));
    p->answers = answers;
    p->fd = port_take(16, &port);
    snprintf(p->url, sizeof(p->url), "http://127.0.0.1:%d", port);
    assert_int_equal(pthread_create(&p->thread, NULL, peer_run, p), 0);
}

static inline void peer_stop(struct ty_peer *p)
{
    shutdown(p->fd, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->fd);
}

#endif
