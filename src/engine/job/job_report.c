/* The failure summary of each TrainJob; job_report_progress.c has its progress. */
#include "engine/job/job_report_inner.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/job/pod_port_conflict.h"
#include "engine/pod/container_log.h"
#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pods.h"
#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"
#include "report/log_arrivals.h"

#define MESSAGE_MAX 32768 /* of a condition, as Kubernetes has it */
#define PORT_SCANS  3     /* of an attempt: all pods may fail for the same port at once */

struct ty_job_report *ty_job_report_of(struct ty_engine *e, const char *job)
{
    struct ty_job_report *r = ty_map_get(&e->job_reports.by_job, ty_str(job));

    if (r)
        return r;
    r = ty_xalloc(calloc(1, sizeof(*r)));
    r->failure = ty_failure_summary_new();
    r->progress = TY_PROGRESS_NONE;
    r->index = r->scanned = -1;
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
        free(r->jobset_message);
        free(r);
    }
    ty_map_done(&reports->by_job);
}

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

/* The value of a number in the container's environment; the last one counts, as in execve. */
static bool env_number(const struct ty_container_plan *c, const char *name, int64_t *ret)
{
    size_t n = strlen(name);
    bool found = false;

    for (const char **at = c->env; at && *at; at++)
        if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
            found = ty_str_parse_i64(ty_str(*at + n + 1), ret);
    return found;
}

/* The ranks of the container's processes, as its framework's variables give them. */
static void find_ranks(const struct ty_container_plan *c, struct ty_ended_container *end)
{
    static const char *const single[] = { "RANK", "JAX_PROCESS_ID", "DMLC_TASK_ID" };
    int64_t node = 0, procs = 0;

    if (env_number(c, "PET_NNODES", &node) && env_number(c, "PET_NODE_RANK", &node) &&
        env_number(c, "PET_NPROC_PER_NODE", &procs) && procs > 0 && node >= 0 && node < INT32_MAX &&
        procs < INT32_MAX) {
        end->first_rank = node * procs;
        end->procs = procs;
        return;
    }
    for (size_t i = 0; i < TY_COUNT(single) && !end->procs; i++)
        if (env_number(c, single[i], &end->first_rank) && end->first_rank >= 0)
            end->procs = 1;
}

/* The end of the log, and when it arrived. Lives with the arena. */
static void read_log(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c,
                     struct ty_ended_container *end)
{
    const struct ty_log_arrivals *x = p->arrivals[c];

    end->log = ty_container_log_tail(a, p, c, TY_TAIL_BYTES, SIZE_MAX);
    if (ty_failure_summary_tail_is_short(end->log))
        end->log =
            ty_failure_summary_tail_part(ty_container_log_tail(a, p, c, TY_TAIL_MOST, SIZE_MAX));
    if (!x)
        return;
    struct ty_log_arrival *v = ty_new_n(a, struct ty_log_arrival, TY_LOG_ARRIVALS);
    for (size_t i = 0; i < x->n; i++)
        v[i] = (struct ty_log_arrival){ x->v[i].offset - (x->bytes - (int64_t)end->log.n),
                                        x->v[i].ms };
    end->arrive = v;
    end->n_arrive = x->n;
}

static size_t count_running(const struct ty_engine *e, const char *job)
{
    size_t n = 0;

    for (const struct ty_pod_runtime *p = e->pods.first; p; p = p->next)
        n += !p->over && strcmp(p->job, job) == 0;
    return n;
}

/* The first failure of an attempt is reported at once: the others may take minutes to end, and then
 * it may turn out that this one was a consequence. */
static void announce_failure(struct ty_pod_runtime *p, struct ty_job_report *r)
{
    ty_auto_buf b = { 0 };

    if (r->announced > p->attempt || !ty_failure_summary_any(r->failure) || p->e->stopping ||
        count_running(p->e, p->job) < 2)
        return;
    r->announced = p->attempt + 1;
    ty_failure_summary_headline(r->failure, 0, &b);
    ty_buf_cstr(&b, " (waiting for the others to end)");
    ty_buf_chr(&b, '\0');
    ty_engine_event(p->e, &ty_kind_trainjob, p->job, "Warning", "NodeFailed", b.p);
}

static const char *port_hint(struct ty_arena *a, const struct ty_pod_runtime *p,
                             struct ty_job_report *r, struct ty_str log)
{
    if (r->scanned != p->attempt) {
        r->scanned = p->attempt;
        r->scans_left = PORT_SCANS;
    }
    return ty_pod_port_conflict(a, p, log, &r->scans_left);
}

