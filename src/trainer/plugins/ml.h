/* Functions that the plugins of ML policies share. */
#ifndef TY_TRAINER_PLUGINS_ML_H
#define TY_TRAINER_PLUGINS_ML_H

#include "trainer/plan.h"

/* If spec.trainer.numNodes is set, it becomes the number of the trainer job's pods (0 is allowed).
 */
void ty_ml_scale(struct ty_plan *plan, const struct ty_trainjob *job);

/* One error for all variables of spec.trainer.env with reserved names. `names` ends with NULL. */
void ty_ml_reserved(const struct ty_trainjob *job, const char *const *names, struct ty_errs *errs);
/* The same with the message of v2.3.0's XGBoost: an error for each, "NAME is reserved for OWNER".
 */
void ty_ml_reserved_for(const struct ty_trainjob *job, const char *const *names, const char *owner,
                        struct ty_errs *errs);

/* An error if numProcPerNode is cpu or gpu; a warning for a stored job. */
void ty_ml_int_numproc(const struct ty_trainjob *job, const struct ty_trainjob *old,
                       const char *framework, struct ty_errs *errs);

/* spec.runtimeRef as Go prints it in messages. */
const char *ty_ml_ref_text(struct ty_arena *a, const struct ty_trainjob *job);

/* A JSON string, quoted for messages. */
const char *ty_ml_quoted(struct ty_arena *a, struct ty_str s);

/* An item of a volume source: a data key, its file name and its mode. mode < 0: none. Lives with
 * the arena. */
struct ty_json *ty_ml_item(struct ty_arena *a, const char *key, const char *path, int mode);

/* {name: …, KIND: source}. Takes source. */
struct ty_json *ty_ml_volume(struct ty_arena *a, const char *name, const char *kind,
                             struct ty_json *source);

#endif
