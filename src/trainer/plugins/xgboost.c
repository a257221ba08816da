/* mlPolicy.xgboost: the DMLC_* variables of xgboost.collective and its Rabit tracker, which runs in
 * pod 0. PlainML has put the user's variables before them. */
#include <inttypes.h>

#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

static bool xgboost_applies(const struct ty_plan *plan)
{
    return ty_plan_policy(plan, "xgboost") != NULL;
}

static bool reserved(struct ty_str name)
{
    return ty_str_is(name, "DMLC_TRACKER_URI") || ty_str_is(name, "DMLC_TRACKER_PORT") ||
           ty_str_is(name, "DMLC_TASK_ID") || ty_str_is(name, "DMLC_NUM_WORKER");
}

static void xgboost_validate(const struct ty_plan *plan TY_UNUSED, const struct ty_trainjob *job,
                             const struct ty_trainjob *old TY_UNUSED, struct ty_errs *errs,
                             struct ty_warnings *warnings TY_UNUSED)
{
    const struct ty_path *at = TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "trainer"), "env");
    int i = 0;

    ty_each_item (it, job->env) {
        struct ty_str name = ty_json_text_of(ty_json_get(*it, "name"));
        if (reserved(name))
            ty_errs_add(errs, TY_IDX(at, i), TY_FORBIDDEN, NULL,
                        "%.*s is reserved for the XGBoost runtime", TY_ARG(name))
                ->at = *it;
        i++;
    }
}

static int xgboost_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_err *err TY_UNUSED)
{
    struct ty_json *main = ty_plan_main(plan);

    ty_ml_scale(plan, job);
    if (!main)
        return 0;
    int64_t workers = plan->trainer->count, gpus = ty_plan_gpus(plan);
    if (gpus > 0 && __builtin_mul_overflow(workers, gpus, &workers))
        workers = INT64_MAX; /* one worker a GPU, else one a node */
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
    .applies = xgboost_applies,
    .validate = xgboost_validate,
    .enforce_ml = xgboost_enforce_ml,
};
