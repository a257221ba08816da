#include "cli/cluster/log_pods.h"

#include "api/kind.h"
#include "base/time.h"
#include "cli/history/job_history_pods.h"
#include "report/pod_failure.h"

static struct ty_json *status_of(const struct ty_json *pod, bool init, struct ty_str name)
{
    const struct ty_json *list =
        ty_json_at(pod, init ? "status.initContainerStatuses" : "status.containerStatuses");

    return ty_json_find_item(list, "name", name, NULL);
}

static void read_status(const struct ty_json *status, struct ty_log_container *c)
{
    bool last = ty_json_at(status, "lastState.terminated") != NULL;
    bool ended = ty_json_at(status, "state.terminated") != NULL;
    int64_t restarts = 0;

    c->instance = -1;
    if (!ended && !last && !ty_json_at(status, "state.running"))
        return;
    ty_json_int_at(status, "restartCount", &restarts);
    c->instance = restarts;
    c->ended = ended || !ty_json_at(status, "state.running"); /* it waits for its next start */
}

static void add_containers(struct ty_arena *a, const struct ty_json *pod, bool init,
                           struct ty_log_pod *p)
{
    ty_each_item (it, ty_json_at(pod, init ? "spec.initContainers" : "spec.containers")) {
        struct ty_str name = ty_json_str_at(*it, "name");
        if (!name.n || p->n >= TY_LOG_PODS_CONTAINERS)
            continue;
        struct ty_log_container *c = &p->containers[p->n++];
        c->name = ty_arena_cstr(a, name);
        read_status(status_of(pod, init, name), c);
    }
}

void ty_log_pods_parse(struct ty_arena *a, const struct ty_json *pod, const char *job,
                       struct ty_log_pod *ret)
{
    struct ty_str phase = ty_json_str_at(pod, "status.phase");
    size_t most = ty_json_len(ty_json_at(pod, "spec.initContainers")) +
                  ty_json_len(ty_json_at(pod, "spec.containers"));

    *ret = (struct ty_log_pod){ .name = ty_json_cstr_at(a, pod, "metadata.name"),
                                .uid = ty_json_cstr_at(a, pod, "metadata.uid") };
    ret->host = ty_job_history_pods_host(a, pod, ret->name);
    ret->node = ty_job_history_pods_node(job, ret->host);
    ret->over = ty_str_is(phase, "Succeeded") || ty_str_is(phase, "Failed");
    ret->attempt = ty_pod_failure_attempt(pod);
    ty_time_parse(ty_json_str_at(pod, "metadata.creationTimestamp"), &ret->created_s);
    most = most < TY_LOG_PODS_CONTAINERS ? most : TY_LOG_PODS_CONTAINERS;
    ret->containers = ty_new_n(a, struct ty_log_container, most + 1);
    add_containers(a, pod, true, ret);
    add_containers(a, pod, false, ret);
}

bool ty_log_pods_is(const struct ty_log_pod *pod, const char *node)
{
    struct ty_str name = ty_str(node), prefix, rest = ty_str_cut(name, '/', &prefix);

    if (rest.p && ty_kind_by_name(prefix) == &ty_kind_pod)
        name = rest;
    return ty_str_is(name, pod->host) || ty_str_is(name, pod->node) || ty_str_is(name, pod->name);
}

bool ty_log_pods_is_newer(const struct ty_log_pod *x, const struct ty_log_pod *y)
{
    if (strcmp(x->host, y->host) != 0)
        return false;
    if (x->attempt != y->attempt)
        return x->attempt > y->attempt;
    return x->created_s > y->created_s;
}
