/* The interface of plugins. To add one: a file in plugins/, a line in registry.def. */
#ifndef TY_TRAINER_PLUGIN_H
#define TY_TRAINER_PLUGIN_H

#include "trainer/plan.h"
#include "trainer/warnings.h"

typedef int ty_plugin_hook_fn(struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_err *err);
/* From the live JobSet, sets conditions and jobsStatus in `status` (a private copy). It must read
 * no other object and be idempotent: the operator does not reconcile again after its own status
 * writes. */
typedef void ty_plugin_status_fn(struct ty_arena *a, const struct ty_trainjob *job,
                                 const struct ty_view *view, struct ty_json *status);

/* Hooks may be NULL. They run member by member in this order, within a member in the order of
 * registry.def, and (except for `status`) only if the plugin applies to the plan, see `applies`.
 * They borrow all arguments; what they add to the plan lives with plan->arena. They return 0, or a
 * negative errno with *err set, which ends the pass. */
struct ty_plugin {
    const char *name;  /* upstream's name if it has one: "Torch" */
    const char *about; /* one line for `trainyard plugins` */
    bool required;     /* cannot be disabled */
    /* Whether this plan needs the plugin. If it does and the plugin is disabled, the TrainJob is
     * refused. NULL: if the runtime has `policy`; always, if policy is NULL, too. */
    bool (*applies)(const struct ty_plan *plan);

    /* For an ML policy: the member of mlPolicy that this plugin implements ("torch"). The schema
     * must have it (ty_registry_check). */
    const char *policy;
    bool with_plainml; /* PlainML runs under this policy, too: it sets the node count and the user's
                          variables */
    bool launcher; /* job `launcher` starts the processes of job `node`; numNodes counts the latter
                    */
    bool (*launcher_is_node)(
        const struct ty_json *policy); /* the launcher trains, too; NULL: never */
    /* Variables that the plugin sets and spec.trainer.env must not, checked after `validate`. Each
     * list ends with NULL. `reserved_in` is for a list that depends on the plan, or on whether the
     * TrainJob is new (old NULL); it may return NULL. */
    const char *const *reserved;
    const char *const *(*reserved_in)(const struct ty_plan *plan, const struct ty_trainjob *old);
    const char *reserved_for; /* uses v2.3.0's other message, "X is reserved for …", one error for
                                 each variable */
    /* Validates the policy at `at` for the webhook of runtimes. */
    void (*validate_runtime)(const struct ty_json *policy, const struct ty_field_path *at,
                             struct ty_errs *errs);

    /* The plan has patches and counts, but no hook has enforced anything yet. old is the stored
     * TrainJob on update. */
    void (*validate)(const struct ty_plan *plan, const struct ty_trainjob *job,
                     const struct ty_trainjob *old, struct ty_errs *errs,
                     struct ty_warnings *warnings);
    ty_plugin_hook_fn *enforce_ml;   /* mlPolicy: nodes, processes, environment */
    ty_plugin_hook_fn *enforce_gang; /* podGroupPolicy; counts are final by now */
    ty_plugin_hook_fn *enforce_pod;  /* pod specs */
    ty_plugin_hook_fn *pre_build;    /* for the owner of the template: writes the plan into it */
    ty_plugin_hook_fn *build;        /* adds child objects: ty_plan_child */
    ty_plugin_status_fn *status;
    bool watches;    /* the operator watches objects that the plugin writes or reads; for `trainyard
                        plugins` */
    const void *ext; /* data of an out-of-tree plugin; its hooks find it through plan->running */
};

#endif
