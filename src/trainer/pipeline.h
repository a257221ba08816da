/* Runs the hooks of all enabled plugins over a plan, hook by hook (docs/spec/trainer.md 4.8, 5). */
#ifndef TY_TRAINER_PIPELINE_H
#define TY_TRAINER_PIPELINE_H

#include "trainer/plugin.h"

#define TY_PLUGINS_MAX 64
/* The plugins that are on, classified once at start. */
struct ty_pipeline {
    const struct ty_plugin *on[TY_PLUGINS_MAX];
    const struct ty_plugin *off[TY_PLUGINS_MAX]; /* disabled: only asked whether they apply */
    size_t n_on, n_off;
};
/* Names are compared without case. `enabled` empty: all. Unknown names, disabling a required
 * plugin, two status plugins, a registry that ty_registry_check refuses: -EINVAL. `extra` (may be
 * NULL, ends with NULL) are out-of-tree plugins and run before the registry's last (JobSet). */
int ty_pipeline_init(struct ty_pipeline *ret_p, const char *const *enabled,
                     const char *const *disabled, const struct ty_plugin *const *extra,
                     struct ty_err *err);
/* All phases up to and with build. */
int ty_pipeline_run(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err);
/* All validate hooks, and the check for disabled plugins that the runtime needs. */
void ty_pipeline_validate(struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_trainjob *old, struct ty_errs *errs,
                          struct ty_warnings *warnings);
/* The status hook. */
void ty_pipeline_status(const struct ty_pipeline *p, struct ty_arena *a,
                        const struct ty_trainjob *job, const struct ty_view *view,
                        struct ty_json *status);

#endif
