/* The main function of the pure core: one pass over one TrainJob (docs/spec/trainer.md 7.1, 7.3).
 */
#include "trainer/trainjob_reconcile.h"

#include <errno.h>

#include "trainer/failure_note.h"
#include "trainer/runtime_resolve.h"
#include "trainer/stalled.h"

#define MANAGER     "trainer.kubeflow.org/trainjob-controller"
#define NOTE_MAX    950 /* bytes of an error in an event's note */
#define DEADLINE    "DeadlineExceeded"
#define UNSUPPORTED "TrainingRuntimeNotSupported"

static void add_event(struct ty_arena *a, struct ty_trainjob_reconcile *ret, const char *reason,
                      const char *text)
{
    struct ty_trainjob_event *e = ty_new(a, struct ty_trainjob_event), **end = &ret->events;

    *e = (struct ty_trainjob_event){ .type = "Warning", .reason = reason, .message = text };
    while (*end)
        end = &(*end)->next;
    *end = e;
}

static void report_failure(struct ty_arena *a, struct ty_trainjob_reconcile *ret)
{
    struct ty_str text = ty_str(ret->err.text), head = ty_str_head(text, NOTE_MAX);

    add_event(a, ret, TY_REASON_CREATION_FAILED,
              ty_arena_printf(a, "TrainJob resources reconciliation failed: %.*s%s", TY_ARG(head),
                              head.n < text.n ? " ..." : ""));
}

/* The snapshot goes first: otherwise a retry could see another runtime. */
static void put_first(struct ty_arena *a, struct ty_trainjob_reconcile *ret,
                      struct ty_json *snapshot)
{
    struct ty_desired_object *w = ty_new(a, struct ty_desired_object);

    *w = (struct ty_desired_object){ .kind = &ty_kind_configmap,
                                     .obj = snapshot,
                                     .next = ret->want };
    ret->want = w;
}

static int build_children(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                          const struct ty_trainjob *job, struct ty_trainjob_reconcile *ret)
{
    struct ty_plan_in plan_in = {
        .pipeline = in->pipeline, .settings = in->settings, .view = in->view, .entropy = in->entropy
    };
    struct ty_json *snapshot = NULL;
    int r = ty_runtime_resolve(a, job, in->view, &plan_in.runtime, &snapshot, &ret->err);

    if (r == 0)
        r = ty_plan_init(a, job, &plan_in, &ret->plan, &ret->err);
    if (r == 0)
        r = ty_pipeline_run(&ret->plan, job, &ret->err);
    ret->want = r == 0 ? ret->plan.want : NULL;
    if (snapshot)
        put_first(a, ret, snapshot);
    return r;
}

/* Failed is derived from the JobSet in each pass, as in v2.3.0; only a missed deadline is final. */
static void forget_failed(struct ty_json *status)
{
    struct ty_json *list = ty_json_get(status, "conditions");
    size_t at = 0;
    const struct ty_json *c = ty_json_find_item(list, "type", TY_LIT("Failed"), &at);

    if (c && !ty_str_is(ty_json_str_at(c, "reason"), DEADLINE))
        ty_json_remove(list, at);
}

static bool failed_because(const struct ty_json *status, const char *reason)
{
    const struct ty_json *failed = ty_condition_find(status, "Failed");

    return failed && ty_str_is(ty_json_str_at(failed, "reason"), reason);
}

bool ty_trainjob_is_refused(const struct ty_json *status)
{
    return failed_because(status, TY_REASON_CREATION_FAILED);
}

/* The JobSet's end state is final: if the JobSet is deleted later (by its TTL or an administrator),
 * a finished job must not start again. */
static bool ended_for_good(const struct ty_trainjob_reconcile_in *in, const struct ty_trainjob *job,
                           const struct ty_json *was)
{
    return ty_trainjob_finished(was) &&
           !ty_plan_view_get(in->view, &ty_kind_jobset, job->ns, job->name) &&
           !failed_because(was, UNSUPPORTED) && !ty_trainjob_is_refused(was);
}

bool ty_trainjob_is_suspend_refused(const struct ty_json *status)
{
    struct ty_str reason = ty_json_str_at(ty_condition_find(status, "Suspended"), "reason");

    return ty_str_is(reason, TY_REASON_SUSPEND_REFUSED) ||
           ty_str_is(reason, TY_REASON_RESUME_REFUSED);
}

/* The JobSet's actual state if it cannot follow spec.suspend now; else spec.suspend. */
static bool is_suspended(const struct ty_trainjob_reconcile_in *in, const struct ty_trainjob *job)
{
    const struct ty_json *jobset =
        in->unapplied ? ty_plan_view_get(in->view, &ty_kind_jobset, job->ns, job->name) : NULL;

    return jobset ? ty_json_true_at(jobset, "spec.suspend") : job->suspended;
}

