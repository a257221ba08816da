/* Starts a pod: its plan, directory, shim and GPUs. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/host.h"
#include "engine/job/job_report.h"
#include "engine/net.h"
#include "engine/pod/env_pass.h"
#include "engine/pod/gpus.h"
#include "engine/pod/pod_files.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pods.h"
#include "proc/shim.h"

#define POD_FIRST ((size_t)2 << 10)
#define POD_SPARE ((size_t)64) /* a longer number here and there */

static size_t count_strings(const char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

/* What every container of this run gets; made once. */
static const char *const *shared_env(struct ty_engine *e)
{
    static const char path[] = "PATH=";
    const char *const *passed = ty_env_pass_filter(e->lasting, environ);
    size_t n = count_strings(passed);
    const char **env = ty_new_n(e->lasting, const char *, n + 3);

    for (size_t i = 0; i < n; i++)
        env[i] = passed[i];
    for (size_t i = 0; i < n; i++) /* our ssh comes first: mpirun and friends find it */
        if (strncmp(env[i], path, strlen(path)) == 0)
            env[i] = ty_arena_printf(e->lasting, "PATH=%s/bin:%s", e->o.dir, env[i] + strlen(path));
    env[n++] = ty_arena_printf(e->lasting, "TRAINYARD_RSH=%s", e->rsh.path);
    env[n++] = "PYTHONUNBUFFERED=1";
    return env;
}

/* The list is needed while the plan is made; its texts stay. */
static const char *const *base_env(struct ty_pod_runtime *p)
{
    struct ty_engine *e = p->e;

    if (!e->pods.env)
        e->pods.env = shared_env(e);
    size_t shared = count_strings(e->pods.env), more = count_strings(e->o.env), n = shared;
    const char **env = ty_new_n(e->pass, const char *, shared + more + 6);
    memcpy(env, e->pods.env, shared * sizeof(*env));
    env[n++] = e->o.host.mounts ? "TMPDIR=" TY_POD_TMP
                                : ty_arena_printf(p->arena, "TMPDIR=%s/tmp", p->dir);
    env[n++] = ty_arena_printf(p->arena, "TRAINYARD_POD=%s", p->host);
    const char *direct = ty_env_pass_no_proxy(e->pass, e->pods.env, p->job);
    if (direct) {
        env[n++] = ty_arena_printf(p->arena, "no_proxy=%s", direct);
        env[n++] = ty_arena_printf(p->arena, "NO_PROXY=%s", direct);
    }
    if (more)
        memcpy(env + n, e->o.env, more * sizeof(*env));
    return env;
}

static struct ty_pod_runtime *pod_runtime_new(struct ty_engine *e, const struct ty_json *pod)
{
    struct ty_pod_runtime *p = ty_xalloc(calloc(1, sizeof(*p)));
    const struct ty_json *labels = ty_json_at(pod, "metadata.labels");
    struct ty_str js =
        ty_json_as_str(ty_json_find(labels, TY_LIT("jobset.sigs.k8s.io/jobset-name")));
    struct ty_str rj =
        ty_json_as_str(ty_json_find(labels, TY_LIT("jobset.sigs.k8s.io/replicatedjob-name")));
    struct ty_str index =
        ty_json_as_str(ty_json_find(labels, TY_LIT("batch.kubernetes.io/job-completion-index")));
    struct ty_str attempt =
        ty_json_as_str(ty_json_find(labels, TY_LIT("jobset.sigs.k8s.io/restart-attempt")));
    struct ty_str host = ty_json_str_at(pod, "spec.hostname");

    p->e = e;
    /* There may be thousands of pods: an arena begins with the size that the last pod needed. */
    p->arena = ty_arena_new_small(TY_OBJECT_CEILING,
                                  e->pods.plan_size ? e->pods.plan_size + POD_SPARE : POD_FIRST);
    p->ns = ty_arena_cstr(p->arena, ty_json_str_at(pod, "metadata.namespace"));
    p->name = ty_arena_cstr(p->arena, ty_json_str_at(pod, "metadata.name"));
    p->uid = ty_arena_cstr(p->arena, ty_json_str_at(pod, "metadata.uid"));
    p->job = ty_arena_cstr(p->arena, js);
    p->rjob = ty_arena_cstr(p->arena, rj);
    p->host = host.n ? ty_arena_cstr(p->arena, host) : p->name;
    p->index = -1;
    ty_str_parse_i64(index, &p->index);
    ty_str_parse_i64(attempt, &p->attempt);
    p->dir = ty_arena_printf(p->arena, "%s/pods/%s", e->o.dir, p->name);
    return p;
}

static int make_plan(struct ty_pod_runtime *p, const struct ty_json *pod, struct ty_jobset_net *net,
                     struct ty_err *err)
{
    struct ty_engine *e = p->e;
    struct ty_pod_net pn = { .own_network = e->o.pod_network,
                             .master_port = e->o.pod_network ? 0 : net->master.port,
                             .rewrite_names = !e->o.host.mounts,
                             .lookup = ty_net_lookup,
                             .task_port = e->o.pod_network ? NULL : ty_net_task_port,
                             .ctx = net };
    const char *address = ty_net_lookup(net, ty_str(p->host));
    const struct ty_host *host = ty_host_for_job(e, e->pass, ty_str(p->ns), ty_str(p->job));

    p->address = address ? address : "127.0.0.1";
    pn.address = p->address;
    pn.extra_env = base_env(p);
    net->task_error = (struct ty_err){ 0 };
    int r = ty_pod_plan_make(p->arena, pod, host, &e->view, &pn, &p->plan, err);
    if (r == 0 && net->task_error.code) /* its processes would not find each other */
        r = ty_fail(err, net->task_error.code, "%s", net->task_error.text);
    if (r < 0)
        return r;
    p->logs = ty_new_n(p->arena, struct ty_container_log *, p->plan.n + 1);
    p->began_ms = ty_new_n(p->arena, int64_t, p->plan.n + 1);
    p->attempts = ty_new_n(p->arena, int, p->plan.n + 1);
    p->by_us = ty_new_n(p->arena, bool, p->plan.n + 1);
    p->stop_ms = ty_new_n(p->arena, int64_t, p->plan.n + 1);
    p->log_faults = ty_new_n(p->arena, const char *, p->plan.n + 1);
    p->arrivals = ty_new_n(p->arena, struct ty_log_arrivals *, p->plan.n + 1);
    e->pods.plan_size = ty_arena_used(p->arena);
    return 0;
}

static int make_shim(struct ty_pod_runtime *p, struct ty_jobset_net *net, struct ty_err *err)
{
    struct ty_shim_spec k = { .hostname = p->host, .address = p->address };

    k.binds = ty_pod_files_create(p->e->pass, p, net->hosts, err);
    return k.binds ? ty_shim_new(p->e->o.zygote, &k, &p->shim, err) : err->code;
}

/* A pod that cannot even begin fails with the reason, like one whose process could not start. */
static void fail_start(struct ty_engine *e, struct ty_pod_runtime *p, const char *why)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    struct ty_json *status = ty_json_object(a);

    ty_engine_event(e, &ty_kind_pod, p->host, "Warning", "FailedToBegin", why);
    ty_job_report_start_failed(p, p->plan.n ? p->plan.containers[0].name : p->rjob, why);
    ty_json_set(a, status, "phase", ty_json_cstr(a, "Failed"));
    ty_json_set(a, status, "reason", ty_json_cstr(a, "FailedToBegin"));
    ty_json_set(a, status, "message", ty_json_cstr(a, why));
    ty_pods_put_status(p, a, status);
}

