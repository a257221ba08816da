/* mlPolicy.jax: the variables from which jax.distributed.initialize() finds its coordinator. They
 * are not reserved: the JobSet plugin writes the user's variables last, so a JAX_… variable of the
 * user wins. */
#include <inttypes.h>

#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

static int jax_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                          struct ty_err *err TY_UNUSED)
{
    struct ty_json *main = ty_plan_main_container(plan);

    ty_ml_scale(plan, job);
    if (!main)
        return 0;
    ty_plan_env(plan, main, "JAX_NUM_PROCESSES", "%" PRId64, plan->trainer->count);
    ty_plan_env_field(plan, main, "JAX_PROCESS_ID", TY_INDEX_FIELD);
    ty_plan_env(plan, main, "JAX_COORDINATOR_ADDRESS", "%s:%d",
                ty_plan_endpoint(plan, job, plan->trainer, 0, 0), TY_TRAINER_PORT);
    ty_plan_port(plan, main, TY_TRAINER_PORT);
    return 0;
}

const struct ty_plugin ty_plugin_jax = {
    .name = "JAX",
    .about = "JAX_NUM_PROCESSES, JAX_PROCESS_ID and JAX_COORDINATOR_ADDRESS for mlPolicy.jax",
    .policy = "jax",
    .enforce_ml = jax_enforce_ml,
};
