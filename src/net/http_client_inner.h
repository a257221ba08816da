/* Shared by the files of the HTTP client. http_client.c has the calls and their timeouts; a call
 * uses a connection of http_client_h2.c (HTTP/2) or else libcurl: http_client_options.c sets
 * the options of a call, http_client_curl.c starts and ends it, http_client_failure.c says what its
 * failures mean, http_client_pool.c integrates libcurl's connections into the loop. */
#ifndef TY_NET_HTTP_CLIENT_INNER_H
#define TY_NET_HTTP_CLIENT_INNER_H

#include "base/buf.h"
#include "base/xalloc.h"
#include "net/curl.h"
#include "net/dns_lookup.h"
#include "net/h2.h"
#include "net/http_client.h"
#include "net/http_endpoint.h"

/* A set of connections: a libcurl multi handle. Outlives its client while libuv closes its handles.
 */
struct ty_http_client_pool {
    struct ty_http_client_pool *next;
    struct ty_http_client *client; /* NULL: closing */
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer;
    struct sock *socks;
    size_t calls;    /* calls in it */
    unsigned open;   /* libuv handles that are not closed yet */
    unsigned inside; /* libcurl is running: it must not be called */
};

struct ty_http_client_conn; /* http_client_h2_inner.h: an HTTP/2 connection */

struct ty_http_client {
    struct ty_http_client_settings set;
    struct ty_http_client_call *calls; /* running calls */
    uv_timer_t *timer; /* of their timeouts. On the heap: it outlives the client while it closes */
    uint64_t due_ms;   /* of the timer; UINT64_MAX: stopped */
    /* libcurl */
    struct ty_curl curl;
    struct ty_http_client_pool *pools; /* new calls use the first; the others finish their calls */
    struct ty_http_client_call *fresh, **fresh_end; /* not yet passed to libcurl, oldest first */
    bool cancelled;                                 /* some call is canceled and not yet freed */
    /* HTTP/2 */
    struct ty_dns_lookups lookups;
    struct ty_http_client_conn *lines;
    uv_prepare_t *flush;                      /* on the heap for the same reason */
    char without[TY_HTTP_ENDPOINT_AUTHORITY]; /* the peer that was found not to support HTTP/2; ""
                                                 none */
};

struct ty_http_client_call {
    struct ty_http_client_call *next, **at; /* in client->calls or client->fresh */
    struct ty_http_client *client;
    struct ty_http_client_request ask; /* its strings are in text */
    uint64_t begun_ms;                 /* loop time */
    uint64_t heard_ms;                 /* of the last byte, or of the start */
    bool cancelled, unwanted;
    bool ending;     /* its `end` is running: freed when that returns */
    bool cut;        /* is being ended because the fence is closed */
    bool mistrusted; /* the peer's certificate is not that of a server */
    bool headed;     /* a line of headers has arrived, also of a proxy */
    bool garbled;    /* the first of them was not one of HTTP */
    char *hopeless;  /* why it cannot start, or NULL */
    /* Over libcurl */
    struct ty_http_client_pool *pool; /* NULL: not added yet */
    CURL *easy;
    struct curl_slist *headers, *to;
    char *error;    /* of CURL_ERROR_SIZE */
    char said[320]; /* what it means */
    /* Over HTTP/2 */
    struct ty_http_client_conn *conn;
    struct ty_http_client_call *conn_next, **conn_at; /* calls of the same connection */
    const char *path;                                 /* in the URL */
    int32_t stream;                                   /* 0: waits for the connection */
    int status, tries;
    bool sent;            /* the server may have seen it */
    struct ty_buf answer; /* the headers: pairs of "name\0value\0" */
    char text[];
};

/* http_client.c */
void ty_http_client_begin(struct ty_http_client_call *call); /* starts a call that is in no list */
/* Ends a call: calls `end` and frees it. */
void ty_http_client_finish(struct ty_http_client_call *call,
                           const struct ty_http_client_result *end);
void ty_http_client_link(struct ty_http_client_call **list, struct ty_http_client_call *call);
void ty_http_client_unlink(struct ty_http_client_call *call);
/* The first call of which `is` is true, or NULL. */
struct ty_http_client_call *ty_http_client_find(const struct ty_http_client *w,
                                                bool (*is)(const struct ty_http_client_call *call));

/* http_client_curl.c */
/* Loads libcurl, unless it is loaded already. */
int ty_http_client_curl_load(struct ty_http_client *w, struct ty_err *err);
void ty_http_client_curl_start(struct ty_http_client_call *call); /* a call that is in no list */
void ty_http_client_curl_drop(struct ty_http_client_call *call);  /* removes it from libcurl */
void ty_http_client_curl_run_deferred(
    struct ty_http_client *w); /* when libcurl is not running: starts and closes what is deferred */
void ty_http_client_curl_fenced(struct ty_http_client *w); /* when libcurl is not running: ends its
                                                              calls, resets its connections */
/* Resets all connections at once; the caller ends the calls. */
void ty_http_client_curl_reset(struct ty_http_client *w);
void ty_http_client_curl_free(struct ty_http_client *w);
bool ty_http_client_curl_inside(const struct ty_http_client *w);
/* After libcurl has made progress, when it is not running. */
void ty_http_client_curl_settle(struct ty_http_client_pool *p);

/* http_client_failure.c */
/* Sets text and lost of a call that has failed. */
void ty_http_client_failure_describe(struct ty_http_client_call *call, CURLcode r,
                                     struct ty_http_client_result *end);

/* http_client_options.c */
void ty_http_client_options_set(struct ty_http_client_call *call); /* also gets its handle */

/* http_client_pool.c */
struct ty_http_client_pool *ty_http_client_pool_new(struct ty_http_client *w);
void ty_http_client_pool_close(struct ty_http_client_pool *p); /* takes; without calls */
/* libcurl has opened a socket for a connection. False: it cannot be polled. */
bool ty_http_client_pool_opened(struct ty_http_client_pool *p, curl_socket_t fd);
int ty_http_client_pool_closes(void *pool, curl_socket_t fd); /* for libcurl: closes it */
void ty_http_client_pool_cut(struct ty_http_client_pool *p);  /* resets its connections */
/* Before libcurl closes connections, over which it sends the rest of a record and a close-notify:
 * resets them if the fence is closed. */
void ty_http_client_pool_guard(struct ty_http_client_pool *p);

/* http_client_h2.c and http_client_h2_conn.c */
void ty_http_client_h2_init(struct ty_http_client *w);
/* Starts it, unless its peer needs libcurl. */
bool ty_http_client_h2_start(struct ty_http_client_call *call);
void ty_http_client_h2_drop(struct ty_http_client_call *call); /* removes it from the connection */
/* Loop time of the last byte of its connection; 0: none. */
uint64_t ty_http_client_h2_heard_ms(const struct ty_http_client_call *call);
/* Whether to ping its peer, which was not pinged since that byte; false without a connection. */
bool ty_http_client_h2_can_ping(const struct ty_http_client_call *call);
/* If it can. One that is still connecting has no one to ping, and counts as pinged. */
void ty_http_client_h2_ping(struct ty_http_client_call *call);
bool ty_http_client_h2_is_old(
    const struct ty_http_client_call *call); /* its connection accepts no more calls */
void ty_http_client_h2_renew(struct ty_http_client *w);
/* All connections are reset: those with calls as soon as the caller has canceled these and calls
 * ty_http_client_h2_renew. */
void ty_http_client_h2_reset(struct ty_http_client *w);
void ty_http_client_h2_free(struct ty_http_client *w);

#endif
