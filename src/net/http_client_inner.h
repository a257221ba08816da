/* What the files of the HTTP client share. http_client.c has the calls and their time; a call goes
 * over a connection of http_client_h2.c (HTTP/2) or, where that cannot be, over libcurl:
 * http_client_curl.c makes a call's options, http_client_pool.c has libcurl's connections on the
 * loop. */
#ifndef TY_NET_HTTP_CLIENT_INNER_H
#define TY_NET_HTTP_CLIENT_INNER_H

#include "base/buf.h"
#include "net/curl.h"
#include "net/dns_lookup.h"
#include "net/gnutls.h"
#include "net/h2.h"
#include "net/http_client.h"
#include "net/http_endpoint.h"

#define SPARE_HANDLES 32 /* kept for the next calls: making one costs more than a short request */

/* Connections that are used together: a libcurl multi handle. Outlives its web while libuv closes
 * its handles. */
struct ty_http_client_pool {
    struct ty_http_client_pool *next;
    struct ty_http_client *web; /* NULL: closing */
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer;
    struct sock *socks;
    size_t calls;    /* that are in it */
    unsigned open;   /* handles of libuv that are not closed yet */
    unsigned inside; /* libcurl is on the stack: it must not be called again */
};

struct ty_http_client_conn; /* http_client_h2.c: an HTTP/2 connection */

struct ty_http_client {
    struct ty_http_client_settings set;
    struct ty_http_client_call *calls; /* under way */
    uv_timer_t *timer; /* of their time. On the heap: it outlives us while it closes */
    uint64_t due_ms;   /* of the timer; UINT64_MAX: it rests */
    /* libcurl */
    struct ty_curl curl;
    struct ty_http_client_pool
        *pools; /* the first is for new calls; the others see their calls off */
    struct ty_http_client_call *fresh, **fresh_end; /* not yet told to libcurl, oldest first */
    bool cancelled;                                 /* some call is, and not yet freed */
    CURL *spare[SPARE_HANDLES];
    size_t n_spare;
    /* HTTP/2 */
    struct ty_gnutls gnutls;
    struct ty_nghttp2 nghttp2;
    struct ty_dns_lookups lookups;
    struct ty_http_client_conn *lines;
    uv_prepare_t *flush;                      /* on the heap, too */
    char without[TY_HTTP_ENDPOINT_AUTHORITY]; /* the peer that was found to have no HTTP/2; "" none
                                               */
};

struct ty_http_client_call {
    struct ty_http_client_call *next, **at; /* of web->calls or web->fresh */
    struct ty_http_client *web;
    struct ty_http_client_request ask; /* its strings are in text */
    uint64_t begun_ms;                 /* loop time */
    uint64_t heard_ms;                 /* of the last byte, or of the start */
    bool cancelled, unwanted;
    bool ending;     /* its end is being told: freed when that returns, and not before */
    bool cut;        /* it is being ended because the fence is closed */
    bool mistrusted; /* its peer is no server */
    char *hopeless;  /* why it cannot even begin, or NULL */
    /* Over libcurl */
    struct ty_http_client_pool *pool; /* NULL: waits to be added */
    CURL *easy;
    struct curl_slist *headers, *to;
    char *error; /* of CURL_ERROR_SIZE */
    /* Over HTTP/2 */
    struct ty_http_client_conn *line;
    struct ty_http_client_call *line_next, **line_at; /* of those on it */
    const char *path;                                 /* in the URL */
    int32_t stream;                                   /* 0: waits for the connection */
    int status, tries;
    bool sent;            /* the server may have seen it */
    struct ty_buf answer; /* the head: "name\0value\0", again and again */
    char text[];
};

/* http_client.c */
void ty_http_client_begin(
    struct ty_http_client_call *call); /* a call that is in no list, the way that is open */
/* Ends a call: tells it, and frees it. */
void ty_http_client_finish(struct ty_http_client_call *call,
                           const struct ty_http_client_result *end);
void ty_http_client_link(struct ty_http_client_call **list, struct ty_http_client_call *call);
void ty_http_client_unlink(struct ty_http_client_call *call);

/* http_client_curl.c */
int ty_http_client_curl_load(struct ty_http_client *w,
                             struct ty_err *err);                 /* once; then it is there */
void ty_http_client_curl_start(struct ty_http_client_call *call); /* a call that is in no list */
void ty_http_client_curl_drop(struct ty_http_client_call *call);  /* libcurl forgets it */
void ty_http_client_curl_run_deferred(
    struct ty_http_client *w); /* outside of libcurl: starts and closes what waits */
void ty_http_client_curl_fenced(
    struct ty_http_client *w); /* outside of libcurl: ends its calls, resets them all */
void ty_http_client_curl_reset(
    struct ty_http_client *w); /* all connections; calls have been cancelled */
void ty_http_client_curl_free(struct ty_http_client *w);
bool ty_http_client_curl_inside(const struct ty_http_client *w);
/* After libcurl has moved, outside of it. */
void ty_http_client_curl_settle(struct ty_http_client_pool *p);

/* http_client_pool.c */
struct ty_http_client_pool *ty_http_client_pool_new(struct ty_http_client *w);
void ty_http_client_pool_close(struct ty_http_client_pool *p); /* takes; no calls in it any more */
/* libcurl has made a socket for a connection. False: it cannot be waited for. */
bool ty_http_client_pool_opened(struct ty_http_client_pool *p, curl_socket_t fd);
int ty_http_client_pool_closes(void *pool, curl_socket_t fd); /* for libcurl: closes it */
void ty_http_client_pool_cut(struct ty_http_client_pool *p);  /* resets its connections */
/* Before libcurl closes connections: it says goodbye over them, and before that what is left of a
 * record. Behind a closed fence they are cut. */
void ty_http_client_pool_guard(struct ty_http_client_pool *p);

/* http_client_h2.c */
int ty_http_client_h2_load(struct ty_http_client *w, struct ty_err *err);
/* Starts it, unless its peer is one for libcurl. */
bool ty_http_client_h2_start(struct ty_http_client_call *call);
void ty_http_client_h2_drop(struct ty_http_client_call *call); /* the connection forgets it */
bool ty_http_client_h2_is_old(
    const struct ty_http_client_call *call); /* its connection takes no more calls */
void ty_http_client_h2_renew(struct ty_http_client *w);
void ty_http_client_h2_reset(
    struct ty_http_client *w); /* all connections; calls have been cancelled */
void ty_http_client_h2_free(struct ty_http_client *w);

#endif
