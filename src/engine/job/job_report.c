/* Failure summary and progress of each TrainJob. */
#include "engine/job/job_report.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/engine_reconcile.h"
#include "engine/pod/container_log.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pods.h"
#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"
#include "report/progress.h"
#include "trainer/trainjob_reconcile.h"

#define MESSAGE_MAX 32768 /* of a condition, as Kubernetes has it */
#define EVERY_MS    1000  /* how often progress is written, at most */

struct ty_job_report {
    struct ty_failure_summary *failure;
    struct ty_progress progress;
    int64_t index, attempt; /* of the pod that it is from; index -1 none yet */
    int64_t since_ms, written_ms;
    double since_part; /* how much was done at since_ms: for the time left */
    char *own;         /* the job's own report, as JSON; NULL: lines count */
    bool dirty;        /* to be written */
};

static struct ty_job_report *report_of(struct ty_engine *e, const char *job)
{
    struct ty_job_report *r = ty_map_get(&e->job_reports.by_job, ty_str(job));

    if (r)
        return r;
    r = ty_xalloc(calloc(1, sizeof(*r)));
    r->failure = ty_failure_summary_new();
    r->progress = TY_PROGRESS_NONE;
    r->index = -1;
    ty_map_put(&e->job_reports.by_job, ty_str(job), r);
    return r;
}

void ty_job_reports_done(struct ty_job_reports *reports)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&reports->by_job, &at))) {
        struct ty_job_report *r = s->value;
        ty_failure_summary_free(r->failure);
        free(r->own);
        free(r);
    }
    ty_map_done(&reports->by_job);
}

/* ---- what failed first ---- */

const struct ty_failure_summary *ty_engine_failure_summary(struct ty_engine *e, const char *job)
{
    const struct ty_job_report *r = ty_map_get(&e->job_reports.by_job, ty_str(job));

    return r ? r->failure : NULL;
}

/* "node-0-1" of "job-node-0-1" */
static const char *node_of(const struct ty_pod_runtime *p)
{
    size_t n = strlen(p->job);

    return strncmp(p->host, p->job, n) == 0 && p->host[n] == '-' ? p->host + n + 1 : p->host;
}

/* Why the engine ended a container for a fault of its own, or NULL. */
static const char *fault_of(const struct ty_pod_runtime *p)
{
    if (ty_pod_lifecycle_stop_reason(p->run) == TY_STOP_DEADLINE)
        return "its pod ran longer than activeDeadlineSeconds allows";
    if (ty_pod_lifecycle_stop_reason(p->run) == TY_STOP_NOT)
        return "its liveness or startup probe failed";
    return NULL;
}

void ty_job_report_container_ended(struct ty_pod_runtime *p, size_t c, int wstatus,
                                   struct ty_pod_update *news)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    bool not_needed = ty_pod_lifecycle_stop_reason(p->run) == TY_STOP_DELETED || p->e->stopping;
    struct ty_ended_container end = { .node = node_of(p),
                                      .container = news->container,
                                      .attempt = p->attempt,
                                      .restarts = news->restarts,
                                      .memory_limit = p->plan.containers[c].memory_limit,
                                      .began_ms = p->began_ms[c],
                                      .ended_ms = news->time_ms };

    if (wstatus < 0)
        end.never = news->message ? news->message : "no reason is known";
    else if (WIFSIGNALED(wstatus))
        end.sig = WTERMSIG(wstatus);
    else
        end.code = WEXITSTATUS(wstatus);
    end.oom = news->reason && strcmp(news->reason, "OOMKilled") == 0;
    end.stopped = news->by_us && not_needed;
    if (news->by_us && !not_needed)
        end.forced = fault_of(p);
    if (news->by_us && !not_needed && !end.forced)
        return; /* a sidecar, after the others: as it should be */
    if (wstatus != 0 && !end.stopped)
        end.log = ty_container_log_tail(a, p, c, TY_TAIL_BYTES, SIZE_MAX);
    struct ty_failure_summary *v = report_of(p->e, p->job)->failure;
    ty_failure_summary_add(v, &end);
    if (!end.stopped)
        news->error = ty_failure_summary_error(v, end.node, end.container);
}

void ty_job_report_start_failed(struct ty_pod_runtime *p, const char *container, const char *why)
{
    struct ty_ended_container end = { .node = node_of(p),
                                      .container = container,
                                      .attempt = p->attempt,
                                      .never = why,
                                      .ended_ms = ty_engine_wall_ms() };

    ty_failure_summary_add(report_of(p->e, p->job)->failure, &end);
}

static size_t count_running(const struct ty_engine *e, const char *job)
{
    size_t n = 0;

    for (const struct ty_pod_runtime *p = e->pods.first; p; p = p->next)
        n += !p->over && strcmp(p->job, job) == 0;
    return n;
}

/* No longer than a condition's message may be, and whole characters. */
static struct ty_str cut_message(struct ty_arena *a, const struct ty_buf *b)
{
    static const char more[] = "\n… (cut)";

    if (b->n <= MESSAGE_MAX)
        return ty_arena_str(a, ty_buf_str(b));
    struct ty_str head = ty_str_head(ty_buf_str(b), MESSAGE_MAX - sizeof(more));
    return ty_str(ty_arena_printf(a, "%.*s%s", TY_ARG(head), more));
}

