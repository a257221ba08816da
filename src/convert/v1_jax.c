/* JAXJob: the workers are the nodes of the jax runtime; scripts find V1's variables, too. */
#include "convert/conv.h"

static void make(struct ty_conv *c)
{
    struct ty_conv_set *set = ty_conv_add_set(c, ty_conv_role(c, "Worker"), true);
    ty_json_set(c->arena, c->trainer, "numNodes", ty_json_int(c->arena, set->count));
    ty_json_set(c->arena, c->ml, "numNodes", ty_json_int(c->arena, set->count));
}

static void finish(struct ty_conv *c)
{
    struct ty_conv_set *set = &c->sets[0];
    ty_conv_env_index(c, set);
    ty_conv_env(c, set, "COORDINATOR_ADDRESS", "%s", ty_conv_host(c, "node", 0));
    ty_conv_env(c, set, "COORDINATOR_PORT", "%lld", (long long)ty_conv_port(c, set->role));
    ty_conv_env(c, set, "NUM_PROCESSES", "%lld", (long long)set->count);
    ty_conv_env(c, set, "PROCESS_ID", "$(TY_INDEX)");
    ty_conv_env(c, set, "PYTHONUNBUFFERED", "1");
}

const struct ty_conv_kind ty_conv_jax = {
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
    .make = make,
    .finish = finish,
};
