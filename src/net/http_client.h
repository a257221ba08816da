/* HTTP requests on the program's libuv loop, for what runs long: answers that never end, HTTP/2,
 * peers that die without a word. (src/net/http_multi.h is for commands that do nothing but
 * download.) Requests to one peer share a connection where HTTP/2 allows it. Over HTTP/2 bytes go
 * by nghttp2 and GnuTLS, if so set; libcurl does the rest: HTTP/1.1, plain HTTP, proxies. A struct
 * ty_http_client is a set of connections: what must not wait for each other gets one each. */
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
    const char *agent;     /* User-Agent; outlives it */
    int64_t connect_ms;    /* time to reach a peer, TLS included */
    int64_t dead_ms;       /* bytes unacknowledged or probes unanswered for so long: it is dead */
    struct ty_fence fence; /* around all of its calls */
    bool h2; /* one HTTP/2 connection to a peer that can be reached directly and has it */
    /* Of libcurl: */
    bool http1;      /* no HTTP/2 */
    int connections; /* to one peer; calls beyond what they carry wait; 0: any number */
};
/* gives. -ENOENT: a library is missing. */
int ty_http_client_new(struct ty_http_client **ret, const struct ty_http_client_settings *s,
                       struct ty_err *err);
/* takes; drops the calls under way, `end` is not called. The loop must turn once more before it is
 * closed. Not from a callback. NULL is fine. */
void ty_http_client_free(struct ty_http_client *w);
/* Calls from now on go over new connections; those under way go on as they are. Happens by itself
 * when a call ends for want of an answer. */
void ty_http_client_renew(struct ty_http_client *w);

/* Ends all calls, without a word, and resets the connections. From a callback of its own, the one
 * whose callback it is goes when that returns. Calls that are begun afterwards use new ones. */
void ty_http_client_reset(struct ty_http_client *w);

/* How to reach and know the peer. Files are PEM; all may be NULL. Outlives the calls. */
struct ty_http_client_peer {
    const char *ca_file; /* NULL: the system's */
    const char *cert_file, *key_file;
    const char *proxy; /* NULL: as the environment says; "": none */
    const char *to;    /* connect to this host:port instead of the URL's */
    bool insecure;     /* believe any certificate */
};

struct ty_http_client_result {
    int status;       /* of the answer; 0 none. Valid also when it was cut */
    bool whole;       /* the answer came to its end */
    bool fenced;      /* it did not, and the fence is closed: it may have been sent, or not */
    const char *text; /* else: what went wrong, for people */
};

/* Everything is copied, but for peer. */
struct ty_http_client_request {
    const char *method, *url;
    const char *const *headers; /* "Name: value", ends with NULL; or NULL */
    struct ty_str body;         /* empty: none */
    const struct ty_http_client_peer *peer;
    int64_t total_ms; /* 0: as long as it takes; then idle_ms must be set */
    int64_t idle_ms;  /* longest time without a byte; 0: any */
    /* A piece of the body, in order. Negative ends the call: not whole, "unwanted". */
    int (*piece)(void *ctx, struct ty_http_client_call *call, struct ty_str piece);
    void (*end)(void *ctx, struct ty_http_client_call *call,
                const struct ty_http_client_result *end);
    void *ctx;
};
/* Begins. Callbacks come from the loop, never from here; `end` exactly once, the call is gone when
 * it returns. May be called from callbacks. */
struct ty_http_client_call *ty_http_client_start(struct ty_http_client *w,
                                                 const struct ty_http_client_request *ask);
/* No callback comes any more; the call is gone. May be called from callbacks, also from the call's
 * own `piece`; not from its `end`. */
void ty_http_client_cancel(struct ty_http_client_call *call);
/* For `piece` and `end`. */
int ty_http_client_status(const struct ty_http_client_call *call);
const char *ty_http_client_header(const struct ty_http_client_call *call,
                                  const char *name); /* or NULL */

#endif
