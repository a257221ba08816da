/* The client of a Kubernetes API server on the program's libuv loop: reads, writes, lists and
 * watches objects by kind, namespace and name, and never blocks. Requests have JSON text; responses
 * have text and tree.
 *
 *   ty_kube_start ---> (limiter) ---> (credentials) ---> request ---> response ---> fn, once
 *                          ^                                 | 429, 503 with Retry-After, 401 once
 *                          +---------------------------------+
 *
 * Ownership. Everything in a request is borrowed for the call and copied. Arguments of a callback
 * are borrowed until it returns. A struct ty_kube_op lives until its `fn` or `end` returns, or
 * until ty_kube_cancel. Callbacks come from the loop, never inside the call that started or
 * canceled something; `fn` and `end` exactly once, unless the operation is canceled: then no
 * callback follows. Callbacks may start and cancel anything, including their own operation, but
 * must not free the client. Single-threaded. Every request has a timeout: see `timeout_ms`.
 *
 * Connections: lists and watches share one (HTTP/2, one stream for each watch; more connections if
 * the server limits the number of streams), so that a write never waits behind a long list; fenced
 * writes share another, which is reset when the fence closes; container logs share a third, opened
 * with the first of them; everything else shares a fourth. Logs are apart because of their size:
 * megabytes of them would arrive before an event of a watch that the server sent later, and fill
 * the window that all streams of a connection share. Without HTTP/2 every watch and every log has
 * its own connection, and fenced and other requests for one object use up to 8 connections each. A
 * connection whose peer is silent when it should send is abandoned, and later requests use a new
 * one. */
#ifndef TY_STORE_KUBE_KUBE_H
#define TY_STORE_KUBE_KUBE_H

#include "api/kind.h"
#include "base/err.h"
#include "net/fence.h"
#include "store/kube/kubeconfig.h"
#include "json/json.h"

struct uv_loop_s;
struct ty_kube;
struct ty_kube_op;

/* The end of one request, or of an attempt that could not be sent. */
struct ty_kube_request_result {
    const char *method; /* a literal */
    int code;           /* HTTP status; 0: no response */
    bool whole;         /* the response is complete */
    bool watch;         /* it may have started long ago */
    bool log;           /* of a container: the kubelet's answer, or its silence */
    bool again;         /* it will be sent again: 429, 503 or 401 */
    const char *text;   /* the error message if it is not complete; else NULL */
};

struct ty_kube_settings {
    struct uv_loop_s *loop;             /* outlives the client */
    const struct ty_kubeconfig *config; /* outlives the client */
    const char *agent;                  /* User-Agent; outlives the client */
    double qps;         /* average requests in a second; 0: no limit. Watches are not counted */
    int burst;          /* maximal burst; 0: as many as qps, at least one */
    int64_t timeout_ms; /* of an operation, including retries and waits; 0: TY_KUBE_TIMEOUT_MS */
    int64_t idle_ms;    /* a watch whose peer sends nothing for so long, not even answers to pings
                           (HTTP/2), is closed; 0: TY_KUBE_IDLE_MS */
    int64_t dead_ms;    /* a connection whose bytes or probes are not acknowledged for so long is
                           closed; 0: TY_KUBE_DEAD_MS */
    bool http1;         /* no HTTP/2: every watch has its own connection */
    /* A person has started this: exec credential plugins may prompt on the terminal, as far as
     * their interactiveMode and standard input allow (the rules of client-go). On a terminal they
     * may take as long as that person, and the timeouts of operations wait for them. For commands,
     * never for the operator. */
    bool interactive;
    struct ty_budget *budget; /* memory for responses; outlives the client. NULL: none */
    struct ty_fence fence;    /* for requests that are `fenced` */
    /* Called for the end of every request, each attempt separately, from the loop; not for requests
     * that are canceled, by the caller or by the fence, nor for a watch that an ERROR event ends.
     * Must not start or cancel anything. May be NULL. */
    void (*seen)(void *ctx, const struct ty_kube_request_result *seen);
    void *ctx;
};
#define TY_KUBE_TIMEOUT_MS 30000
#define TY_KUBE_IDLE_MS    90000 /* the API server sends a bookmark every minute, if it has any */
#define TY_KUBE_DEAD_MS    30000

/* gives. Loads libraries; does not connect yet. -EINVAL, -ENOENT with a message. */
int ty_kube_new(struct ty_kube **ret, const struct ty_kube_settings *s, struct ty_err *err);
/* takes. Cancels everything. The loop must run once more before it is closed (uv_run until it
 * returns 0), because libuv closes its handles there. NULL is fine. */
