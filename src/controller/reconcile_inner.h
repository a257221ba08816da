/* What the files of a reconcile's writes share. */
#ifndef TY_CONTROLLER_RECONCILE_INNER_H
#define TY_CONTROLLER_RECONCILE_INNER_H

#include "controller/reconcile.h"

struct ty_reconcile_pass {
    struct ty_arena *a;
    const struct ty_reconcile_in *in;
    const struct ty_cached *job;
    struct ty_reconcile_result *work; /* says what must be fetched, if anything */
    struct ty_str uid, version;       /* of the runtime whose snapshot is made; else empty */
    bool unapplied;                   /* its JobSet stays as it is, whatever is wanted */
    int64_t wait_s; /* look at its JobSet again after so long; 0: when it changes */
};

static inline struct ty_str ty_reconcile_copy_str(struct ty_arena *a, struct ty_str s)
{
    return (struct ty_str){ ty_arena_strndup(a, s.n ? s.p : "", s.n), s.n };
}

/* reconcile.c */
/* An object that was fetched for this reconcile, or NULL: then it will be. */
const struct ty_json *ty_reconcile_fetched(const struct ty_reconcile_pass *l,
                                           const struct ty_kind *kind, struct ty_str name,
                                           bool large);

/* reconcile_jobset.c */
enum ty_jobset_write {
    TY_JOBSET_AS_WANTED,
    TY_JOBSET_FROZEN,  /* only what may change: `body` */
    TY_JOBSET_REPLACE, /* as wanted; if that is refused it is deleted and re-created */
    TY_JOBSET_NONE,    /* it is being deleted, or has to be fetched first */
};
struct ty_jobset_plan {
    enum ty_jobset_write how;
    const struct ty_json *live; /* whole; NULL: it was not needed */
    const struct ty_json *body;
};
/* How the JobSet that a pass wants is written over the one that is there, if any. */
void ty_reconcile_plan_jobset(struct ty_reconcile_pass *l, struct ty_reconcile_result *w,
                              const struct ty_desired_object *want, struct ty_jobset_plan *ret);
/* The body of an apply to this very JobSet: it must not create one that has gone meanwhile. */
const struct ty_json *ty_reconcile_jobset_pin_uid(struct ty_arena *a, const struct ty_json *body,
                                                  const struct ty_json *live);
/* The job is to be suspended and cannot be rendered: its JobSet is suspended all the same. */
void ty_reconcile_suspend_jobset(struct ty_reconcile_pass *l, struct ty_reconcile_result *w,
                                 const struct ty_json *job);

/* reconcile_children.c */
/* An apply, unless what is known of the object says that it changes nothing. `obj` is what is
 * applied, `number` what is to be remembered of it (ty_applied_digest_desired of what is wanted).
 */
struct ty_write_step *ty_reconcile_add_apply(struct ty_reconcile_pass *l,
                                             struct ty_reconcile_result *w,
                                             const struct ty_kind *kind, const struct ty_json *obj,
                                             uint64_t number);
void ty_reconcile_add_event(struct ty_arena *a, struct ty_reconcile_result *w, const char *type,
                            const char *reason, const char *message);
/* A step at the end. */
struct ty_write_step *ty_reconcile_add_step(struct ty_arena *a, struct ty_reconcile_result *w,
                                            enum ty_write_op op, const struct ty_kind *kind,
                                            struct ty_str name);
/* An event with w->err. */
void ty_reconcile_add_failure_event(struct ty_arena *a, struct ty_reconcile_result *w);
/* In order, up to the first that is not ours to write: a JobSet must not come before what its pods
 * mount. */
void ty_reconcile_add_children(struct ty_reconcile_pass *l, struct ty_reconcile_result *w,
                               const struct ty_desired_object *want);

#endif
