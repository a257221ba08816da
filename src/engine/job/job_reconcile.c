/* One pass for one Job:
 *
 *   finished ──> wait for its TTL
 *   else: classify the pods ─> is it over? ─yes─> remove what runs ──┐
 *                                  └─no──> create or remove pods ────┤
 *                                                                    ▼
 *            count the pods that ended, once each ─> conditions ─> status, if it differs
 */
#include "engine/changes.h"
#include "engine/job/job.h"
#include "engine/job/job_count.h"
#include "engine/job/job_end.h"
#include "engine/job/job_manage.h"
#include "engine/job/job_policy.h"
#include "engine/job/job_spec.h"
#include "engine/job/job_status.h"
#include "engine/pod/pod_summary.h"
#include "trainer/trainjob_reconcile.h"

#define OUR_NAME "kubernetes.io/job-controller"

struct job_reconcile {
    struct ty_arena *a;
    const struct ty_job_observed *in;
    struct ty_changes *out;
    struct ty_job_spec spec;
    struct ty_job_count count;
    struct ty_job_end end;
    struct ty_job_status status;
};

static int64_t time_at(const struct ty_json *v, const char *path)
{
    int64_t s = 0;

    (void)ty_time_parse(ty_json_str_at(v, path), &s);
    return s;
}

/* Complete or Failed, or NULL while the Job is active. */
static const struct ty_json *finish_of(const struct ty_json *job)
{
    ty_each_item (it, ty_json_at(job, "status.conditions")) {
        struct ty_str type = ty_json_str_at(*it, "type");
        if ((ty_str_is(type, "Complete") || ty_str_is(type, "Failed")) &&
            ty_str_is(ty_json_str_at(*it, "status"), "True"))
            return *it;
    }
    return NULL;
}

static void wait_for_ttl(struct job_reconcile *p, const struct ty_json *finish)
{
    int64_t left_s = time_at(finish, "lastTransitionTime") + p->spec.ttl_s - p->in->now_s;

    if (p->spec.ttl_s < 0)
        return;
    if (left_s > 0)
        ty_changes_requeue_after(p->out, left_s * 1000);
    else
        ty_changes_delete(p->out, &ty_kind_job, p->spec.ns, p->spec.name);
}

/* Managed by another controller, being deleted, or invalid. */
static bool not_for_us(const struct ty_job_observed *in, struct ty_changes *out)
{
    struct ty_str manager = ty_json_str_at(in->job, "spec.managedBy");
    struct ty_str mode = ty_json_str_at(in->job, "spec.completionMode");

    if (manager.n && !ty_str_is(manager, OUR_NAME))
        return true;
    if (ty_json_at(in->job, "metadata.deletionTimestamp"))
        return true;
    if (mode.n && !ty_str_is(mode, "Indexed") && !ty_str_is(mode, "NonIndexed")) {
        ty_changes_event(out, "Warning", "UnknownCompletionMode",
                         "Skipped Job sync because completion mode is unknown");
        return true;
    }
    return false;
}

/* The Suspended condition follows what was done to the pods. When it changes, startTime is removed
 * or set, so that activeDeadlineSeconds counts from the resume. */
static void event_suspension(struct job_reconcile *p)
{
    bool on = p->spec.suspended;
    const char *reason = on ? "JobSuspended" : "JobResumed";
    const char *message = on ? "Job suspended" : "Job resumed";

    if (!ty_job_condition_set(p->a, p->status.conditions, "Suspended", on, reason, message,
                              p->in->now_s))
        return;
    p->status.start_s = on ? 0 : p->in->now_s;
    ty_changes_event(p->out, "Normal", on ? "Suspended" : "Resumed", "%s", message);
}

static void wake_for_deadline(struct job_reconcile *p)
{
    if (p->spec.deadline_s >= 0 && !p->spec.suspended)
        ty_changes_requeue_after(p->out,
                                 (p->status.start_s + p->spec.deadline_s - p->in->now_s) * 1000);
}

static void reconcile_active(struct job_reconcile *p)
{
    const struct ty_job_spec *s = &p->spec;
    struct ty_job_count *c = &p->count;

    wake_for_deadline(p);
    ty_job_manage(p->a, s, p->in, c, p->out);
    if (c->active == 0 && (s->completions < 0 ? c->succeeded > 0 : c->succeeded >= s->completions))
        p->end = (struct ty_job_end){ .over = true,
                                      .success = true,
                                      .reason = "CompletionsReached",
                                      .message = "Reached expected number of succeeded pods" };
    else
        event_suspension(p);
}

/* What is to be written down about a pod whose end (or whose Job's end) was not counted yet. */
static enum ty_job_mark mark_of(struct job_reconcile *p, const struct ty_job_pod *pod)
{
    bool lost_with_job = p->end.over && !p->end.success;

    if (pod->summary->phase == TY_SUCCEEDED)
        return pod->valid ? TY_MARK_COUNT : TY_MARK_NEVER;
    if (!p->end.over && (!pod->failed || pod->held))
        return TY_MARK_NONE;
    if (!pod->failed && !lost_with_job)
        return TY_MARK_NEVER;
    return pod->valid ? TY_MARK_COUNT : TY_MARK_NEVER;
}

/* Each pod is counted once. When the Job fails, its running pods count as failed. */
static void count_ends(struct job_reconcile *p)
{
    for (size_t i = 0; i < p->count.n; i++) {
        struct ty_job_pod *pod = &p->count.pods[i];
        if (!pod->fresh || pod->mark != TY_MARK_NONE)
            continue;
        pod->mark = (uint8_t)mark_of(p, pod);
        if (pod->mark != TY_MARK_COUNT)
            continue;
        if (pod->summary->phase == TY_SUCCEEDED)
            p->status.succeeded++;
        else if (ty_job_failure_action(p->a, &p->spec, pod->summary, NULL) != TY_POD_FAILURE_IGNORE)
            p->status.failed++;
    }
    if (p->spec.indexed)
        p->status.succeeded = p->count.succeeded;
}