void ty_kube_free(struct ty_kube *k);
const struct ty_kubeconfig *ty_kube_config(const struct ty_kube *k);
struct ty_budget *ty_kube_budget(const struct ty_kube *k); /* from the settings; may be NULL */

/* A plugin that may prompt is running: leave the terminal to it. */
bool ty_kube_is_prompting(const struct ty_kube *k);

/* The result of an operation. `r` is for the program; `code` and `reason` are the server's.
 *   0               done
 *   -ENOENT         404: no such object, or no such kind
 *   -EEXIST         409 AlreadyExists
 *   -ESTALE         409 Conflict: resourceVersion, uid, or a field that another manager owns
 *   -EIDRM          410 Gone, Expired: the resourceVersion is too old, start with a list
 *   -EINVAL         400, 413, 422: the request is invalid, a retry does not help
 *   -EACCES         401, 403
 *   -EAGAIN         429, 500, 502, 503, 504 or no response: retry later. After a lost response a
 *                   write may have been executed
 *   -ECANCELED      it is fenced, and the fence is closed. A write that was sent may have been
 *                   executed
 *   -EFBIG          the response is too long, or too large as a tree, or a list has more than 2000
 *                   pages; a write has been executed
 *   -EPROTO         anything else, such as a response that is not JSON
 *
 * A refused certificate, a missing exec plugin and the like are -EAGAIN, too: they can be fixed
 * while the program runs. */
struct ty_kube_response {
    int r;
    int code;                   /* HTTP status, or that of a watch's ERROR; 0: no answer */
    struct ty_str reason;       /* metav1.Status: "NotFound", "AlreadyExists", ...; may be empty */
    struct ty_str message;      /* a message for people, at most 4 KB; empty if r is 0 */
    int64_t retry_after_ms;     /* requested by the server; 0 none */
    struct ty_str text;         /* the body: an object, or the Status. Not for lists and watches */
    const struct ty_json *json; /* the same, parsed; NULL: none, or not JSON */
    struct ty_str version;      /* resourceVersion of the object, or of the list; else empty */
};
typedef void ty_kube_fn(void *ctx, const struct ty_kube_response *answer);

/* One object. */

enum ty_kube_verb {
    TY_KUBE_GET,
    TY_KUBE_CREATE, /* name: empty, it is in the body. Reviews have result 0, too */
    TY_KUBE_UPDATE, /* conditional if the body has metadata.resourceVersion */
    TY_KUBE_MERGE,  /* JSON merge patch */
    TY_KUBE_APPLY,  /* server-side apply: manager, force */
    TY_KUBE_DELETE, /* the body is built from uid, version, propagation */
};
struct ty_kube_request {
    enum ty_kube_verb verb;
    const struct ty_kind *kind;
    struct ty_str ns, name; /* ns: ignored for cluster-scoped kinds */
    const char *sub;        /* "status", "token", ...; NULL: the object itself */
    struct ty_str body;     /* JSON */
    const char *path;       /* instead of kind, ns, name, sub: "/version", with a query if any */
    const char *manager; /* field manager; NULL: the server uses the first word of the user agent */
    bool force;          /* APPLY: force conflicts */
    bool meta;           /* request PartialObjectMetadata */
    bool raw;            /* do not parse the object: fn gets its text, but no json */
    bool dry_run;
    struct ty_str uid, version; /* DELETE: preconditions; may be empty */
    const char *propagation;    /* DELETE: "Foreground", "Background", "Orphan"; NULL: default */
    int64_t timeout_ms;         /* 0: the client's */
    bool unlimited;             /* exempt from the rate limiter */
    int tries; /* maximal retries of 429 and 503 within the timeout; 0: 10; -1: none */
    /* Must not be sent once the client's fence is closed, however long it waits: for the limiter,
     * for credentials, for Retry-After, for a connection or its window. */
    bool fenced;
    ty_kube_fn *fn; /* may be NULL */
    void *ctx;
};
/* Never fails: errors are reported to fn. The operation lives until fn returns. */
struct ty_kube_op *ty_kube_start(struct ty_kube *k, const struct ty_kube_request *ask);
/* NULL is fine. The server may have executed the request. */
void ty_kube_cancel(struct ty_kube_op *op);

/* Called when the fence closes: cancels all fenced operations and resets their connection, so that
 * no more bytes are sent. Each gets -ECANCELED, from the loop. Returns the number of operations
 * canceled since the last call, including those that the fence stopped itself. */
size_t ty_kube_cancel_fenced(struct ty_kube *k);

