/* PaddleJob: workers alone are a collective; with a master they are trainers beside a server. */
#include "convert/v1.h"

static void make_paddle(struct ty_v1_conversion *c)
{
    struct ty_v1_role *master = ty_v1_role(c, "Master"), *worker = ty_v1_role(c, "Worker");
    if (master && worker) {
        ty_v1_add_set(c, master, false);
        ty_v1_success(c, (const char *const[]){ "master", NULL }); /* V1 considers no other role */
    }
    if (master && !worker)
        master->rjob = "node";
    const struct ty_v1_set *set = ty_v1_add_set(c, worker ? worker : master, true);
    ty_v1_set_nodes(c, set->count);
}

static void finish_paddle(struct ty_v1_conversion *c)
{
    bool servers = c->n_sets > 1;
    const struct ty_v1_set *first = &c->sets[0];
    for (size_t i = 0; i < c->n_sets; i++) {
        struct ty_v1_set *s = &c->sets[i];
        ty_v1_env(c, s, "PADDLE_JOB_ID", "%s", c->name);
        ty_v1_env(c, s, "PADDLE_NNODES", "%lld", (long long)ty_v1_pods(c));
        ty_v1_env(c, s, "PADDLE_MASTER", "%s:%lld", ty_v1_host(c, first->rjob, 0),
                  (long long)ty_v1_port(c, first->role));
        if (servers)
            ty_v1_env(c, s, s->trainer ? "PADDLE_TRAINER_NUM" : "PADDLE_SERVER_NUM", "1");
        ty_v1_env(c, s, "PYTHONUNBUFFERED", "1");
    }
}

static void max_restarts(struct ty_v1_conversion *c, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    int64_t n = 0;
    if (!ty_v1_int(c, v, at, 0, INT32_MAX, &n))
        return;
    struct ty_json *policy = ty_json_ensure_object(c->arena, ty_v1_jobset(c), "failurePolicy");
    ty_json_set(c->arena, policy, "maxRestarts", ty_json_int(c->arena, n));
    ty_v1_warn(c, v, at, "becomes %lld restarts of all pods (failurePolicy.maxRestarts)",
               (long long)n);
}

static const struct ty_v1_field elastic_rows[] = {
    { "minReplicas", NULL, "the number of nodes does not change while a TrainJob runs" },
    { "maxReplicas", NULL, "the number of nodes does not change while a TrainJob runs" },
    { "maxRestarts", max_restarts, NULL },
    { "metrics", NULL, "TrainJobs are not scaled by a HorizontalPodAutoscaler" },
    { NULL, NULL, NULL },
};

static void convert_elastic(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at)
{
    ty_v1_convert_fields(c, v, at, elastic_rows);
}

static const struct ty_v1_field rows[] = {
    { "elasticPolicy", convert_elastic, NULL },
    { NULL, NULL, NULL },
};

const struct ty_v1_kind ty_v1_paddle = {
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
    .make = make_paddle,
    .finish = finish_paddle,
};
