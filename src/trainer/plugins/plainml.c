/* Runtimes without a policy that speaks for itself: the node count and the user's variables, no
 * more. XGBoost and Flux lean on it for both, as in Kubeflow Trainer (`with_plainml`). */
#include "trainer/registry.h"
#include "trainer/plugins/ml.h"

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
