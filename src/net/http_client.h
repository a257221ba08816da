/* The HTTP client, on a libuv loop: streamed responses, HTTP/2, peers that disappear. Requests to
 * one peer share a connection if HTTP/2 allows it. HTTP/2 uses nghttp2 and GnuTLS if `h2` is set;
 * libcurl does the rest: HTTP/1.1, plain HTTP, proxies, redirects, downloads. A struct
 * ty_http_client is a set of connections: requests that must not wait for each other use different
 * ones. */
#ifndef TY_NET_HTTP_CLIENT_H
#define TY_NET_HTTP_CLIENT_H

#include <uv.h>

#include "base/err.h"
#include "base/str.h"
#include "net/fence.h"

struct ty_http_client;
struct ty_http_client_call;

struct ty_http_client_settings {
    uv_loop_t *loop;
    const char *agent;  /* User-Agent; outlives it */
    int64_t connect_ms; /* timeout for connecting, TLS included */
    int64_t dead_ms; /* bytes unacknowledged or probes unanswered for so long: the peer is dead */
    struct ty_fence fence; /* for all of its calls */
    bool h2; /* use one HTTP/2 connection for a peer that supports it and is not behind a proxy */
    /* For libcurl: */
    bool http1;      /* no HTTP/2 */
    int connections; /* maximum for one peer; further calls wait; 0: no limit */
    int64_t stall_s; /* for downloads: a transfer slower than 1 kB a second times out after this.
                        They get large buffers, and do not wait for each other's connection to be
                        shared over HTTP/2. 0: none */
};
/* gives. -ENOENT: without `h2`, libcurl is missing. */
int ty_http_client_new(struct ty_http_client **ret, const struct ty_http_client_settings *s,
                       struct ty_err *err);
/* takes; drops running calls without calling `end`. The loop must run once more before it is
 * closed. Not from a callback. NULL is fine. */
void ty_http_client_free(struct ty_http_client *w);
/* Later calls use new connections; running calls continue. Done automatically when a call times
 * out. */
void ty_http_client_renew(struct ty_http_client *w);

/* Drops all calls without calling `end`, and resets the connections. May be called from a callback:
 * its call is freed by the time the callback returns. Later calls use new connections. */
void ty_http_client_reset(struct ty_http_client *w);

struct ty_aws_key { /* for AWS signature version 4 */
    const char *id, *secret, *region, *service;
};

/* How to reach and verify the peer. Files are PEM; all may be NULL. Outlives the calls. */
struct ty_http_client_peer {
    const char *ca_file;       /* NULL: the system's */
    const char *proxy_ca_file; /* of a proxy that is reached over https; NULL: the system's */
    const char *cert_file, *key_file;
    const char *proxy;        /* NULL: from the environment; "": none */
    const char *to;           /* connect to this host:port instead of the URL's */
    bool insecure;            /* accept any certificate */
    int (*socket)(void *ctx); /* makes the sockets, for IPv4; NULL: socket(). Not with `h2` */
    void *socket_ctx;
    const struct ty_aws_key *key; /* signs the requests, without `h2` only */
};

struct ty_http_client_result {
    int status;  /* of the response; 0 none. Valid even if the response is incomplete */
    bool whole;  /* the response is complete */
    bool fenced; /* not whole, and the fence is closed: the request may or may not have been sent */
    bool lost;   /* of libcurl: not whole, and a retry may help. Not so with a bad address or
                    certificate, a forbidden redirect, or if `piece` refused the body */
    const char *text; /* the error message, if not whole */
};

/* Everything is copied, except peer. */
struct ty_http_client_request {
    const char *method, *url;
    const char *const *headers; /* "Name: value", ends with NULL; or NULL */
    struct ty_str body;         /* empty: none */
    const struct ty_http_client_peer *peer;
    bool redirects;   /* follow them, without `h2` only: from https to https alone, and without
                         Authorization to another host */
    int64_t total_ms; /* timeout; 0: none */
    /* Timeout without data; 0: none. Without any of them only the end of the connection ends the
     * call: dead_ms. Time in which the loop is blocked is not counted. */
    int64_t idle_ms;
    /* Over HTTP/2, idle_ms is the timeout without any byte from the peer, which is pinged in the
     * meantime: for a response that may have nothing to say. */
    bool pings;
    /* Called with each chunk of the last response's body. A negative result ends the call: not
     * whole, "unwanted". */
    int (*piece)(void *ctx, struct ty_http_client_call *call, struct ty_str piece);
    void (*end)(void *ctx, struct ty_http_client_call *call,
                const struct ty_http_client_result *end);
    void *ctx;
};
/* Starts a call. Callbacks come from the loop, never from here; `end` exactly once, and the call is
 * freed when it returns. May be called from callbacks. */
struct ty_http_client_call *ty_http_client_start(struct ty_http_client *w,
                                                 const struct ty_http_client_request *ask);
/* Frees the call; no more callbacks. May be called from callbacks, also from the call's own
 * `piece`, but not from its `end`. */
void ty_http_client_cancel(struct ty_http_client_call *call);
/* For `piece` and `end`. */
int ty_http_client_status(const struct ty_http_client_call *call);
const char *ty_http_client_header(const struct ty_http_client_call *call,
                                  const char *name); /* or NULL */

#endif