/* Reports that the JobSet does not follow spec.suspend; `suspended`: its actual state. A queue
 * reuses the resources of a suspended job, so a running job must not be called suspended. A
 * temporary failure leaves the condition unchanged. */
static void report_suspend_refused(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                                   bool suspended, struct ty_json *status, struct ty_str now)
{
    /* Without the condition the job has run since its creation, which is when its deadline began.
     */
    struct ty_str created = ty_json_str_at(in->job, "metadata.creationTimestamp");

    if (!in->refused.n)
        return;
    if (suspended)
        ty_condition_set(a, status, "Suspended", "True", TY_LIT(TY_REASON_RESUME_REFUSED),
                         in->refused, now);
    else
        ty_condition_set(a, status, "Suspended", "False", TY_LIT(TY_REASON_SUSPEND_REFUSED),
                         in->refused, ty_condition_find(status, "Suspended") ? now : created);
}

static void set_suspended(struct ty_arena *a, const struct ty_trainjob *job, struct ty_json *status,
                          struct ty_str now)
{
    const struct ty_json *had = ty_condition_find(status, "Suspended");

    if (job->suspended)
        ty_condition_set(a, status, "Suspended", "True", TY_LIT("Suspended"),
                         TY_LIT("TrainJob is suspended"), now);
    else if (had && (ty_str_is(ty_json_str_at(had, "status"), "True") ||
                     ty_trainjob_is_suspend_refused(status)))
        ty_condition_set(a, status, "Suspended", "False", TY_LIT("Resumed"),
                         TY_LIT("TrainJob is resumed"), now);
}

/* The JobSet's state; but a missed deadline overrides what a terminating JobSet reports. */
static void mirror_children(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                            const struct ty_trainjob *job, struct ty_json *status)
{
    const struct ty_json *failed = ty_condition_find(status, "Failed");
    struct ty_json *kept = failed ? ty_json_copy(a, failed, 0) : NULL;

    ty_pipeline_status(in->pipeline, a, job, in->view, status);
    if (!kept)
        return;
    struct ty_json *list = ty_json_get(status, "conditions");
    size_t at = 0;
    if (ty_json_find_item(list, "type", TY_LIT("Failed"), &at))
        list->items[at] = kept;
}

/* The start of activeDeadlineSeconds: the last resume, else the creation. */
static bool deadline_start(const struct ty_trainjob *job, const struct ty_json *status,
                           int64_t *ret_s)
{
    const struct ty_json *suspended = ty_condition_find(status, "Suspended");
    struct ty_str text = ty_json_str_at(job->obj, "metadata.creationTimestamp");

    if (suspended && ty_str_is(ty_json_str_at(suspended, "status"), "False"))
        text = ty_json_str_at(suspended, "lastTransitionTime");
    return ty_time_parse(text, ret_s);
}

static void check_deadline(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                           const struct ty_trainjob *job, struct ty_json *status,
                           struct ty_trainjob_reconcile *ret)
{
    int64_t start = 0, end = 0;

    if (failed_because(status, DEADLINE)) {
        /* The condition is set already; the deletion is repeated until the JobSet is gone (B13). */
        if (ty_plan_view_get(in->view, &ty_kind_jobset, job->ns, job->name))
            ret->delete_kind = &ty_kind_jobset;
        return;
    }
    if (job->deadline_s == 0 || job->suspended || is_suspended(in, job) ||
        ty_trainjob_finished(status) || !deadline_start(job, status, &start))
        return;
    if (__builtin_add_overflow(start, job->deadline_s, &end))
        end = INT64_MAX; /* the schema sets no upper bound */
    if (in->now_s <= end) {
        ret->requeue_s = end > in->now_s ? end - in->now_s : 1;
        return;
    }
    ty_condition_set(a, status, "Failed", "True", TY_LIT(DEADLINE),
                     TY_LIT("TrainJob exceeded its active deadline"), ty_time_text(a, in->now_s));
    add_event(a, ret, DEADLINE,
              ty_arena_printf(a,
                              "TrainJob exceeded its active deadline of %lld seconds; its JobSet "
                              "is deleted",
                              (long long)job->deadline_s));
    ret->delete_kind = &ty_kind_jobset;
}

/* ttlSecondsAfterFinished (an extension): deletes the TrainJob, and with it everything that it
 * owns. */
