/* The progress of each TrainJob: from lines of its pods, or as its training code reports it. */
#include <stdlib.h>

#include "base/time.h"
#include "engine/engine_inner.h"
#include "engine/engine_reconcile.h"
#include "engine/job/job_report_inner.h"
#include "engine/pod/pods.h"

#define EVERY_MS 1000 /* how often progress is written, at most */

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
    struct ty_job_report *r = ty_job_report_of(p->e, p->job);
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
    struct ty_job_report *r = ty_job_report_of(e, job);
    ty_auto_buf b = { 0 };

    ty_json_print(&b, trainer_status);
    ty_buf_chr(&b, '\0');
    free(r->own);
    r->own = b.p;
    b = (struct ty_buf){ 0 };
    mark_written(e, ns, job, r);
}
