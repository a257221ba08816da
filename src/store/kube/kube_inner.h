/* Shared by the files of the Kubernetes client: kube.c is the client, kube_op.c runs operations,
 * kube_op_response.c receives their responses, kube_request.c, kube_list.c, kube_watch.c and
 * kube_log.c create them. */
#ifndef TY_STORE_KUBE_KUBE_INNER_H
#define TY_STORE_KUBE_KUBE_INNER_H

#include <uv.h>

#include "net/http_client.h"
#include "store/kube/kube.h"
#include "store/kube/kube_auth.h"
#include "store/kube/kube_flowcontrol.h"
#include "store/kube/kube_response.h"

#define TY_KUBE_META_ONE "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

#define OBJECT_BYTES ((size_t)16 << 20) /* etcd accepts 1.5 MB, so no object is larger */

enum ty_kube_state {
    TY_KUBE_MADE,
    TY_KUBE_LIMIT,  /* waits for the rate limiter */
    TY_KUBE_CREDS,  /* waits for credentials */
    TY_KUBE_SENT,   /* sent, waits for the response */
    TY_KUBE_PAUSE,  /* waits for Retry-After */
    TY_KUBE_FAILED, /* op->error is reported next */
};

/* What differs between the kinds of operations. */
struct ty_kube_class {
    /* Called with a chunk of a response with status 200. NULL: the response is collected. Negative
     * with a message ends the operation. */
    int (*piece)(struct ty_kube_op *op, struct ty_str piece, struct ty_err *err);
    /* Called at the end. True: the operation continues, it has sent another request. NULL: fn is
     * called. */
    bool (*end)(struct ty_kube_op *op, struct ty_kube_response *answer);
    void (*free)(struct ty_kube_op *op); /* frees what follows the op in memory; may be NULL */
};

struct ty_kube_op {
    struct ty_kube_op *next, **at; /* list of all operations */
    struct ty_kube_op *later,
        **waiting; /* list of waiting operations by time; waiting NULL: not in the list */
    struct ty_kube *k;
    const struct ty_kube_class *class;
    enum ty_kube_state state;
    int64_t due_ms, deadline_ms, timeout_ms;
    int64_t asked_ms;          /* waits for a person since then; 0: does not */
    int64_t total_ms, idle_ms; /* of watches; idle_ms also of logs */
    bool pings;                /* of watches: idle_ms counts from the peer's last sign of life */
    int tries;                 /* left */
    bool reads;                /* uses the connection of lists and watches */
    bool log;                  /* uses the connection of logs; has no timeout but idle_ms */
    bool unlimited;            /* exempt from the rate limiter */
    bool fenced;               /* uses the connection of fenced writes */
    bool refused;              /* had a 401 */
    bool raw;                  /* do not parse the object */
    bool cut;                  /* lists and watches: see struct ty_kube_selector */
    size_t charged;            /* to the budget, for body and response */
    bool busy, cancelled;      /* one of its callbacks is running; free it when that returns */
    uint64_t serial;           /* of the credentials that it was sent with */
    const char *method, *accept, *type;
    char *path, *body;
    size_t body_n;
    struct ty_http_client_call *call;
    struct ty_buf answer;
    struct ty_err error;
    ty_kube_fn *fn;
    void *ctx;
};

struct ty_kube {
    struct ty_kube_settings set;
    struct ty_http_client *reads, *writes;
    struct ty_http_client *fenced; /* NULL without a fence */
    struct ty_http_client *logs;   /* NULL before the first log */
    size_t canceled;               /* by the fence, not yet reported */
    struct ty_kube_auth *auth;
    struct ty_kube_limiter limiter;
    struct ty_kube_op *ops, *waits;
    uv_timer_t *timer;     /* for waits; on the heap, because libuv closes it later */
    struct ty_arena *a;    /* for arguments of a callback */
    struct ty_arena *sent; /* for a request while it is started */
    uint64_t random, requests;
};

/* Allocates an operation of `size` bytes that begin with a ty_kube_op; path and body are copied. */
struct ty_kube_op *ty_kube_op_new(struct ty_kube *k, size_t size, const struct ty_kube_class *class,
                                  const char *method, const char *path, struct ty_str body);
void ty_kube_op_begin(struct ty_kube_op *op); /* sends it, or queues it */
/* Reports this error from the loop. */
void ty_kube_op_fail(struct ty_kube_op *op, int r, const char *fmt, ...) TY_PRINTF(3, 4);
/* Sorts it into the list of waiting operations. */
void ty_kube_op_wait(struct ty_kube_op *op, enum ty_kube_state state, int64_t due_ms);
/* Reports the answer, and frees the operation unless the operation continues. */
void ty_kube_op_end(struct ty_kube_op *op, struct ty_kube_response *answer);
void ty_kube_op_lost(struct ty_kube_op *op, int r, struct ty_str why); /* … without an answer */
void ty_kube_op_free(struct ty_kube_op *op); /* when its callbacks have returned */

/* kube_op_response.c: callbacks of a request; ctx: the operation. */
int ty_kube_op_on_piece(void *ctx, struct ty_http_client_call *call, struct ty_str piece);
void ty_kube_op_on_end(void *ctx, struct ty_http_client_call *call,
                       const struct ty_http_client_result *end);
/* Tells `seen` of the settings. again: it is sent once more. */
void ty_kube_op_report(const struct ty_kube_op *op, const struct ty_http_client_result *end,
                       bool again);
void ty_kube_renew_connections(struct ty_kube *k);

/* kube.c: opens the connection of logs, unless it is open. Negative with a message: libcurl is
 * needed, and missing. */
int ty_kube_open_logs(struct ty_kube *k, struct ty_err *err);
/* kube_fence.c */
struct ty_http_client *
ty_kube_http_client(const struct ty_kube_op *op); /* the one for this operation */
/* True: it must not be sent, which is reported from the loop. */
bool ty_kube_check_fence(struct ty_kube_op *op);

int64_t ty_kube_now(const struct ty_kube *k); /* loop time, ms */
ty_kube_auth_fn ty_kube_on_auth; /* resumes operations that wait for credentials; ctx: the client */

/* Parses `text`, an object (levels 2) or a watch event (3). NULL with *err; -EFBIG: its tree would
 * be too large. With op->cut it is then parsed without its large members, and *ret_cut is set.
 * Lives with op->k->a. */
struct ty_json *ty_kube_parse(struct ty_kube_op *op, struct ty_str text, int levels, bool *ret_cut,
                              struct ty_err *err);

/* kube_request.c: "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUB"; parts may be empty. */
void ty_kube_path(struct ty_buf *out, const struct ty_kind *kind, struct ty_str ns,
                  struct ty_str name, const char *sub);
/* "?key=value", then "&key=value", the value escaped; nothing if it is empty. */
void ty_kube_query(struct ty_buf *out, const char *key, struct ty_str value);
/* Path segments that are removed on the way to the server, together with the segment before them:
 * DELETE .../namespaces/NS/configmaps/.. would delete the namespace. */
bool ty_kube_is_dots(struct ty_str s);
/* Appends the selectors. */
void ty_kube_selector(struct ty_buf *out, const struct ty_kube_selector *which);

#endif