static void check_ttl(const struct ty_trainjob *job, const struct ty_json *status, int64_t now_s,
                      struct ty_trainjob_reconcile *ret)
{
    static const char *const ends[] = { "Complete", "Failed" };
    int64_t ttl = 0, at = 0, end = 0;

    if (!ty_json_int_at(job->obj, "spec.ttlSecondsAfterFinished", &ttl))
        return;
    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *c = ty_condition_find(status, ends[i]);
        int64_t t = 0;
        if (ty_str_is(ty_json_str_at(c, "status"), "True") &&
            ty_time_parse(ty_json_str_at(c, "lastTransitionTime"), &t) && t > at)
            at = t;
    }
    if (at == 0)
        return; /* not finished, or without a time */
    if (__builtin_add_overflow(at, ttl, &end))
        return;
    if (now_s >= end)
        ret->delete_kind = &ty_kind_trainjob;
    else if (ret->requeue_s == 0 || end - now_s < ret->requeue_s)
        ret->requeue_s = end - now_s;
}

/* B3: a condition instead of v2.3.0's crash; its time stays the same from pass to pass. */
static void refuse_runtime(struct ty_arena *a, const struct ty_trainjob *job,
                           const struct ty_json *was, struct ty_json *status, struct ty_str now)
{
    if (failed_because(was, UNSUPPORTED))
        now = ty_json_str_at(ty_condition_find(was, "Failed"), "lastTransitionTime");
    ty_condition_set(a, status, "Failed", "True", TY_LIT(UNSUPPORTED),
                     ty_str(ty_runtime_unsupported(a, job)), now);
}

/* A JobSet that the API server refuses (by JobSet's admission, a quota, its schema) makes the job
 * Failed, but not finished: the condition is set after the checks of deadline and TTL, so that the
 * deadline still applies, and the TTL does not begin. The message is that of the last attempt. */
static void report_refused(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                           const struct ty_trainjob *job, const struct ty_json *was,
                           struct ty_json *status, struct ty_str now)
{
    const struct ty_json *before =
        ty_trainjob_is_refused(was) ? ty_condition_find(was, "Failed") : NULL;

    if ((!before && !in->refused.n) || ty_trainjob_finished(status) ||
        ty_plan_view_get(in->view, &ty_kind_jobset, job->ns, job->name))
        return;
    ty_condition_set(a, status, "Failed", "True", TY_LIT(TY_REASON_CREATION_FAILED),
                     in->refused.n ? in->refused : ty_json_str_at(before, "message"),
                     before ? ty_json_str_at(before, "lastTransitionTime") : now);
}

static void keep_if_changed(struct ty_arena *a, const struct ty_json *was, struct ty_json *status,
                            struct ty_trainjob_reconcile *ret)
{
    if (ty_json_len(ty_json_get(status, "conditions")) == 0)
        ty_json_del(status, TY_LIT("conditions"));
    if (!ty_json_eq(was ? was : ty_json_object(a), status))
        ret->status = status;
}

void ty_trainjob_reconcile(struct ty_arena *a, const struct ty_trainjob_reconcile_in *in,
                           struct ty_trainjob_reconcile *ret)
{
    struct ty_trainjob job;
    struct ty_str now = ty_time_text(a, in->now_s);
    const struct ty_json *was = ty_json_get(in->job, "status");
    struct ty_json *status = was ? ty_json_copy(a, was, 0) : ty_json_object(a);
    struct ty_str manager = ty_json_str_at(in->job, "spec.managedBy");

    *ret = (struct ty_trainjob_reconcile){ 0 };
    ty_trainjob_parse(&job, in->job);
    if (manager.n && !ty_str_is(manager, MANAGER))
        return; /* managed by MultiKueue: neither children nor status are written */
    bool over = ended_for_good(in, &job, was), known = ty_runtime_kind(&job);
    if (!over)
        forget_failed(status);
    if (!known)
        refuse_runtime(a, &job, was, status, now);
    else if (!over && !in->no_build && !ty_trainjob_finished(status) &&
             build_children(a, in, &job, ret) < 0)
        report_failure(a, ret);
    if (is_suspended(in, &job) == job.suspended)
        set_suspended(a, &job, status, now);
    else
        report_suspend_refused(a, in, !job.suspended, status, now);
    if (known && !over)
        mirror_children(a, in, &job, status);
    if (known && !over)
        ty_stalled_update(a, in, &job, status, ret);
    check_deadline(a, in, &job, status, ret);
    ty_failure_note_apply(a, was, in->failure_note, status);
    check_ttl(&job, status, in->now_s, ret);
    report_refused(a, in, &job, was, status, now);
    keep_if_changed(a, was, status, ret);
}