/* The step of the TrainJob that a replicated Job stands for is a label of its template. */
static bool is_trainer(const struct ty_json *jobset, const char *rjob)
{
    const struct ty_json *rj =
        ty_json_find_item(ty_json_at(jobset, "spec.replicatedJobs"), "name", ty_str(rjob), NULL);
    const struct ty_json *labels = ty_json_at(rj, "template.metadata.labels");

    return ty_str_is(
        ty_json_as_str(ty_json_find(labels, TY_LIT("trainer.kubeflow.org/trainjob-ancestor-step"))),
        "trainer");
}

static void start_pod(struct ty_engine *e, const struct ty_stored *obj)
{
    struct ty_json *pod = ty_local_read(e->pass, obj);
    struct ty_pod_runtime *p = pod_runtime_new(e, pod);
    struct ty_json *jobset =
        ty_local_get(e->store, e->pass, &ty_kind_jobset, ty_str(p->ns), ty_str(p->job));
    struct ty_err err = { 0 };
    p->trainer = is_trainer(jobset, p->rjob);
    struct ty_jobset_net *net = ty_net_get(e, jobset, &err);
    int r = net ? make_plan(p, pod, net, &err) : err.code;

    if (net && r == 0)
        r = make_shim(p, net, &err);
    if (net && r == 0)
        r = ty_gpus_request(p, jobset, &err);
    uv_timer_init(e->o.loop, &p->timer);
    p->timer.data = p->poll.data = p;
    p->handles = 1;
    if (r < 0) {
        fail_start(e, p, err.text);
        ty_pods_free(p);
        return;
    }
    uv_poll_init(e->o.loop, &p->poll, ty_shim_fd(p->shim));
    p->poll.data = p;
    p->handles = 2;
    uv_poll_start(&p->poll, UV_READABLE, ty_pods_on_shim);
    p->run = ty_pod_lifecycle_new(&p->plan, ty_engine_now_ms(e));
    p->next = e->pods.first;
    e->pods.first = p;
    e->pods.n_live++;
    ty_map_put(&e->pods.by_uid, ty_str(p->uid), p);
    if (!p->waiting) /* for GPUs: then ty_gpus_schedule starts it */
        ty_pods_advance(p);
}

void ty_pods_sync(struct ty_engine *e, const struct ty_stored *obj)
{
    struct ty_pod_runtime *p = ty_map_get(&e->pods.by_uid, ty_str(obj->uid));

    if (p) {
        if (obj->deleting && !p->over) {
            ty_pod_lifecycle_stop(p->run, -1, ty_engine_now_ms(e));
            ty_pods_advance(p);
        }
        return;
    }
    struct ty_json *pod = ty_local_read(e->pass, obj);
    struct ty_str phase = ty_json_str_at(pod, "status.phase");
    if (obj->deleting)
        ty_local_finalize(e->store, &ty_kind_pod, ty_str(obj->ns), ty_str(obj->name));
    else if (!ty_str_is(phase, "Succeeded") && !ty_str_is(phase, "Failed") && !e->stopping)
        start_pod(e, obj);
}

/* Advancing a pod removes no other pod from the list: ty_gpus_schedule admits no pods while the
 * engine stops. */
void ty_pods_stop_all(struct ty_engine *e, bool at_once)
{
    for (struct ty_pod_runtime *p = e->pods.first, *next = NULL; p; p = next) {
        next = p->next;
        ty_pod_lifecycle_stop(p->run, at_once ? 0 : -1, ty_engine_now_ms(e));
        ty_pods_advance(p);
    }
}
