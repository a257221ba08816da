/* A real Kubernetes API server, on the program's libuv loop: objects by kind, namespace and name,
 * read, written, listed and watched without ever waiting. Objects are JSON text on the way out, and
 * both text and tree on the way in.
 *
 *   ty_kube_start ---> (limiter) ---> (credentials) ---> request ---> answer ---> fn, once
 *                          ^                                 | 429, 503 with Retry-After, 401 once
 *                          +---------------------------------+
 *
 * Who owns what. Everything in an ask is borrowed for the call and copied. What a callback is given
 * is borrowed until it returns. A struct ty_kube_op lives until its `fn` or `end` returns, or until
 * ty_kube_cancel.
 * When callbacks come. From the loop, never inside the call that started or cancelled something;
 * `fn` and `end` exactly once, unless the op is cancelled: then nothing is called any more.
 * Callbacks may start and cancel anything, their own op included, except that they must not free
 * the client. One thread. Every request has an end: see `timeout_ms`.
 *
 * Connections: lists and watches share one (HTTP/2, as many streams as there are watches; more
 * connections where a server lets fewer streams be open), so a write never waits behind a long
 * list; fenced writes share another, which is reset when the fence closes; everything else shares
 * a third. Without HTTP/2 every watch has its own, and all else has up
 * to 8, twice. A connection whose peer says nothing when it should is left to die, and what follows
 * goes over a new one. */
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

/* How one request ended, or that there is nothing to send it with. */
struct ty_kube_request_result {
    const char *method; /* a literal */
    int code;           /* HTTP status; 0: no answer */
    bool whole;         /* the answer came to its end */
    bool watch;         /* it may have begun long ago */
    bool again;         /* it is being sent again: the server said later, or 401 */
    const char *text;   /* not whole: what went wrong, for people; else NULL */
};

struct ty_kube_settings {
    struct uv_loop_s *loop;             /* outlives the client */
    const struct ty_kubeconfig *config; /* outlives the client */
    const char *agent;                  /* User-Agent; outlives the client */
    double qps;         /* requests a second on average; 0: no limit. Watches are not counted */
    int burst;          /* requests at once; 0: as many as qps, at least one */
    int64_t timeout_ms; /* of a request, tries and waits included; 0: TY_KUBE_TIMEOUT_MS */
    int64_t idle_ms;    /* a watch without a byte for so long is dead; 0: TY_KUBE_IDLE_MS */
    int64_t dead_ms;    /* unacknowledged bytes, unanswered probes; 0: TY_KUBE_DEAD_MS */
    bool http1;         /* no HTTP/2: every watch has its own connection */
    struct ty_budget *budget; /* answers are read within it; outlives the client. NULL: none */
    struct ty_fence fence;    /* around the asks that are `fenced` */
    /* Told of the end of every request, tries counted singly, from the loop; starts and cancels
     * nothing. May be NULL. */
    void (*seen)(void *ctx, const struct ty_kube_request_result *seen);
    void *ctx;
};
#define TY_KUBE_TIMEOUT_MS 30000
#define TY_KUBE_IDLE_MS    90000 /* the API server sends a bookmark every minute */
#define TY_KUBE_DEAD_MS    30000

/* gives. Loads libraries; speaks to nobody yet. -EINVAL, -ENOENT with a sentence. */
int ty_kube_new(struct ty_kube **ret, const struct ty_kube_settings *s, struct ty_err *err);
/* takes. Cancels everything. The loop must turn once more before it is closed (uv_run until it
 * answers 0), because libuv closes its handles there. NULL is fine. */
void ty_kube_free(struct ty_kube *k);
const struct ty_kubeconfig *ty_kube_config(const struct ty_kube *k);
struct ty_budget *ty_kube_budget(const struct ty_kube *k); /* of the settings; may be NULL */

/* What came of an op. `r` is what to do about it, `code` and `reason` are what was said.
 *   0               done
 *   -ENOENT         404: no such object, or no such kind
 *   -EEXIST         409 AlreadyExists
 *   -ESTALE         409 Conflict: resourceVersion, uid, or a field that another manager owns
 *   -EIDRM          410 Gone, Expired: that resourceVersion is too old, begin with a list
 *   -EINVAL         400, 422: it will never be taken like this
 *   -EACCES         401, 403
 *   -EAGAIN         429, 500, 502, 503, 504 or no answer at all: later may help. After a lost
 *                   answer a write may have happened
 *   -ECANCELED      it is fenced, and the fence is closed. If it was under way it may have happened
 *   -EFBIG          the answer is longer than we take, or larger as a tree; a write has happened
 *   -EPROTO         something else, such as an answer that is not JSON
 * A refused certificate, a missing exec plugin and the like are -EAGAIN, too: they are mended while
 * we run. */
struct ty_kube_response {
    int r;
    int code;                   /* HTTP status, or that of a watch's ERROR; 0: no answer */
    struct ty_str reason;       /* metav1.Status: "NotFound", "AlreadyExists", ...; may be empty */
    struct ty_str message;      /* a sentence for people, cut at 4 KB; empty when r is 0 */
    int64_t retry_after_ms;     /* the server's wish; 0 none */
    struct ty_str text;         /* the body: an object, or the Status. Not of lists and watches */
    const struct ty_json *json; /* the same, parsed; NULL: there is none, or it is not JSON */
    struct ty_str version;      /* resourceVersion: the object's; of lists the list's; else empty */
};
typedef void ty_kube_fn(void *ctx, const struct ty_kube_response *answer);

/* One object. */

