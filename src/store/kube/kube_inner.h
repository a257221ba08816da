/* What the files of the Kubernetes client share: kube.c is the client, kube_op.c moves ops,
 * kube_request.c, kube_list.c and kube_watch.c make them. */
#ifndef TY_STORE_KUBE_KUBE_INNER_H
#define TY_STORE_KUBE_KUBE_INNER_H

#include <uv.h>

#include "net/http_client.h"
#include "store/kube/kube.h"
#include "store/kube/kube_auth.h"
#include "store/kube/kube_flowcontrol.h"
#include "store/kube/kube_response.h"

#define TY_KUBE_META_ONE "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

#define OBJECT_BYTES ((size_t)16 << 20) /* etcd takes 1.5 MB, so this is no object any more */

enum ty_kube_state {
    TY_KUBE_MADE,
    TY_KUBE_LIMIT,  /* waits for the limiter */
    TY_KUBE_CREDS,  /* waits for credentials */
    TY_KUBE_SENT,   /* the server has it */
    TY_KUBE_PAUSE,  /* the server said later */
    TY_KUBE_FAILED, /* op->error is told next */
};

/* What differs between the makers of ops. */
struct ty_kube_class {
    /* A piece of an answer with status 200. NULL: collected whole. Negative with a sentence ends
     * the op. */
    int (*piece)(struct ty_kube_op *op, struct ty_str piece, struct ty_err *err);
    /* The end. True: the op goes on, it has been sent again. NULL: fn is told. */
    bool (*end)(struct ty_kube_op *op, struct ty_kube_response *answer);
    void (*free)(struct ty_kube_op *op); /* of what is behind the op; may be NULL */
};

struct ty_kube_op {
    struct ty_kube_op *next, **at;       /* all of them */
    struct ty_kube_op *later, **waiting; /* those that wait, the soonest first; waiting NULL: no */
    struct ty_kube *k;
    const struct ty_kube_class *class;
    enum ty_kube_state state;
    int64_t due_ms, deadline_ms, timeout_ms;
    int64_t total_ms, idle_ms; /* of watches */
    int tries;                 /* left */
    bool reads;                /* over the connection of lists and watches */
    bool unlimited;            /* not for the limiter */
    bool fenced;               /* over the connection of fenced writes */
    bool refused;              /* 401 once */
    bool raw;                  /* an object is not parsed */
    bool cut;                  /* lists and watches: see struct ty_kube_selector */
    size_t charged;            /* of the budget, for body and answer */
    bool busy, cancelled;      /* a callback of its own is on the stack; free when it returns */
    uint64_t serial;           /* of the credentials it was sent with */
    const char *method, *accept, *type;
    char *path, *body;
    size_t body_n;
    struct ty_http_client_call *call;
    struct ty_buf answer;
    struct ty_err error;
    bool (*known)(void *ctx, struct ty_str version); /* or NULL */
    ty_kube_fn *fn;
    void *ctx;
};

struct ty_kube {
    struct ty_kube_settings set;
    struct ty_http_client *reads, *writes, *fenced; /* fenced: NULL without a fence */
    size_t canceled;                                /* by the fence, and not told yet */
    struct ty_kube_auth *auth;
    struct ty_kube_limiter limiter;
    struct ty_kube_op *ops, *waits;
    uv_timer_t *timer;     /* of waits; on the heap because libuv closes it later */
    struct ty_arena *a;    /* of what a callback is given */
    struct ty_arena *sent; /* of a request while it is started */
    uint64_t random, requests;
};

/* Makes an op of `size` bytes, which begin with a ty_kube_op; path and body are copied. */
struct ty_kube_op *ty_kube_op_new(struct ty_kube *k, size_t size, const struct ty_kube_class *class,
                                  const char *method, const char *path, struct ty_str body);
void ty_kube_op_begin(struct ty_kube_op *op); /* sends it, or lets it wait for its turn */
/* Tells this failure from the loop. */
void ty_kube_op_fail(struct ty_kube_op *op, int r, const char *fmt, ...) TY_PRINTF(3, 4);
/* kube_fence.c */
struct ty_http_client *ty_kube_http_client(const struct ty_kube_op *op); /* that it is sent over */
/* True: it may not be sent, and that is told from the loop. */
bool ty_kube_check_fence(struct ty_kube_op *op);

int64_t ty_kube_now(const struct ty_kube *k); /* loop time, ms */
ty_kube_auth_fn ty_kube_on_auth; /* those who wait for credentials go on; ctx: the client */

/* Parses `text`, an object (levels 2) or an event of a watch (3). NULL with *err; -EFBIG: it is too
 * large for its tree to be made. With op->cut it is read without its large members then, and
 * *ret_cut set. Lives with op->k->a. */
struct ty_json *ty_kube_parse(struct ty_kube_op *op, struct ty_str text, int levels, bool *ret_cut,
                              struct ty_err *err);

/* kube_request.c: "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUB"; parts may be empty. */
void ty_kube_path(struct ty_buf *out, const struct ty_kind *kind, struct ty_str ns,
                  struct ty_str name, const char *sub);
/* "?key=value", then "&key=value", the value escaped; nothing when it is empty. */
void ty_kube_query(struct ty_buf *out, const char *key, struct ty_str value);
/* The selectors. */
void ty_kube_selector(struct ty_buf *out, const struct ty_kube_selector *which);

#endif
