/* The door: what the API server with our CRDs and our webhooks answers to a create or an update. */
#ifndef TY_TRAINER_ADMISSION_H
#define TY_TRAINER_ADMISSION_H

#include "trainer/pipeline.h"

/* What follows the name of a runtime labelled trainer.kubeflow.org/support=deprecated. */
#define TY_ADMISSION_DEPRECATED                                                                    \
    "is deprecated and will be removed in a future release of Kubeflow Trainer. See runtime "      \
    "deprecation policy: https://trainer.kubeflow.org/en/latest/operator-guides/"                  \
    "runtime.html#runtime-deprecation-policy"

enum ty_admission_op { TY_ADMISSION_CREATE, TY_ADMISSION_UPDATE, TY_ADMISSION_UPDATE_STATUS };
struct ty_admission_request {
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_view *view;
    enum ty_admission_op op;
    struct ty_json *obj;       /* defaulted, pruned and mutated in place */
    const struct ty_json *old; /* the stored object on update */
    int64_t now_s;
    bool all;    /* collect every stage's errors (validate command), not only the first stage's */
    bool strict; /* unknown fields are errors (fieldValidation=Strict) */
    bool lint;   /* errors that are warn_only refuse the object, too (validate command) */
};
struct ty_admission_response {
    int code;            /* 201, 200, 400, 403, 422; 500: it cannot be judged now */
    const char *message; /* as the API server words it; NULL when accepted */
    struct ty_errs errs; /* the same, one by one, with hints and places */
    struct ty_warnings warnings;
};
/* decode -> prune, default -> mutate -> schema and rules -> validating webhook. */
void ty_admission_handle(struct ty_arena *a, const struct ty_admission_request *in,
                         struct ty_admission_response *ret);

/* Takes the entries that are warn_only out of *errs and adds them to the verdict's warnings, as
 * "path: detail". Values are left out: they may be whole lists of containers, and the API server
 * truncates warnings to 256 characters. Before them comes what to do about the first of the others,
 * as "path: hint", or "path: value: hint" of a scalar. Does nothing with in->lint. */
void ty_admission_warn(const struct ty_admission_request *in, struct ty_errs *errs,
                       struct ty_admission_response *v);

/* The webhooks alone, for the server: */
/* *ret_next: obj as the mutating webhook leaves it, a new object that shares what is the same. An
 * obj (or old) that exceeds a bound of its schema stays as it is: the API server refuses it next.
 */
int ty_admission_mutate_trainjob(struct ty_arena *a, const struct ty_json *obj,
                                 const struct ty_json *old, int64_t now_s,
                                 struct ty_json **ret_next, struct ty_err *err);
/* Hints about an obj that ty_admission_mutate_trainjob cannot decode: Go's words name no field, or
 * none that people write. */
void ty_admission_decode_hint(struct ty_arena *a, const struct ty_json *obj,
                              struct ty_warnings *warnings);
void ty_admission_validate_trainjob(struct ty_arena *a, const struct ty_admission_request *in,
                                    struct ty_admission_response *ret);
void ty_admission_validate_runtime(struct ty_arena *a, const struct ty_admission_request *in,
                                   struct ty_admission_response *ret);

#endif
