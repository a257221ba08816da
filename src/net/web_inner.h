/* What web.c (calls) and web_pool.c (connections on the loop) share. */
#ifndef TY_NET_WEB_INNER_H
#define TY_NET_WEB_INNER_H

#include "net/curl.h"
#include "net/web.h"

#define SPARE_HANDLES 32 /* kept for the next calls: making one costs more than a short request */

/* Connections that are used together: a libcurl multi handle. Outlives its web while libuv closes
 * its handles. */
struct ty_web_pool {
    struct ty_web_pool *next;
    struct ty_web *web; /* NULL: closing */
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer;
    struct sock *socks;
    size_t calls;    /* that are in it */
    unsigned open;   /* handles of libuv that are not closed yet */
    unsigned inside; /* libcurl is on the stack: it must not be called again */
};

struct ty_web {
    struct ty_curl curl;
    struct ty_web_settings set;
    struct ty_web_pool *pools; /* the first is for new calls; the others see their calls off */
    struct ty_web_call *calls;
    struct ty_web_call *fresh, **fresh_end; /* not yet told to libcurl, oldest first */
    bool cancelled;                         /* some call is, and not yet freed */
    uv_timer_t *idle;                       /* on the heap: it outlives us while it closes */
    CURL *spare[SPARE_HANDLES];
    size_t n_spare;
};

struct ty_web_call {
    struct ty_web_call *next, **at;
    struct ty_web *web;
    struct ty_web_pool *pool; /* NULL: waits to be added */
    CURL *easy;
    struct curl_slist *headers, *to;
    int64_t total_ms, idle_ms;
    uint64_t heard_ms; /* loop time of the last byte, or of the start */
    bool cancelled, unwanted, idle;
    int (*piece)(void *ctx, struct ty_web_call *call, struct ty_str piece);
    void (*end)(void *ctx, struct ty_web_call *call, const struct ty_web_end *end);
    void *ctx;
    char error[CURL_ERROR_SIZE];
    char text[]; /* the body */
};

/* web_pool.c */
struct ty_web_pool *ty_web_pool_new(struct ty_web *w);
void ty_web_pool_close(struct ty_web_pool *p); /* takes; no calls in it any more */
/* libcurl has made a socket for a connection. False: it cannot be waited for. */
bool ty_web_pool_opened(struct ty_web_pool *p, curl_socket_t fd);
int ty_web_pool_closes(void *pool, curl_socket_t fd); /* for libcurl: closes it */

/* web.c: after libcurl has moved, outside of it. */
void ty_web_settle(struct ty_web_pool *p);

#endif