/* Lists and watches. src/store/kube/reflector.h is built on them; use that if possible. */

struct ty_kube_object {
    const struct ty_json *json; /* strings point into text */
    struct ty_str text; /* compact JSON, as the server sent it; if cut: what is left of it */
    /* From its metadata. Items of lists have neither kind nor apiVersion. */
    struct ty_str ns, name, uid, version;
    bool cut; /* too large to be parsed: its large members are null (store/kube/truncate.h) */
};
/* From a parsed response and its text. The strings of the metadata are borrowed. */
void ty_kube_object_init(const struct ty_json *json, struct ty_str text,
                         struct ty_kube_object *ret);
struct ty_kube_selector {
    const struct ty_kind *kind;
    struct ty_str ns;             /* empty: all */
    struct ty_str labels, fields; /* selectors as in kubectl; may be empty */
    bool meta;                    /* PartialObjectMetadata: no spec, no status, no data */
    bool cut; /* deliver objects that are too large as `cut`; otherwise they end the operation */
};

struct ty_kube_list {
    struct ty_kube_selector which;
    int page;              /* objects in one request; 0: 500 */
    struct ty_str version; /* of the first page: empty: the newest; "0": from the server's cache, in
                              one page */
    /* Called for each object as soon as it has arrived: a page is never in memory as a whole. */
    void (*object)(void *ctx, const struct ty_kube_object *o);
    /* The list expired between two pages (410): it starts again, discard the objects so far. If
     * NULL, or after ten times, the operation ends with -EIDRM instead. */
    void (*again)(void *ctx);
    ty_kube_fn *end; /* response->version: start a watch from there */
    void *ctx;
};
struct ty_kube_op *ty_kube_list(struct ty_kube *k, const struct ty_kube_list *list);

enum ty_kube_event {
    TY_KUBE_ADDED,
    TY_KUBE_MODIFIED,
    TY_KUBE_DELETED,  /* o: its last state; o->version: that of the deletion */
    TY_KUBE_BOOKMARK, /* o: only version; no older event will follow */
};
struct ty_kube_watch {
    struct ty_kube_selector which;
    struct ty_str version; /* events after this version; from a list */
    int64_t seconds;       /* server-side timeout; 0: 5 to 10 minutes, at random */
    void (*event)(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o);
    ty_kube_fn *end; /* r: 0 the server ended it normally, -EIDRM: list again */
    void *ctx;
};
struct ty_kube_op *ty_kube_watch(struct ty_kube *k, const struct ty_kube_watch *watch);

/* The log of a container, as the kubelet has it: text in chunks that need not end at a line. The
 * text is streamed and never collected. `data` is synchronous: while it runs, the loop waits, and
 * the server with it. A reader that blocks (a pager, a stopped terminal) is no reason for a
 * timeout, but belongs into a process that does nothing else.
 *
 * Timeouts: without `follow` the client's, counted anew whenever bytes arrive. With `follow` none
 * once the request is sent, not even for the status: the kubelet sends it with the first line,
 * which may take hours. A peer that disappears is noticed within dead_ms. */
struct ty_kube_log {
    struct ty_str ns, pod, container; /* container empty: the only one, or the default one */
    bool follow;                      /* until the container ends */
    bool previous;                    /* of the instance before the last restart */
    bool timestamps;                  /* RFC 3339 and a blank before each line */
    int64_t since_s;                  /* 0: from the beginning; at most so old */
    struct ty_str since_time; /* instead of since_s, to resume: RFC 3339, as a line begins with */
    int64_t tail_lines;       /* -1: all; 0: none of those that exist now */
    /* At most TY_KUBE_LOG_BYTES, at least one. */
    void (*data)(void *ctx, struct ty_str chunk);
    /* r 0: the log, or what was asked for of it, is complete, or the followed container has ended;
     * code 204: the pod is on no node yet. -ENOENT: no such pod. -EINVAL with the server's message:
     * the container is waiting to start, has no previous instance, does not exist, or must be
     * named because the pod has several. -EACCES: no right to get pods/log. -EAGAIN: the connection
     * was lost, or the kubelet does not answer; after `data`, what was delivered is only the
     * beginning. */
    ty_kube_fn *end;
    void *ctx;
};
#define TY_KUBE_LOG_BYTES ((size_t)16 << 10)
struct ty_kube_op *ty_kube_log(struct ty_kube *k, const struct ty_kube_log *log);

/* For logs and metrics: requests since the start, each attempt counted. */
uint64_t ty_kube_requests(const struct ty_kube *k);

#endif
