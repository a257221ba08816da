/* What a plugin may do to a plan. To add one: a file in plugins/, a line in registry.def. */
#ifndef TY_TRAINER_PLUGIN_H
#define TY_TRAINER_PLUGIN_H

#include "trainer/plan.h"

typedef int ty_hook_fn(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err);
/* The live JobSet in, status out: may set conditions and jobsStatus of `status` (a private copy).
 * Looks at no other object, and says the same again of what it has made of `status` itself: the
 * operator does not ask again after its own writes. */
typedef void ty_status_fn(struct ty_arena *a, const struct ty_trainjob *job,
                          const struct ty_view *view, struct ty_json *status);

struct ty_warnings { /* for the user, not errors */
    struct ty_arena *arena;
    const char *v[32];
    size_t n; /* the first 32 are kept */
};
void ty_warnings_add(struct ty_warnings *w, const char *fmt, ...) TY_PRINTF(2, 3);

/* A kind whose objects matter to TrainJobs, for the operator. */
enum ty_watch_via {
    TY_WATCH_OWNER,           /* its controller-owner is the TrainJob */
    TY_WATCH_SUSPENDED_NS,    /* every suspended TrainJob of its namespace (LimitRange) */
    TY_WATCH_SUSPENDED_CLASS, /* suspended TrainJobs whose runtime names it (RuntimeClass) */
};
struct ty_watch {
    const struct ty_kind *kind; /* NULL ends the list */
    enum ty_watch_via via;
};

/*
 * Hooks may be NULL. They run member by member in this order, within a member in the order of
 * registry.def, and only when `applies` is NULL or answers true. They borrow every argument; what
 * they put into the plan lives with plan->arena. They return 0 or a negative errno with *err
 * filled, which ends the pass.
 */
struct ty_plugin {
    const char *name;  /* upstream's name where it has one: "Torch" */
    const char *about; /* one line for `trainyard plugins` */
    /* Does this plan ask for the plugin? One that is asked for but disabled refuses the TrainJob.
     */
    bool (*applies)(const struct ty_plan *plan);
    bool required; /* cannot be disabled */

    /* The plan has patches and counts, no enforcement yet. old is the stored TrainJob on update. */
    void (*validate)(const struct ty_plan *plan, const struct ty_trainjob *job,
                     const struct ty_trainjob *old, struct ty_errs *errs,
                     struct ty_warnings *warnings);
    ty_hook_fn *enforce_ml;   /* mlPolicy: nodes, processes, environment */
    ty_hook_fn *enforce_gang; /* podGroupPolicy; counts are final by now */
    ty_hook_fn *enforce_pod;  /* pod specs */
    ty_hook_fn *pre_build;    /* the template's owner folds the plan into it */
    ty_hook_fn *build;        /* adds child objects: ty_plan_child */
    ty_status_fn *status;
    const struct ty_watch *watches;
    const void *ext; /* of an out-of-tree plugin; its hooks find it in plan->running */
};

extern const struct ty_plugin *const ty_plugins[]; /* in registry order, NULL-terminated */

#define TY_PLUGINS_MAX 64
/* The plugins that are on, classified once at start. */
struct ty_pipeline {
    const struct ty_plugin *on[TY_PLUGINS_MAX];
    const struct ty_plugin *off[TY_PLUGINS_MAX]; /* disabled: only asked whether they apply */
    size_t n_on, n_off;
};
/* Names are compared without case. `enabled` empty: all. Unknown names, disabling a required
 * plugin, two status plugins: -EINVAL. `extra` (may be NULL, ends with NULL) are out-of-tree
 * plugins and run before the registry's last (JobSet). */
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
