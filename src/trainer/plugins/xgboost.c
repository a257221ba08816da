/* mlPolicy.xgboost: the DMLC_* variables of xgboost.collective and its Rabit tracker, which runs in
 * pod 0. PlainML has added the user's variables before them. */
#include <inttypes.h>

#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

static const char *const reserved[] = { "DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID",
                                        "DMLC_NUM_WORKER", NULL };

static int xgboost_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_err *err TY_UNUSED)
{
    struct ty_json *main = ty_plan_main_container(plan);

    ty_ml_scale(plan, job);
    if (!main)
        return 0;
    int64_t workers = plan->trainer->count, gpus = ty_plan_gpus(plan);
    if (gpus > 0 && __builtin_mul_overflow(workers, gpus, &workers))
        workers = INT64_MAX; /* one worker for each GPU, or one for each node */
    ty_plan_env(plan, main, "DMLC_TRACKER_URI", "%s",
                ty_plan_endpoint(plan, job, plan->trainer, 0, 0));
    ty_plan_env(plan, main, "DMLC_TRACKER_PORT", "%d", TY_TRAINER_PORT);
    ty_plan_env_field(plan, main, "DMLC_TASK_ID", TY_INDEX_FIELD);
    ty_plan_env(plan, main, "DMLC_NUM_WORKER", "%" PRId64, workers);
    ty_plan_port(plan, main, TY_TRAINER_PORT);
    return 0;
}

const struct ty_plugin ty_plugin_xgboost = {
    .name = "XGBoost",
    .about = "DMLC_* variables and the tracker's address for mlPolicy.xgboost",
    .policy = "xgboost",
    .with_plainml = true,
    .reserved = reserved,
    .reserved_for = "the XGBoost runtime",
    .enforce_ml = xgboost_enforce_ml,
};
