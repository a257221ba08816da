/* What a plugin may do to a plan. To add one: a file in plugins/, a line in registry.def. */
#ifndef TY_TRAINER_PLUGIN_H
#define TY_TRAINER_PLUGIN_H

#include "trainer/plan.h"
#include "trainer/warnings.h"

typedef int ty_plugin_hook_fn(struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_err *err);
/* The live JobSet in, status out: may set conditions and jobsStatus of `status` (a private copy).
 * Looks at no other object, and says the same again of what it has made of `status` itself: the
 * operator does not ask again after its own writes. */
typedef void ty_plugin_status_fn(struct ty_arena *a, const struct ty_trainjob *job,
                                 const struct ty_view *view, struct ty_json *status);

/* A kind whose objects matter to TrainJobs, for the operator. */
enum ty_plugin_watch_via {
    TY_PLUGIN_WATCH_OWNER,           /* its controller-owner is the TrainJob */
    TY_PLUGIN_WATCH_SUSPENDED_NS,    /* every suspended TrainJob of its namespace (LimitRange) */
    TY_PLUGIN_WATCH_SUSPENDED_CLASS, /* suspended TrainJobs whose runtime names it (RuntimeClass) */
};
struct ty_plugin_watch {
    const struct ty_kind *kind; /* NULL ends the list */
    enum ty_plugin_watch_via via;
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
    bool required;     /* cannot be disabled */
    /* Does this plan ask for the plugin? One that is asked for but disabled refuses the TrainJob.
     * NULL: when the runtime has `policy`, and always without one. */
    bool (*applies)(const struct ty_plan *plan);

    /* Of a plugin for an ML policy: the member of mlPolicy that it serves, alone ("torch"). The
     * schema must have it (ty_registry_check). */
    const char *policy;
    bool with_plainml; /* PlainML runs under this policy, too: node count, the user's variables */
    bool launcher;     /* job `launcher` starts what job `node` runs; numNodes counts the latter */
    bool (*launcher_is_node)(const struct ty_json *policy); /* it trains, too; NULL: never */
    /* The variables that the plugin sets and spec.trainer.env may not, checked after `validate`.
     * Each list ends with NULL. `reserved_in` is for a list that depends on the plan, or on whether
     * the TrainJob is new (old NULL); its answer may be NULL. */
    const char *const *reserved;
    const char *const *(*reserved_in)(const struct ty_plan *plan, const struct ty_trainjob *old);
    const char *reserved_for; /* v2.3.0's other words: "X is reserved for …", an error for each */
    /* What a runtime's webhook says of the policy at `at`. */
    void (*validate_runtime)(const struct ty_json *policy, const struct ty_field_path *at,
                             struct ty_errs *errs);

    /* The plan has patches and counts, no enforcement yet. old is the stored TrainJob on update. */
    void (*validate)(const struct ty_plan *plan, const struct ty_trainjob *job,
                     const struct ty_trainjob *old, struct ty_errs *errs,
                     struct ty_warnings *warnings);
    ty_plugin_hook_fn *enforce_ml;   /* mlPolicy: nodes, processes, environment */
    ty_plugin_hook_fn *enforce_gang; /* podGroupPolicy; counts are final by now */
    ty_plugin_hook_fn *enforce_pod;  /* pod specs */
    ty_plugin_hook_fn *pre_build;    /* the template's owner folds the plan into it */
    ty_plugin_hook_fn *build;        /* adds child objects: ty_plan_child */
    ty_plugin_status_fn *status;
    const struct ty_plugin_watch *watches;
    const void *ext; /* of an out-of-tree plugin; its hooks find it in plan->running */
};

#endif
