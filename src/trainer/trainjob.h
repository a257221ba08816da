/* A parsed TrainJob: its scalars, and views of its lists. */
#ifndef TY_TRAINER_TRAINJOB_H
#define TY_TRAINER_TRAINJOB_H

#include "json/errs.h"
#include "json/json.h"

enum ty_numproc_kind {
    TY_NUMPROC_UNSET,
    TY_NUMPROC_INT,
    TY_NUMPROC_AUTO,
    TY_NUMPROC_CPU,
    TY_NUMPROC_GPU
};
struct ty_numproc {
    enum ty_numproc_kind kind;
    int32_t v; /* INT */
};

struct ty_trainjob {
    const struct ty_json *obj; /* the whole object, defaulted */
    struct ty_str name, ns, uid;
    struct ty_str ref_group, ref_kind, ref_name; /* spec.runtimeRef */
    const struct ty_json *ref;                   /* its object, or NULL */

    /* spec.trainer and what is in it; NULL when absent */
    const struct ty_json *trainer, *image, *command, *args, *env, *resources;
    struct ty_opt_i32 num_nodes;
    struct ty_numproc num_proc; /* spec.trainer.numProcPerNode, or the string from the annotation */

    const struct ty_json *dataset, *model;                             /* spec.initializer.* */
    const struct ty_json *patches;                                     /* spec.runtimePatches */
    const struct ty_json *pod_template_overrides, *pod_spec_overrides; /* v2.1, v2.0 */
    bool suspended;                                                    /* spec.suspend is true */
    bool suspend_set;                                                  /* spec.suspend is present */
    int64_t deadline_s; /* spec.activeDeadlineSeconds; 0 unset */
};

/* Stores "cpu" or "gpu" of numProcPerNode, whose stored form must be an integer or absent. */
#define TY_ANN_NUMPROC "trainyard.dev/num-proc-per-node"

/* Paths of its fields, for errors: spec, spec.runtimeRef, spec.trainer, spec.trainer.env. */
extern const struct ty_field_path ty_trainjob_spec_path, ty_trainjob_ref_path,
    ty_trainjob_trainer_path, ty_trainjob_env_path;

/* The audience of the tokens with which pods of this job report progress. Lives with the arena. */
char *ty_trainjob_audience(struct ty_arena *a, struct ty_str ns, struct ty_str name);
/* Borrows obj, which must be valid by the schema. */
void ty_trainjob_parse(struct ty_trainjob *job, const struct ty_json *obj);
/* "auto", "cpu", "gpu", a number, or NULL: unset. */
struct ty_numproc ty_trainjob_parse_numproc(const struct ty_json *v);
/* Complete or Failed is True. */
bool ty_trainjob_finished(const struct ty_json *status);

#endif