static bool is_deleted(struct ty_engine *e, const struct ty_pod_runtime *p)
{
    const struct ty_stored *job =
        ty_local_find(e->store, &ty_kind_trainjob, ty_str(p->ns), ty_str(p->job));

    return job && job->deleting;
}

void ty_job_report_container_ended(struct ty_pod_runtime *p, size_t c, int wstatus,
                                   struct ty_pod_update *news)
{
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    bool not_needed = ty_pod_lifecycle_stop_reason(p->run) == TY_STOP_DELETED || p->e->stopping;
    struct ty_job_report *r = ty_job_report_of(p->e, p->job);
    struct ty_ended_container end = { .node = node_of(p),
                                      .container = news->container,
                                      .attempt = p->attempt,
                                      .restarts = news->restarts,
                                      .memory_limit = p->plan.containers[c].memory_limit,
                                      .sidecar = news->sidecar,
                                      .began_ms = p->began_ms[c],
                                      .ended_ms = news->time_ms,
                                      .stop_ms = p->stop_ms[c] };

    if (wstatus < 0)
        end.never = news->message ? news->message : "no reason is known";
    else if (WIFSIGNALED(wstatus))
        end.sig = WTERMSIG(wstatus);
    else
        end.code = WEXITSTATUS(wstatus);
    end.oom = news->reason && strcmp(news->reason, "OOMKilled") == 0;
    end.stopped = news->by_us && not_needed;
    end.asked = end.stopped && (p->e->stopping || is_deleted(p->e, p));
    if (news->by_us && !not_needed)
        end.forced = fault_of(p);
    if (news->by_us && !not_needed && !end.forced)
        return; /* a sidecar, after the others: as it should be */
    find_ranks(&p->plan.containers[c], &end);
    if (wstatus != 0)
        read_log(a, p, c, &end);
    if (p->log_faults[c]) /* its last lines are not the last that it wrote */
        end.hint = ty_arena_printf(a, "its log is incomplete: %s", p->log_faults[c]);
    else if (!end.stopped)
        end.hint = port_hint(a, p, r, end.log);
    ty_failure_summary_add(r->failure, &end);
    if (!end.stopped)
        news->error = ty_failure_summary_error(r->failure, end.node, end.container);
    announce_failure(p, r);
}

void ty_job_report_start_failed(struct ty_pod_runtime *p, const char *container, const char *why)
{
    struct ty_ended_container end = { .node = node_of(p),
                                      .container = container,
                                      .attempt = p->attempt,
                                      .never = why,
                                      .ended_ms = ty_engine_wall_ms() };

    ty_failure_summary_add(ty_job_report_of(p->e, p->job)->failure, &end);
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

/* JobSet's own words, then the summary. Lives with the arena. */
static struct ty_json *failed_message(struct ty_engine *e, struct ty_arena *a, const char *job,
                                      struct ty_str own)
{
    ty_auto_buf b = { 0 };

    ty_buf_printf(&b, "%.*s\n", TY_ARG(own));
    ty_failure_summary_print(ty_engine_failure_summary(e, job), count_running(e, job), &b);
    while (b.n && b.p[b.n - 1] == '\n')
        b.n--;
    return ty_json_str(a, cut_message(a, &b));
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
    struct ty_job_report *r = ty_map_get(&e->job_reports.by_job, name);

    if (!ty_str_is(ty_json_str_at(failed, "status"), "True") ||
        ty_str_is(ty_json_str_at(was, "status"), "True") || !r ||
        !ty_failure_summary_any(r->failure))
        return;
    struct ty_str own = ty_json_str_at(failed, "message");
    free(r->jobset_message);
    r->jobset_message = count_running(e, job) ? ty_xalloc_cstr(own) : NULL;
    ty_json_set(e->pass, failed, "message", failed_message(e, e->pass, job, own));
}

void ty_job_report_pod_over(struct ty_engine *e, const char *ns, const char *job)
{
    struct ty_job_report *r = ty_map_get(&e->job_reports.by_job, ty_str(job));
    struct ty_err err = { 0 };

    if (!r || !r->jobset_message || count_running(e, job))
        return;
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    struct ty_json *obj = ty_local_get(e->store, a, &ty_kind_jobset, ty_str(ns), ty_str(job));
    struct ty_json *failed =
        ty_json_find_item(ty_json_at(obj, "status.conditions"), "type", TY_LIT("Failed"), NULL);
    if (failed) {
        ty_json_set(a, failed, "message", failed_message(e, a, job, ty_str(r->jobset_message)));
        if (ty_local_status(e->store, a, obj, &err) < 0)
            ty_engine_event(e, &ty_kind_jobset, job, "Warning", "WriteFailed", err.text);
    }
    free(r->jobset_message);
    r->jobset_message = NULL;
}