enum ty_kube_verb {
    TY_KUBE_GET,
    TY_KUBE_CREATE, /* name: empty, it is in the body. Answer 0 also for reviews */
    TY_KUBE_UPDATE, /* metadata.resourceVersion in the body makes it conditional */
    TY_KUBE_MERGE,  /* JSON merge patch */
    TY_KUBE_APPLY,  /* server-side apply: manager, force */
    TY_KUBE_DELETE, /* a body is made of uid, version, propagation */
};
struct ty_kube_request {
    enum ty_kube_verb verb;
    const struct ty_kind *kind;
    struct ty_str ns, name; /* ns: of kinds without namespace it is left out */
    const char *sub;        /* "status", "token", ...; NULL: the object itself */
    struct ty_str body;     /* JSON */
    const char *path;       /* instead of kind, ns, name, sub: "/version", with its query if any */
    const char *manager;    /* field manager; NULL: the server takes the agent's first word */
    bool force;             /* APPLY: take fields from other managers */
    bool meta;              /* answer with PartialObjectMetadata */
    bool raw;               /* an object is not read: fn gets its text, but no json */
    bool dry_run;
    struct ty_str uid, version; /* DELETE: preconditions; may be empty */
    const char *propagation;    /* DELETE: "Foreground", "Background", "Orphan"; NULL: default */
    int64_t timeout_ms;         /* 0: the client's */
    bool unlimited;             /* not for the limiter: others must not make it late */
    int tries; /* how often 429 and 503 are tried again while time is left; 0: 10; -1: never */
    /* Must not be written any more once the client's fence is closed, however long it waits: for
     * the limiter, for credentials, for a server that said later, for a connection or its window.
     */
    bool fenced;
    /* The answer is an object at this version: is it known already, from a watch? Then it is not
     * read: fn gets its version and text, but no json. NULL: no. */
    bool (*known)(void *ctx, struct ty_str version);
    ty_kube_fn *fn; /* NULL: nobody wants to know */
    void *ctx;
};
/* Never fails: what is wrong comes to fn. Lives until fn returns. */
struct ty_kube_op *ty_kube_start(struct ty_kube *k, const struct ty_kube_request *ask);
/* NULL is fine. The request may have been executed by then. */
void ty_kube_cancel(struct ty_kube_op *op);

/* The fence is closed: cancels all that is fenced, and resets its connection, so that nothing of it
 * is sent any more. Each is told -ECANCELED, from the loop. Gives how many were canceled since this
 * was last called, those counted that the fence has stopped by itself. */
size_t ty_kube_cancel_fenced(struct ty_kube *k);

/* Is this kind served? Asks /apis/GROUP/VERSION. r: 0 yes, -ENOENT no, else not known. */
struct ty_kube_op *ty_kube_discover(struct ty_kube *k, const struct ty_kind *kind, ty_kube_fn *fn,
                                    void *ctx);

/* Many objects. What follows is what src/store/kube/reflector.h is made of; use that where you can.
 */

struct ty_kube_object {
    const struct ty_json *json; /* strings point into text */
    struct ty_str text;         /* compact JSON, as the server sent it; if cut: of what is left */
    /* Of its metadata. Items of lists carry neither kind nor apiVersion. */
    struct ty_str ns, name, uid, version;
    bool cut; /* too large to be read: its large members are null (store/kube/truncate.h) */
};
/* Of a tree and its text: for what came as an answer. The metadata's strings are borrowed. */
void ty_kube_object_init(const struct ty_json *json, struct ty_str text,
                         struct ty_kube_object *ret);
struct ty_kube_selector {
    const struct ty_kind *kind;
    struct ty_str ns;             /* empty: all */
    struct ty_str labels, fields; /* selectors as kubectl takes them; may be empty */
    bool meta;                    /* PartialObjectMetadata: no spec, no status, no data */
    bool cut; /* an object that is too large to be read is told as `cut`; else it ends the op */
};

struct ty_kube_list {
    struct ty_kube_selector which;
    int page;              /* objects a request; 0: 500 */
    struct ty_str version; /* of the first page: empty: the newest; "0": whatever the server has at
                              hand, all in one page */
    /* One object as soon as its last byte is there: a page is never held in memory. */
    void (*object)(void *ctx, const struct ty_kube_object *o);
    /* The list changed too much while we paged (410): it begins anew, forget what was given. NULL:
     * the op ends with -EIDRM instead. */
    void (*again)(void *ctx);
    ty_kube_fn *end; /* answer->version: watch from there */
    void *ctx;
};
struct ty_kube_op *ty_kube_list(struct ty_kube *k, const struct ty_kube_list *list);

enum ty_kube_event {
    TY_KUBE_ADDED,
    TY_KUBE_MODIFIED,
    TY_KUBE_DELETED,  /* o: its last state; o->version: that of the deletion */
    TY_KUBE_BOOKMARK, /* o: only version; nothing older will come */
};
struct ty_kube_watch {
    struct ty_kube_selector which;
    struct ty_str version; /* after which; from a list */
    int64_t seconds;       /* the server ends it after that long; 0: 5 to 10 minutes, at random */
    void (*event)(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o);
    /* True: what was added or changed at this version is known, its event need not be read. May be
     * NULL. */
    bool (*known)(void *ctx, struct ty_str version);
    ty_kube_fn *end; /* r: 0 the server ended it in order, -EIDRM: list again */
    void *ctx;
};
struct ty_kube_op *ty_kube_watch(struct ty_kube *k, const struct ty_kube_watch *watch);

/* For logs and metrics: requests sent since the start, tries counted singly. */
uint64_t ty_kube_requests(const struct ty_kube *k);

#endif
