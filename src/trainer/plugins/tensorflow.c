/* mlPolicy.tensorflow (an extension): TF_CONFIG for the jobs of a distributed TensorFlow cluster.
 * The role of a job follows from its name: chief, master, worker, ps, evaluator; a trainer of any
 * other name is the workers. A single pod is not a cluster and gets no TF_CONFIG. */
#include <errno.h>
#include <inttypes.h>

#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

#define ENV_MAX      98304 /* the kernel accepts 128 KiB for one variable */
#define DEFAULT_PORT 2222
#define INDEX_ENV    "TY_INDEX"
#define JOB_INDEX    "metadata.annotations['jobset.sigs.k8s.io/job-index']"

/* In the order of TF_CONFIG. TensorFlow expects no evaluator in the cluster. */
enum task { CHIEF, MASTER, WORKER, PS, EVALUATOR, N_TASKS };
static const char *const task_names[N_TASKS] = { "chief", "master", "worker", "ps", "evaluator" };

struct cluster {
    const struct ty_podset *of[N_TASKS];
    int64_t pods; /* all of them */
    int port;
};

/* N_TASKS: not part of the cluster. */
static enum task task_of(const struct ty_plan *plan, const struct ty_podset *set)
{
    for (enum task t = CHIEF; t < N_TASKS; t++)
        if (ty_str_is(set->name, task_names[t]))
            return t;
    return set == plan->trainer ? WORKER : N_TASKS;
}

/* A task's index must be a field of its pod, so one job contains all pods of a task, with either
 * one replica or one pod for each replica. */
static int cluster_read(const struct ty_plan *plan, struct cluster *ret_c, struct ty_err *err)
{
    struct cluster c = { .port = DEFAULT_PORT };
    int64_t port;

    if (ty_json_int_at(ty_plan_policy(plan, "tensorflow"), "port", &port) && port > 0 &&
        port <= UINT16_MAX)
        c.port = (int)port;
    ty_each_set (set, plan) {
        enum task t = task_of(plan, set);
        if (t == N_TASKS)
            continue;
        if (c.of[t])
            return ty_fail(err, -EINVAL, "jobs \"%.*s\" and \"%.*s\" are both TensorFlow's %s",
                           TY_ARG(c.of[t]->name), TY_ARG(set->name), task_names[t]);
        if (set->count > 1 && set->replicas > 1)
            return ty_fail(err, -EINVAL,
                           "job \"%.*s\" has several replicas of several pods, which TensorFlow "
                           "cannot count",
                           TY_ARG(set->name));
        c.of[t] = set;
        if (__builtin_add_overflow(c.pods, ty_plan_podset_pods(set), &c.pods))
            c.pods = INT64_MAX;
    }
    *ret_c = c;
    return 0;
}

static void tensorflow_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                                const struct ty_trainjob *old, struct ty_errs *errs,
                                struct ty_warnings *warnings TY_UNUSED)
{
    struct cluster c = { 0 };
    struct ty_err err = { 0 };

    if (old)
        return; /* an extension, and spec.trainer is immutable: check only on create */
    if (cluster_read(plan, &c, &err) < 0)
        ty_errs_add(errs, &ty_trainjob_ref_path, TY_INVALID, ty_ml_ref_text(errs->arena, job), "%s",
                    err.text);
}

static const char *const *tensorflow_reserved(const struct ty_plan *plan TY_UNUSED,
                                              const struct ty_trainjob *old)
{
    static const char *const names[] = { "TF_CONFIG", INDEX_ENV, NULL };

    return old ? NULL : names; /* as above */
}

/* "chief":["host:port",…],… */
static void put_hosts(struct ty_buf *out, const struct ty_plan *plan, const struct ty_trainjob *job,
                      const struct cluster *c)
{
    bool first_task = true;

    for (enum task t = CHIEF; t < EVALUATOR; t++) {
        struct ty_plan_endpoints it = { .plan = plan, .job = job, .set = c->of[t] };
        bool first = true;
        if (!c->of[t] || ty_plan_podset_pods(c->of[t]) == 0)
            continue;
        ty_buf_printf(out, "%s\"%s\":[", first_task ? "" : ",", task_names[t]);
        first_task = false;
        for (;; first = false) {
            size_t before = out->n;
            ty_buf_cstr(out, first ? "\"" : ",\"");
            if (!ty_plan_endpoints_next(&it, out)) {
                out->n = before;
                break;
            }
            ty_buf_printf(out, ":%d\"", c->port);
        }
        ty_buf_chr(out, ']');
    }
}

/* The index differs between pods: Kubernetes expands $(TY_INDEX), which must be defined before
 * TF_CONFIG. */
static void set_tf_config(struct ty_plan *plan, const struct cluster *c, enum task t,
                          struct ty_str hosts, struct ty_json *container)
{
    if (c->pods != 1) {
        ty_plan_env_field(plan, container, INDEX_ENV,
                          c->of[t]->replicas > 1 ? JOB_INDEX : TY_INDEX_FIELD);
        ty_plan_env(plan, container, "TF_CONFIG",
                    "{\"cluster\":{%.*s},\"task\":{\"type\":\"%s\",\"index\":$(" INDEX_ENV
                    ")},\"environment\":\"cloud\"}",
                    TY_ARG(hosts), task_names[t]);
    }
    ty_plan_port(plan, container, c->port);
}

static int tensorflow_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job,
                                 struct ty_err *err)
{
    ty_auto_buf hosts = { .ceiling = ENV_MAX };
    struct cluster c = { 0 };

    ty_ml_scale(plan, job);
    int r = cluster_read(plan, &c, err);
    if (r < 0)
        return r;
    if (ty_plan_main_container(plan))
        ty_plan_env_list(plan, ty_plan_main_container(plan), job->env);
    put_hosts(&hosts, plan, job, &c);
    if (hosts.full)
        return ty_fail(err, -E2BIG,
                       "the names of %" PRId64 " pods do not fit into TF_CONFIG, which may have %d "
                       "bytes",
                       c.pods, ENV_MAX);
    for (enum task t = CHIEF; t < N_TASKS; t++) {
        const struct ty_podset *set = c.of[t];
        struct ty_json *node = set ? ty_plan_podset_container(set, TY_LIT(TY_NODE)) : NULL;
        if (node)
            set_tf_config(plan, &c, t, ty_buf_str(&hosts), node);
        else if (set)
            ty_each_item (it, ty_json_get(set->pod, "containers"))
                set_tf_config(plan, &c, t, ty_buf_str(&hosts), *it);
    }
    return 0;
}

const struct ty_plugin ty_plugin_tensorflow = {
    .name = "TensorFlow",
    .about = "TF_CONFIG for the chief, workers, parameter servers of mlPolicy.tensorflow",
    .policy = "tensorflow",
    .reserved_in = tensorflow_reserved,
    .validate = tensorflow_validate,
    .enforce_ml = tensorflow_enforce_ml,
};