void ty_job_report_amend_status(struct ty_engine *e, struct ty_json *obj)
{
    struct ty_json *failed =
        ty_json_find_item(ty_json_at(obj, "status.conditions"), "type", TY_LIT("Failed"), NULL);
    struct ty_str ns = ty_json_str_at(obj, "metadata.namespace"),
                  name = ty_json_str_at(obj, "metadata.name");
    struct ty_json *before = ty_local_get(e->store, e->pass, &ty_kind_jobset, ns, name);
    const struct ty_json *was =
        ty_json_find_item(ty_json_at(before, "status.conditions"), "type", TY_LIT("Failed"), NULL);
    const char *job = ty_arena_cstr(e->pass, name);
    const struct ty_failure_summary *v = ty_engine_failure_summary(e, job);
    ty_auto_buf b = { 0 };

    if (!ty_str_is(ty_json_str_at(failed, "status"), "True") ||
        ty_str_is(ty_json_str_at(was, "status"), "True") || !ty_failure_summary_any(v))
        return;
    ty_buf_add(&b, ty_json_str_at(failed, "message"));
    ty_buf_chr(&b, '\n');
    ty_failure_summary_print(v, count_running(e, job), &b);
    while (b.n && b.p[b.n - 1] == '\n')
        b.n--;
    ty_json_set(e->pass, failed, "message", ty_json_str(e->pass, cut_message(e->pass, &b)));
}

/* ---- how far it is ---- */

/* Requeues the TrainJob to write its progress, at most about once a second. */
static void mark_written(struct ty_engine *e, const char *ns, const char *job,
                         struct ty_job_report *r)
{
    int64_t next = r->written_ms + EVERY_MS - ty_engine_now_ms(e);

    if (r->dirty)
        return;
    r->dirty = true;
    ty_engine_requeue_after(e, &ty_kind_trainjob, ns, job, next);
}

/* Rank 0 reports for the job; until it has, the lowest index that reported. */
static void note_progress(struct ty_pod_runtime *p)
{
    struct ty_job_report *r = report_of(p->e, p->job);
    double part = ty_progress_fraction(p->progress);
    int64_t now = ty_engine_now_ms(p->e);

    if (r->own || (r->index >= 0 && r->attempt == p->attempt && p->index > r->index))
        return;
    if (r->index < 0 || r->attempt != p->attempt || r->index != p->index || part < r->since_part) {
        r->since_ms = now; /* the first progress, or training restarted */
        r->since_part = part;
    }
    r->index = p->index < 0 ? 0 : p->index;
    r->attempt = p->attempt;
    r->progress = *p->progress;
    mark_written(p->e, p->ns, p->job, r);
}

void ty_job_report_line(struct ty_pod_runtime *p, struct ty_str line)
{
    struct ty_engine *e = p->e;
    struct ty_progress news;

    if (!ty_progress_parse(line, &news))
        return;
    if (!p->progress) {
        p->progress = ty_new(p->arena, struct ty_progress);
        *p->progress = TY_PROGRESS_NONE;
    }
    ty_progress_merge(p->progress, &news);
    ty_engine_notify(e, progress, p->job, p->host, p->progress, ty_engine_wall_ms());
    if (p->trainer)
        note_progress(p);
}

/* The program's own estimate, or extrapolated from the progress since since_ms; -1 unknown. */
static int64_t seconds_left(const struct ty_job_report *r, int64_t now_ms)
{
    double part = ty_progress_fraction(&r->progress), gone = part - r->since_part;

    if (r->progress.eta_s >= 0)
        return r->progress.eta_s;
    if (part < 0 || gone < 0.001 || r->since_part < 0)
        return -1;
    return (int64_t)((1 - part) * (double)(now_ms - r->since_ms) / gone / 1000);
}

static struct ty_json *metrics_of(struct ty_arena *a, const struct ty_progress *p)
{
    struct ty_json *list = ty_json_array(a);

    for (size_t i = 0; i < p->n_metrics; i++) {
        struct ty_json *m = ty_json_object(a);
        ty_json_set(a, m, "name", ty_json_strf(a, "%s", p->metrics[i].name));
        ty_json_set(a, m, "value", ty_json_strf(a, "%s", p->metrics[i].value));
        ty_json_push(a, list, m);
    }
    return list;
}

static struct ty_json *status_of(const struct ty_job_report *r, struct ty_arena *a, int64_t now_ms)
{
    struct ty_json *s = ty_json_object(a);
    double part = ty_progress_fraction(&r->progress);
    int64_t left = seconds_left(r, now_ms);

    if (part >= 0)
        ty_json_set(
            a, s, "progressPercentage",
            ty_json_int(a, r->progress.percent >= 0 ? r->progress.percent : (int64_t)(part * 100)));
    if (left >= 0 && left <= INT32_MAX)
        ty_json_set(a, s, "estimatedRemainingSeconds", ty_json_int(a, left));
    if (r->progress.n_metrics)
        ty_json_set(a, s, "metrics", metrics_of(a, &r->progress));
    ty_json_set(a, s, "lastUpdatedTime", ty_json_str(a, ty_time_text(a, now_ms / 1000)));
    return s;
}

struct ty_json *ty_job_report_trainer_status(struct ty_engine *e, const char *job,
                                             struct ty_arena *a)
{
    struct ty_job_report *r = ty_map_get(&e->job_reports.by_job, ty_str(job));

    if (!r || !r->dirty)
        return NULL;
    r->dirty = false;
    r->written_ms = ty_engine_now_ms(e);
    if (!r->own)
        return status_of(r, a, ty_engine_wall_ms());
    char *text = ty_arena_strdup(a, r->own);
    return ty_json_parse(a, ty_str(text), NULL, NULL);
}

void ty_engine_progress(struct ty_engine *e, const char *ns, const char *job,
                        const struct ty_json *trainer_status)
{
    struct ty_job_report *r = report_of(e, job);
    ty_auto_buf b = { 0 };

    ty_json_print(&b, trainer_status);
    ty_buf_chr(&b, '\0');
    free(r->own);
    r->own = b.p;
    b = (struct ty_buf){ 0 };
    mark_written(e, ns, job, r);
}
