/* Shared by torch and torchtune. */
#ifndef TY_TRAINER_PLUGINS_TORCH_H
#define TY_TRAINER_PLUGINS_TORCH_H

#include "trainer/plan.h"

/* numProcPerNode as requested: the TrainJob's, else mlPolicy.torch's (older API), else auto. */
struct ty_numproc ty_torch_numproc(const struct ty_plan *plan, const struct ty_trainjob *job);
/* The same, with strings replaced by numbers if the resources are known: `cpu` always, `auto`
 * unless there are GPUs (then torchrun counts them itself). */
struct ty_numproc ty_torch_procs(const struct ty_plan *plan, const struct ty_trainjob *job);
/* "auto", "gpu" or the number; lives with the arena. */
const char *ty_torch_procs_text(struct ty_arena *a, struct ty_numproc p);
/* Whether the command is exactly ["tune", "run"], which torchtune replaces. */
bool ty_torch_tunes(const struct ty_json *command);

#endif
