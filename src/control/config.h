/* The operator's configuration file and feature gates: what of it the pure core needs. */
#ifndef TY_CONTROL_CONFIG_H
#define TY_CONTROL_CONFIG_H

#include "base/words.h"
#include "trainer/plan.h"

struct ty_config {
    struct ty_settings settings;
    struct ty_words enabled, disabled; /* names of plugins */
};

/* file: config.trainer.kubeflow.org/v1alpha1, or NULL: defaults. gates: "Name=true,…" or NULL; they
 * win over the file's. Unknown or duplicate fields, wrong types and unknown gates are refused with
 * "FILE:LINE:COL: …". *ret lives with the arena. */
int ty_config_read(struct ty_arena *a, const char *file, const char *gates, struct ty_config *ret,
                   struct ty_err *err);
/* The same, of a text that is there. */
int ty_config_parse(struct ty_arena *a, const char *name, struct ty_str text, const char *gates,
                    struct ty_config *ret, struct ty_err *err);

#endif
