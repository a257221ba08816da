/* Gets one TrainJob from the cluster, in its own event loop and with a short timeout. */
#include "cli/install/cluster_hint.h"

#include <errno.h>
#include <uv.h>

#include "cli/jobs/user_config.h"
#include "store/kube/kube.h"

#define AGENT   "trainyard/" TY_VERSION
#define WAIT_MS 2000

struct cluster_query {
    uv_loop_t *loop;
    int r; /* of the answer; 1: none yet */
    char why[160];
};

static void on_answer(void *ctx, const struct ty_kube_response *answer)
{
    struct cluster_query *q = ctx;

    q->r = answer->r;
    snprintf(q->why, sizeof(q->why), "%.*s", TY_ARG(ty_str_head(answer->message, 150)));
    uv_stop(q->loop);
}

static void on_time(uv_timer_t *timer)
{
    const struct cluster_query *q = timer->data;

    uv_stop(q->loop);
}

/* The timeout covers name resolution, connect and TLS handshake, too. */
static void query_cluster(const struct ty_kubeconfig *config, const char *ns, const char *name,
                          struct cluster_query *q)
{
    struct ty_kube *kube = NULL;
    struct ty_err err = { 0 };
    uv_loop_t loop;
    uv_timer_t timer;

    uv_loop_init(&loop);
    uv_timer_init(&loop, &timer);
    timer.data = q;
    *q = (struct cluster_query){ .loop = &loop, .r = 1 };
    struct ty_kube_settings s = {
        .loop = &loop, .config = config, .agent = AGENT, .timeout_ms = WAIT_MS
    };
    if (ty_kube_new(&kube, &s, &err) < 0) {
        q->r = -EINVAL;
        snprintf(q->why, sizeof(q->why), "%.150s", err.text);
    } else {
        uv_timer_start(&timer, on_time, WAIT_MS, 0);
        ty_kube_start(kube, &(struct ty_kube_request){ .verb = TY_KUBE_GET,
                                                       .kind = &ty_kind_trainjob,
                                                       .ns = ty_str(ns),
                                                       .name = ty_str(name),
                                                       .meta = true,
                                                       .fn = on_answer,
                                                       .ctx = q });
        uv_run(&loop, UV_RUN_DEFAULT);
        ty_kube_free(kube);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

/* "trainyard get name --cluster -n ns" */
static const char *get_command(struct ty_arena *a, const char *ns, const char *name)
{
    return ty_arena_printf(a, "trainyard get %s --cluster%s%s", name, ns ? " -n " : "",
                           ns ? ns : "");
}

bool ty_cluster_hint(struct ty_cli *cli, const char *ns, const char *name)
{
    struct ty_kubeconfig_sources where = { 0 };
    struct ty_user_config user = { 0 };
    struct ty_kubeconfig config = { 0 };
    struct ty_err err = { 0 };
    struct cluster_query q = { .r = 1 };

    (void)ty_user_config_read(cli->arena, &user, &err); /* without it: the current context */
    where.context = user.context;
    ty_kubeconfig_sources_env(&where);
    bool found = ty_kubeconfig_load(cli->arena, &where, &config, &err) == 0;
    const char *context = found && config.context ? config.context : "";
    const char *in = ns ? ns : user.ns ? user.ns : found ? config.ns : "";
    const char *how = get_command(cli->arena, ns, name);
    if (!found || config.exec) {
        ty_cli_msg(cli, TY_MSG_NOTE, "these are the runs of this machine; a cluster's: %s", how);
        return false;
    }
    const char *cluster =
        *context ? ty_arena_printf(cli->arena, "the cluster of context \"%s\"", context)
                 : "this cluster";
    query_cluster(&config, in, name, &q);
    if (q.r == 0)
        ty_cli_msg(cli, TY_MSG_NOTE,
                   "no run \"%s\" on this machine; TrainJob \"%s\" exists in namespace \"%s\" of "
                   "%s: %s",
                   name, name, in, cluster, how);
    else if (q.r == -ENOENT)
        ty_cli_msg(cli, TY_MSG_NOTE,
                   "neither on this machine nor in namespace \"%s\" of %s; for other namespaces: "
                   "trainyard get -A --cluster",
                   in, cluster);
    else
        ty_cli_msg(cli, TY_MSG_NOTE, "no run \"%s\" on this machine; %s %s%s. To look there: %s",
                   name, cluster,
                   q.r > 0 ? "did not answer in time" : "could not be asked: ", q.why, how);
    return q.r == 0;
}
