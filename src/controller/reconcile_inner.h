/* What the files of ty_reconcile share. */
#ifndef TY_CONTROLLER_RECONCILE_INNER_H
#define TY_CONTROLLER_RECONCILE_INNER_H

#include "controller/reconcile.h"

struct ty_reconcile_pass {
    struct ty_arena *a;
    const struct ty_reconcile_in *in;
    const struct ty_cached *job;
    struct ty_reconcile_result *result; /* says which live object must be fetched, if any */
    struct ty_str uid, version;         /* of the runtime whose snapshot is created; else empty */
    bool unapplied;                     /* its JobSet stays as it is, whatever is desired */
    int64_t wait_s; /* requeue after so many seconds, for its JobSet; 0: when that changes */
};

/* reconcile.c */
/* A fetched object; NULL: asks for its fetch. */
const struct ty_json *ty_reconcile_fetched(const struct ty_reconcile_pass *p,
                                           const struct ty_kind *kind, struct ty_str name,
                                           bool large);

/* reconcile_jobset.c */
enum ty_jobset_write {
    TY_JOBSET_AS_WANTED,
    TY_JOBSET_FROZEN,  /* apply `body`: only what may change */
    TY_JOBSET_REPLACE, /* as wanted; if refused, delete and re-create it */
    TY_JOBSET_NONE,    /* no write: it is being deleted, or must be fetched first */
};
struct ty_jobset_plan {
    enum ty_jobset_write how;
    const struct ty_json *live; /* whole; NULL: not needed */
    const struct ty_json *body;
};
/* Decides how the desired JobSet is written over the existing one, if any. */
void ty_reconcile_plan_jobset(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                              const struct ty_desired_object *want, struct ty_jobset_plan *ret);
/* Adds the live uid to the body, so that the apply cannot create a JobSet that was deleted in the
 * meantime. */
const struct ty_json *ty_reconcile_jobset_pin_uid(struct ty_arena *a, const struct ty_json *body,
                                                  const struct ty_json *live);
/* The job is suspended and cannot be rendered: suspends its JobSet all the same. */
void ty_reconcile_suspend_jobset(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                                 const struct ty_json *job);

/* reconcile_children.c */
/* Adds an apply of obj. number: the digest to remember for it (ty_applied_digest_desired of the
 * desired object). */
struct ty_write_step *ty_reconcile_add_apply(struct ty_reconcile_pass *p,
                                             struct ty_reconcile_result *w,
                                             const struct ty_kind *kind, const struct ty_json *obj,
                                             uint64_t number);
void ty_reconcile_add_event(struct ty_arena *a, struct ty_reconcile_result *w, const char *type,
                            const char *reason, const char *message);
/* Appends a step. */
struct ty_write_step *ty_reconcile_add_step(struct ty_arena *a, struct ty_reconcile_result *w,
                                            enum ty_write_op op, const struct ty_kind *kind,
                                            struct ty_str name);
/* Adds a Warning event with w->err. */
void ty_reconcile_add_failure_event(struct ty_arena *a, struct ty_reconcile_result *w);
/* Adds the applies in order, up to the first object that belongs to another owner: a JobSet must
 * not be created before what its pods mount. */
void ty_reconcile_add_children(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                               const struct ty_desired_object *want);

#endif
