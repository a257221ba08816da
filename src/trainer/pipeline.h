/* Runs the hooks of all enabled plugins over a plan, hook by hook (docs/spec/trainer.md 4.8, 5). */
#ifndef TY_TRAINER_PIPELINE_H
#define TY_TRAINER_PIPELINE_H

#include "trainer/plugin.h"

#define TY_PLUGINS_MAX 64
/* The enabled and disabled plugins; computed once at start. */
struct ty_pipeline {
    const struct ty_plugin *on[TY_PLUGINS_MAX];
    const struct ty_plugin *off[TY_PLUGINS_MAX]; /* disabled: only their `applies` is called */
    size_t n_on, n_off;
};
/* All plugins but those that `disabled` names ("*": all that are not required), and those that
 * `enabled` names. Names are compared without case. -EINVAL for unknown names, for a required
 * plugin that is disabled, for two status plugins, and for a registry that ty_registry_check
 * refuses. `extra` (may be NULL, ends with NULL) are out-of-tree plugins: they run before the last
 * plugin of the registry (JobSet). */
int ty_pipeline_init(struct ty_pipeline *ret_p, const char *const *enabled,
                     const char *const *disabled, const struct ty_plugin *const *extra,
                     struct ty_err *err);
/* All hooks up to and including build. */
int ty_pipeline_run(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err);
/* All validate hooks, and the check for disabled plugins that the runtime requires. */
void ty_pipeline_validate(struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_trainjob *old, struct ty_errs *errs,
                          struct ty_warnings *warnings);
/* Runs the status hook. */
void ty_pipeline_status(const struct ty_pipeline *p, struct ty_arena *a,
                        const struct ty_trainjob *job, const struct ty_view *view,
                        struct ty_json *status);

#endif
