/* Runtimes without an ML policy of their own: sets the node count and the user's variables. As in
 * Kubeflow Trainer, it also runs for XGBoost and Flux (`with_plainml`). */
#include "trainer/plugins/ml.h"
#include "trainer/registry.h"

static bool plainml_applies(const struct ty_plan *plan)
{
    for (size_t i = 0; ty_plugins[i]; i++) {
        const struct ty_plugin *p = ty_plugins[i];
        if (p->policy && !p->with_plainml && ty_plan_policy(plan, p->policy))
            return false;
    }
    return true;
}

static int plainml_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_err *err TY_UNUSED)
{
    struct ty_json *main = ty_plan_main_container(plan);

    ty_ml_scale(plan, job);
    if (main)
        ty_plan_env_list(plan, main, job->env);
    return 0;
}

const struct ty_plugin ty_plugin_plainml = {
    .name = "PlainML",
    .about = "node count and environment for runtimes without a framework's policy",
    .applies = plainml_applies,
    .enforce_ml = plainml_enforce_ml,
};
