/* XGBoostJob: master and workers become the nodes of one runtime; V1's variables are set. */
#include "base/buf.h"
#include "convert/v1.h"

static void finish_xgboost(struct ty_v1_conversion *c)
{
    struct ty_v1_set *set = &c->sets[0];
    const struct ty_v1_role *master = ty_v1_role(c, "Master");
    int64_t port = ty_v1_port(c, set->role);
    ty_auto_buf workers = { 0 };
    ty_v1_env_index(c, set);
    ty_v1_env(c, set, "MASTER_ADDR", "%s", ty_v1_host(c, "node", 0));
    ty_v1_env(c, set, "MASTER_PORT", "%lld", (long long)(master ? ty_v1_port(c, master) : port));
    ty_v1_env(c, set, "WORLD_SIZE", "%lld", (long long)set->count);
    ty_v1_env(c, set, "RANK", "$(TY_INDEX)");
    for (int64_t i = 1; i < set->count; i++)
        ty_buf_printf(&workers, "%s%s-node-0-%lld.%s", i > 1 ? "," : "", c->name, (long long)i,
                      c->name);
    if (workers.n) {
        ty_v1_env(c, set, "WORKER_PORT", "%lld", (long long)port);
        ty_v1_env(c, set, "WORKER_ADDRS", "%.*s", TY_ARG(ty_buf_str(&workers)));
    }
    ty_v1_env(c, set, "PYTHONUNBUFFERED", "1");
}

const struct ty_v1_kind ty_v1_xgboost = {
    .version = "kubeflow.org/v1",
    .kind = "XGBoostJob",
    .specs = "xgbReplicaSpecs",
    .main = "xgboost",
    .port_name = "xgboostjob-port",
    .port = 9999,
    .everywhere = true,
    .restart = TY_RESTART_NEVER,
    .ml = "xgboost",
    .framework = "xgboost",
    .builtin = "xgboost-distributed",
    .roles = { { "Master", "node", 1 }, { "Worker", "node", 0 } },
    .make = ty_v1_merge,
    .finish = finish_xgboost,
};
