/* Runtimes without a policy that speaks for itself: the node count and the user's variables, no
 * more. XGBoost and Flux lean on it for both, as in Kubeflow Trainer. */
#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

static bool plainml_applies(const struct ty_plan *plan)
{
    static const char *const others[] = { "torch", "mpi", "jax", "tensorflow" };

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (ty_plan_policy(plan, others[i]))
            return false;
    return true;
}

static int plainml_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_err *err TY_UNUSED)
{
    struct ty_json *main = ty_plan_main(plan);

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
