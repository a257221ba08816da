/* The log lines about TrainJobs: one line for each change at info, one for each reconcile at
 * debug. Text that users wrote (names, condition messages) is always a value; messages are cut
 * after MESSAGE_MAX bytes. */
#include <uv.h>

#include "controller/trainjob_controller_log.h"

#define MESSAGE_MAX 200 /* of a condition's message; the rest is in the status */
#define QUEUE       "kueue.x-k8s.io/queue-name"

struct ty_state_before ty_trainjob_controller_log_before(const struct ty_cached *was,
                                                         struct ty_str uid)
{
    bool same = was && ty_str_is(uid, was->id.uid);

    return (struct ty_state_before){ same, same ? was->state : TY_TRAINJOB_STATE_PENDING };
}

/* ---- states ---- */

/* The finished condition's reason and the start of its message. */
static void log_finished(const struct ty_log *log, const struct ty_cached *job,
                         const struct ty_json *status, enum ty_trainjob_state from,
                         enum ty_trainjob_state to)
{
    const struct ty_json *c =
        ty_condition_find(status, to == TY_TRAINJOB_STATE_FAILED ? "Failed" : "Complete");

    ty_info(log, "TrainJob state changed", TY_S("namespace", job->id.ns),
            TY_S("name", job->id.name), TY_S("from", ty_trainjob_state_names[from]),
            TY_S("state", ty_trainjob_state_names[to]),
            TY_STR("reason", ty_json_str_at(c, "reason")),
            TY_STR("message", ty_str_head(ty_json_str_at(c, "message"), MESSAGE_MAX)));
}

/* Running to pending is not logged: a JobSet has no active Jobs for a moment before it completes,
 * and when it restarts. */
static void log_state(const struct ty_log *log, const struct ty_cached *job,
                      const struct ty_json *status, enum ty_trainjob_state from,
                      enum ty_trainjob_state to)
{
    if (from == to || (from == TY_TRAINJOB_STATE_RUNNING && to == TY_TRAINJOB_STATE_PENDING))
        return;
    if (to == TY_TRAINJOB_STATE_FAILED || to == TY_TRAINJOB_STATE_COMPLETE)
        log_finished(log, job, status, from, to);
    else
        ty_info(log, "TrainJob state changed", TY_S("namespace", job->id.ns),
                TY_S("name", job->id.name), TY_S("from", ty_trainjob_state_names[from]),
                TY_S("state", ty_trainjob_state_names[to]));
}

static void log_created(const struct ty_log *log, const struct ty_cached *now,
                        const struct ty_json *json)
{
    const struct ty_json *labels = ty_json_at(json, "metadata.labels");

    ty_info(log, "TrainJob created", TY_S("namespace", now->id.ns), TY_S("name", now->id.name),
            TY_STR("runtime", ty_json_str_at(json, "spec.runtimeRef.name")),
            TY_B("suspend", ty_json_true_at(json, "spec.suspend")),
            TY_STR("queue", ty_json_as_str(ty_json_find(labels, TY_LIT(QUEUE)))));
}

static void job_changed(const struct ty_trainjob_controller *j, struct ty_state_before before,
                        const struct ty_kube_object *o, const struct ty_cached *now)
{
    const struct ty_log *log = j->s.log;

    if (!now) {
        if (before.known)
            ty_info(log, "TrainJob deleted", TY_STR("namespace", o->ns), TY_STR("name", o->name),
                    TY_S("state", ty_trainjob_state_names[before.state]));
        return;
    }
    if (!before.known)
        log_created(log, now, o->json);
    if (!before.known || before.state == now->state)
        return;
    const struct ty_cached *jobset = ty_cache_get(j->cache, &ty_kind_jobset, o->ns, o->name);
    enum ty_trainjob_state its = jobset ? jobset->state : TY_TRAINJOB_STATE_PENDING;
    log_state(log, now, ty_json_get(o->json, "status"), ty_trainjob_state_join(before.state, its),
              ty_trainjob_state_get(j->cache, now));
}

static void jobset_changed(const struct ty_trainjob_controller *j, struct ty_state_before before,
                           const struct ty_cached *now)
{
    if (!now || !now->job || before.state == now->state)
        return;
    const struct ty_cached *job =
        ty_cache_get(j->cache, &ty_kind_trainjob, ty_str(now->id.ns), ty_str(now->job));
    if (job && strcmp(job->id.uid, now->job_uid) == 0)
        log_state(j->s.log, job, NULL, ty_trainjob_state_join(job->state, before.state),
                  ty_trainjob_state_join(job->state, now->state));
}

void ty_trainjob_controller_log_change(const struct ty_trainjob_controller *j,
                                       struct ty_state_before before,
                                       const struct ty_kube_object *o, const struct ty_cached *now)
{
    bool jobset = now && now->id.kind == &ty_kind_jobset;

    if (!j->leading || !j->synced || !ty_log_enabled(j->s.log, TY_INFO))
        return;
    if (jobset)
        jobset_changed(j, before, now);
    else
        job_changed(j, before, o, now);
}

/* ---- writes ---- */

void ty_trainjob_controller_log_write(const struct ty_inflight *w, const struct ty_write_step *s,
                                      const struct ty_kube_response *a)
{
    static const char *const done[] = {
        [TY_WRITE_APPLY] = "applied",
        [TY_WRITE_STATUS] = "wrote the status",
        [TY_WRITE_DELETE] = "deleted",
        [TY_WRITE_FINALIZERS] = "wrote the finalizers",
    };

    ty_info(w->controller->s.log, done[s->op], TY_STR("namespace", w->key.ns),
            TY_STR("name", w->key.name), TY_S("kind", s->kind->kind), TY_STR("object", s->name),
            TY_I("code", a->code), TY_STR("resourceVersion", a->version));
}

/* ---- reconciles ---- */

static const char *outcome_of(const struct ty_inflight *w, size_t writes)
{
    const struct ty_cached *job =
        ty_cache_get(w->controller->cache, &ty_kind_trainjob, w->key.ns, w->key.name);

    if (w->result.starved)
        return "retries: " TY_RECONCILE_STARVED;
    if (w->result.err.code < 0)
        return "retries: it cannot be rendered";
    if (w->failed)
        return "retries: a write did not succeed";
    if (writes)
        return "written";
    if (w->key.kind == TY_CONTROLLER_TRAINJOB && !job)
        return "nothing to write: the TrainJob is gone";
    return "nothing to write: children and status are as desired, or managed by another controller";
}

void ty_trainjob_controller_log_reconcile(const struct ty_inflight *w, const char *outcome)
{
    static const char *const controllers[] = { "trainjob_controller", "trainingruntime_controller",
                                               "clustertrainingruntime_controller" };
    char seconds[32];
    size_t writes = 0;

    if (!ty_log_enabled(w->controller->s.log, TY_DEBUG))
        return;
    for (const struct ty_write_step *s = w->result.steps; s; s = s->next)
        writes++;
    snprintf(seconds, sizeof(seconds), "%.6f", (double)(uv_hrtime() - w->begin_ns) / 1e9);
    ty_debug(w->controller->s.log, "reconciled", TY_S("controller", controllers[w->key.kind]),
             TY_STR("namespace", w->key.ns), TY_STR("name", w->key.name),
             TY_S("outcome", outcome ? outcome : outcome_of(w, writes)),
             TY_I("writes", (int64_t)writes), TY_I("fetches", w->fetches),
             TY_I("requeueSeconds", w->result.requeue_s), TY_J("seconds", ty_str(seconds)));
}
