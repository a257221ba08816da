/* Admission of a create or an update, as by the API server with trainyard's CRDs and webhooks. */
#ifndef TY_TRAINER_ADMISSION_H
#define TY_TRAINER_ADMISSION_H

#include "trainer/pipeline.h"

/* Follows the name of a runtime with the label trainer.kubeflow.org/support=deprecated. */
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
    int code;            /* 201, 200, 400, 403, 422; 500: the runtime cannot be read now */
    const char *message; /* the API server's message; NULL if accepted */
    struct ty_errs errs; /* the same as a list, with hints and positions */
    struct ty_warnings warnings;
};
/* decode -> prune, default -> mutate -> schema and rules -> validating webhook. */
void ty_admission_handle(struct ty_arena *a, const struct ty_admission_request *in,
                         struct ty_admission_response *ret);
/* Sets a missing name from generateName, as the API server does before validation; fixed characters
 * stand for the five random ones. ty_admission_handle does this on create. */
void ty_admission_fill_name(struct ty_arena *a, struct ty_json *obj);

/* Moves the warn_only entries of *errs to the warnings of the response, as "path: detail". Values
 * are omitted: they may be whole lists of containers, and the API server truncates warnings to 256
 * characters. Hints for the first of the other errors come before them, as "path: hint", or "path:
 * value: hint" for a scalar. Does nothing with in->lint. */
void ty_admission_warn(const struct ty_admission_request *in, struct ty_errs *errs,
                       struct ty_admission_response *v);

/* The webhooks, for the server: */
/* *ret_next: obj after the mutating webhook, a new object that shares unchanged parts. An obj (or
 * old) that exceeds a bound of its schema is not changed: the API server will refuse it. */
int ty_admission_mutate_trainjob(struct ty_arena *a, const struct ty_json *obj,
                                 const struct ty_json *old, int64_t now_s,
                                 struct ty_json **ret_next, struct ty_err *err);
/* Adds hints for an obj that ty_admission_mutate_trainjob cannot decode: Go's message names no
 * field, or only an internal one. */
void ty_admission_decode_hint(struct ty_arena *a, const struct ty_json *obj,
                              struct ty_warnings *warnings);
void ty_admission_validate_trainjob(struct ty_arena *a, const struct ty_admission_request *in,
                                    struct ty_admission_response *ret);
void ty_admission_validate_runtime(struct ty_arena *a, const struct ty_admission_request *in,
                                   struct ty_admission_response *ret);

#endif