static void write_mark(struct job_reconcile *p, const struct ty_job_pod *pod, struct ty_json *notes)
{
    struct ty_arena *a = p->a;
    struct ty_json *patch = ty_json_object(a), *meta = ty_json_object(a);

    ty_json_set(a, meta, "name", ty_json_str(a, pod->summary->name));
    ty_json_set(a, meta, "namespace", ty_json_str(a, p->spec.ns));
    ty_json_set(a, meta, "annotations", notes);
    ty_json_set(a, patch, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, patch, "kind", ty_json_cstr(a, "Pod"));
    ty_json_set(a, patch, "metadata", meta);
    ty_changes_add(p->out, TY_CHANGE_UPDATE, &ty_kind_pod, patch);
}

static struct ty_json *counted_annotation(struct job_reconcile *p, int64_t count)
{
    struct ty_json *notes = ty_json_object(p->a);

    ty_json_set(p->a, notes, TY_ANN_COUNTED, ty_json_strf(p->a, "%lld", (long long)count));
    return notes;
}

static struct ty_json *backoff_annotation(struct job_reconcile *p)
{
    struct ty_json *notes = ty_json_object(p->a);

    ty_json_set(p->a, notes, TY_ANN_BACKOFF, ty_json_cstr(p->a, "announced"));
    return notes;
}

static void write_pods(struct job_reconcile *p)
{
    struct ty_json *notes[] = { [TY_MARK_COUNT] = counted_annotation(p, p->count.last_count + 1),
                                [TY_MARK_NEVER] = counted_annotation(p, 0),
                                [TY_MARK_BACKOFF] = backoff_annotation(p) };

    for (size_t i = 0; i < p->count.n; i++) {
        const struct ty_job_pod *pod = &p->count.pods[i];
        if (pod->mark != TY_MARK_NONE)
            write_mark(p, pod, notes[pod->mark]);
        if (!pod->remove)
            continue;
        ty_changes_delete(p->out, &ty_kind_pod, p->spec.ns, pod->summary->name);
        ty_changes_event(p->out, "Normal", "SuccessfulDelete", "Deleted pod: %.*s",
                         TY_ARG(pod->summary->name));
    }
}

/* First FailureTarget or SuccessCriteriaMet; Failed or Complete when no pod is terminating. */
static void event_end(struct job_reconcile *p)
{
    const struct ty_job_end *e = &p->end;
    int64_t now_s = p->in->now_s;

    if (!e->over)
        return;
    if (!e->in_status)
        ty_job_condition_set(p->a, p->status.conditions,
                             e->success ? "SuccessCriteriaMet" : "FailureTarget", true, e->reason,
                             e->message, now_s);
    if (p->count.terminating > 0)
        return;
    ty_job_condition_set(p->a, p->status.conditions, e->success ? "Complete" : "Failed", true,
                         e->reason, e->message, now_s);
    if (p->spec.ttl_s >= 0)
        ty_changes_requeue_after(p->out, p->spec.ttl_s * 1000);
    if (!e->success) {
        ty_changes_event(p->out, "Warning", e->reason, "%s", e->message);
        return;
    }
    p->status.completion_s = now_s;
    if (p->spec.completions >= 0 && p->status.succeeded > p->spec.completions)
        ty_changes_event(p->out, "Warning", "TooManySucceededPods",
                         "Too many succeeded pods running after completion count reached");
    ty_changes_event(p->out, "Normal", "Completed", "Job completed");
}

static void write_status(struct job_reconcile *p)
{
    struct ty_json *status = ty_job_status_make(p->a, &p->spec, &p->status);
    const struct ty_json *old = ty_json_get(p->in->job, "status");
    struct ty_json *job = ty_json_object(p->a);

    if (ty_json_eq(status, old))
        return;
    ty_each_member (m, p->in->job)
        ty_json_put(p->a, job, m->key, m->value);
    ty_json_set(p->a, job, "status", status);
    ty_changes_add(p->out, TY_CHANGE_STATUS, &ty_kind_job, job);
}

static void read_status(struct job_reconcile *p)
{
    const struct ty_json *status = ty_json_get(p->in->job, "status");
    const struct ty_json *conditions = ty_json_get(status, "conditions");

    p->status = (struct ty_job_status){
        .conditions = conditions ? ty_json_copy(p->a, conditions, 0) : ty_json_array(p->a),
        .start_s = time_at(status, "startTime"),
        .count = &p->count,
    };
    (void)ty_json_int_at(status, "succeeded", &p->status.succeeded);
    (void)ty_json_int_at(status, "failed", &p->status.failed);
    if (p->status.start_s == 0 && !p->spec.suspended)
        p->status.start_s = p->in->now_s;
}

void ty_job_reconcile(struct ty_arena *a, const struct ty_job_observed *in, struct ty_changes *ret)
{
    struct job_reconcile p = { .a = a, .in = in, .out = ret };
    const struct ty_json *finish = finish_of(in->job);

    if (not_for_us(in, ret))
        return;
    ty_job_spec_read(in->job, &p.spec);
    if (finish) {
        wait_for_ttl(&p, finish);
        return;
    }
    read_status(&p);
    ty_job_count(a, &p.spec, in, &p.count);
    ty_job_end(a, &p.spec, in, &p.count, p.status.start_s, &p.end);
    if (p.end.over)
        ty_job_remove_active(&p.count, TY_MARK_NONE);
    else
        reconcile_active(&p);
    count_ends(&p);
    write_pods(&p);
    event_end(&p);
    write_status(&p);
}
