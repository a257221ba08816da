/* PaddleJob: workers alone are a collective; with a master they are trainers beside a server. */
#include "convert/conv.h"

static void make(struct ty_conv *c)
{
    struct ty_conv_role *master = ty_conv_role(c, "Master"), *worker = ty_conv_role(c, "Worker");
    struct ty_conv_set *set = NULL;
    if (master && worker) {
        ty_conv_add_set(c, master, false);
        ty_conv_success(c, (const char *const[]){ "master", NULL }); /* V1 asks nobody else */
    }
    if (master && !worker)
        master->rjob = "node";
    set = ty_conv_add_set(c, worker ? worker : master, true);
    ty_json_set(c->arena, c->trainer, "numNodes", ty_json_int(c->arena, set->count));
    ty_json_set(c->arena, c->ml, "numNodes", ty_json_int(c->arena, set->count));
}

static void finish(struct ty_conv *c)
{
    bool servers = c->n_sets > 1;
    const struct ty_conv_set *first = &c->sets[0];
    for (size_t i = 0; i < c->n_sets; i++) {
        struct ty_conv_set *s = &c->sets[i];
        ty_conv_env(c, s, "PADDLE_JOB_ID", "%s", c->name);
        ty_conv_env(c, s, "PADDLE_NNODES", "%lld", (long long)ty_conv_pods(c));
        ty_conv_env(c, s, "PADDLE_MASTER", "%s:%lld", ty_conv_host(c, first->rjob, 0),
                    (long long)ty_conv_port(c, first->role));
        if (servers)
            ty_conv_env(c, s, s->trainer ? "PADDLE_TRAINER_NUM" : "PADDLE_SERVER_NUM", "1");
        ty_conv_env(c, s, "PYTHONUNBUFFERED", "1");
    }
}

static void max_restarts(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    (void)set;
    int64_t n = 0;
    if (!ty_conv_int(c, v, at, 0, INT32_MAX, &n))
        return;
    struct ty_json *policy = ty_json_ensure_object(c->arena, ty_conv_jobset(c), "failurePolicy");
    ty_json_set(c->arena, policy, "maxRestarts", ty_json_int(c->arena, n));
    ty_conv_warn(c, v, at, "becomes %lld restarts of all pods (failurePolicy.maxRestarts)",
                 (long long)n);
}

static const struct ty_conv_row elastic_rows[] = {
    { "minReplicas", NULL, "the number of nodes does not change while a TrainJob runs" },
    { "maxReplicas", NULL, "the number of nodes does not change while a TrainJob runs" },
    { "maxRestarts", max_restarts, NULL },
    { "metrics", NULL, "TrainJobs are not scaled by a HorizontalPodAutoscaler" },
    { NULL, NULL, NULL },
};

static void elastic(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                    const struct ty_field_path *at)
{
    ty_conv_rows(c, set, v, at, elastic_rows);
}

static const struct ty_conv_row rows[] = {
    { "elasticPolicy", elastic, NULL },
    { NULL, NULL, NULL },
};

const struct ty_conv_kind ty_conv_paddle = {
    .version = "kubeflow.org/v1",
    .kind = "PaddleJob",
    .specs = "paddleReplicaSpecs",
    .main = "paddle",
    .port_name = "master",
    .port = 36543,
    .everywhere = true,
    .restart = TY_RESTART_ON_FAILURE,
    .framework = "paddle",
    .roles = { { "Master", "master", 0 }, { "Worker", "node", 0 } },
    .rows = rows,
    .make = make,
    .finish = finish,
};
