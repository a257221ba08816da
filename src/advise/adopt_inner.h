/* What the files of adopt share: the evaluation of one object. */
#ifndef TY_ADVISE_ADOPT_INNER_H
#define TY_ADVISE_ADOPT_INNER_H

#include "advise/adopt.h"

struct ty_adopt_evaluation {
    const struct ty_adopt_in *in;
    struct ty_arena *keep; /* outlives the object: entries and reasons */
    struct ty_arena *a;    /* reset for each object */
    struct ty_adopt_entry *entry;
    const struct ty_json *job; /* the TrainJob that is evaluated; NULL: a runtime is */
    const struct ty_cluster_object
        *blind;           /* an object that could not be read and is needed; NULL: none */
    struct ty_map *asked; /* collects missing objects, as keys; NULL: does not */
    struct ty_cluster_query *wants;
    size_t n_wants, cap_wants;
};

/* The snapshot as the view of a pass; missing objects are recorded in the evaluation. */
struct ty_view ty_adopt_view(struct ty_adopt_evaluation *j);
/* Whether it exists: 0, or as struct ty_cluster_object says; -EAGAIN: it was not read. */
int ty_adopt_lookup(struct ty_adopt_evaluation *j, const struct ty_kind *kind, struct ty_str ns,
                    struct ty_str name);
/* As ty_owner_conflict (controller/owner_conflict.h) for an object of the snapshot and the
 * evaluated job. */
int ty_adopt_owner_conflict(struct ty_adopt_evaluation *j, const struct ty_kind *kind,
                            const struct ty_json *obj, struct ty_err *err);
void ty_adopt_add_reason(struct ty_adopt_evaluation *j, const char *path, const char *fmt, ...)
    TY_PRINTF(3, 4);
void ty_adopt_add_note(struct ty_adopt_evaluation *j, const char *path, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Sets the result, unless the current one is more serious. */
void ty_adopt_set_result(struct ty_adopt_evaluation *j, enum ty_adopt_result result,
                         const char *text);

void ty_adopt_evaluate_trainjob(struct ty_adopt_evaluation *j, const struct ty_cluster_object *o);
void ty_adopt_evaluate_runtime(struct ty_adopt_evaluation *j, const struct ty_cluster_object *o);

#endif
