/* JAXJob: workers become the nodes of the jax runtime; V1's variables are set, too. */
#include "convert/v1.h"

static void make_jax(struct ty_v1_conversion *c)
{
    struct ty_v1_set *set = ty_v1_add_set(c, ty_v1_role(c, "Worker"), true);
    ty_v1_set_nodes(c, set->count);
}

static void finish_jax(struct ty_v1_conversion *c)
{
    struct ty_v1_set *set = &c->sets[0];
    ty_v1_env_index(c, set);
    ty_v1_env(c, set, "COORDINATOR_ADDRESS", "%s", ty_v1_host(c, "node", 0));
    ty_v1_env(c, set, "COORDINATOR_PORT", "%lld", (long long)ty_v1_port(c, set->role));
    ty_v1_env(c, set, "NUM_PROCESSES", "%lld", (long long)set->count);
    ty_v1_env(c, set, "PROCESS_ID", "$(TY_INDEX)");
    ty_v1_env(c, set, "PYTHONUNBUFFERED", "1");
}

const struct ty_v1_kind ty_v1_jax = {
    .version = "kubeflow.org/v1",
    .kind = "JAXJob",
    .specs = "jaxReplicaSpecs",
    .main = "jax",
    .port_name = "jaxjob-port",
    .port = 6666,
    .everywhere = true,
    .restart = TY_RESTART_NEVER,
    .ml = "jax",
    .framework = "jax",
    .builtin = "jax-distributed",
    .roles = { { "Worker", "node", 0 } },
    .make = make_jax,
    .finish = finish_jax,
};
