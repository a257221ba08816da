/* The JSON view of a run: one object per line on standard output, and nothing else. docs/run.md
 * documents the members that programs may rely on. */
#include "cli/run/run_view.h"

#include "base/text.h"
#include "base/time.h"

/* A line has at most 64 KiB; names, messages and statuses are parts of an object, 3 MiB. */
#define ONE_CEILING ((size_t)1 << 30)

/* "2026-11-15T23:45:12.123Z" */
static struct ty_json *time_of(struct ty_arena *a, int64_t ms)
{
    struct ty_str s = ty_time_text(a, ms / 1000);

    return ty_json_strf(a, "%.*s.%03dZ", (int)s.n - 1, s.p, (int)(ms % 1000));
}

static struct ty_json *new_record(struct ty_arena *a, const char *type, int64_t ms)
{
    struct ty_json *o = ty_json_object(a);

    ty_json_set(a, o, "time", time_of(a, ms));
    ty_json_set(a, o, "type", ty_json_cstr(a, type));
    return o;
}

static void set_text(struct ty_arena *a, struct ty_json *o, const char *key, struct ty_str value)
{
    char *copy = ty_arena_alloc(a, value.n + 1, 1);

    ty_json_set(a, o, key, ty_json_str(a, (struct ty_str){ copy, ty_text_valid(value, copy) }));
}

static void set_number(struct ty_arena *a, struct ty_json *o, const char *key, int64_t value)
{
    ty_json_set(a, o, key, ty_json_int(a, value));
}

static void write_one(struct ty_run_view *v, const struct ty_json *o)
{
    ty_auto_buf b = { 0 };

    ty_json_print(&b, o);
    ty_buf_chr(&b, '\n');
    fwrite(b.p, 1, b.n, v->cli->out);
}

static void add_node(struct ty_arena *a, struct ty_json *o, const struct ty_run_node *n)
{
    set_text(a, o, "job", ty_str(n->job->name));
    set_text(a, o, "node", ty_str(n->name));
    set_text(a, o, "pod", ty_str(n->pod));
}

static void json_line(struct ty_run_view *v, const struct ty_run_node *n, const char *container,
                      struct ty_str line, int64_t ms)
{
    ty_auto_arena *a = ty_arena_new(ONE_CEILING);
    struct ty_json *o = new_record(a, "line", ms);

    if (v->quiet || (v->only && !ty_run_node_is(n, v->only)))
        return;
    add_node(a, o, n);
    set_text(a, o, "container", ty_str(container));
    set_text(a, o, "text", line);
    write_one(v, o);
}

static void add_end(struct ty_arena *a, struct ty_json *o, const struct ty_pod_update *news)
{
    set_text(a, o, "container", ty_str(news->container));
    set_number(a, o, "restarts", news->restarts);
    if (news->exit_code >= 0) {
        set_number(a, o, "exitCode", news->exit_code);
        ty_json_set(a, o, "stopped", ty_json_bool(a, news->by_us));
    }
    if (news->restarts_again)
        set_number(a, o, "restartMilliseconds", news->restart_ms);
    if (news->restarts_again && news->restart) {
        set_number(a, o, "restart", news->restart);
        set_number(a, o, "restartLimit", news->restart_limit);
    }
    if (news->stop_ms)
        ty_json_set(a, o, "stopTime", time_of(a, news->stop_ms));
    if (news->sidecar)
        ty_json_set(a, o, "sidecar", ty_json_bool(a, true));
    if (news->reason)
        set_text(a, o, "reason", ty_str(news->reason));
    if (news->error)
        set_text(a, o, "error", ty_str(news->error));
    if (news->message)
        set_text(a, o, "message", ty_str(news->message));
}

static const char *phase_word(enum ty_pod_phase phase)
{
    return phase == TY_PENDING     ? "Pending"
           : phase == TY_RUNNING   ? "Running"
           : phase == TY_SUCCEEDED ? "Succeeded"
                                   : "Failed";
}

static void json_pod(struct ty_run_view *v, const struct ty_run_node *n,
                     const struct ty_pod_update *news)
{
    ty_auto_arena *a = ty_arena_new(ONE_CEILING);
    struct ty_json *o = new_record(a, "pod", news->time_ms);

    if (v->quiet && !(news->container && news->exit_code > 0 && !news->by_us))
        return;
    add_node(a, o, n);
    set_text(a, o, "role", ty_str(news->rjob));
    if (news->index >= 0)
        set_number(a, o, "index", news->index);
    set_number(a, o, "attempt", news->attempt + 1);
    ty_json_set(a, o, "phase", ty_json_cstr(a, phase_word(news->phase)));
    ty_json_set(a, o, "ready", ty_json_bool(a, news->ready));
    if (news->container)
        add_end(a, o, news);
    write_one(v, o);
}

static void add_progress(struct ty_arena *a, struct ty_json *o, const struct ty_progress *p)
{
    struct ty_json *metrics = ty_json_object(a);

    if (p->percent >= 0)
        set_number(a, o, "percent", p->percent);
    if (p->step >= 0)
        set_number(a, o, "step", p->step);
    if (p->total >= 0)
        set_number(a, o, "total", p->total);
    if (p->eta_s >= 0)
        set_number(a, o, "etaSeconds", p->eta_s);
    for (size_t i = 0; i < p->n_metrics; i++)
        ty_json_put(a, metrics, ty_str(p->metrics[i].name), ty_json_cstr(a, p->metrics[i].value));
    if (p->n_metrics)
        ty_json_set(a, o, "metrics", metrics);
}

static void json_progress(struct ty_run_view *v, const struct ty_run_node *n, int64_t ms)
{
    ty_auto_arena *a = ty_arena_new(ONE_CEILING);
    struct ty_json *o = new_record(a, "progress", ms);

    if (v->quiet)
        return;
    add_node(a, o, n);
    add_progress(a, o, ty_run_node_progress(n));
    write_one(v, o);
}

static void json_event(struct ty_run_view *v, const struct ty_kind *kind, const char *name,
                       const char *type, const char *reason, const char *message, int64_t ms)
{
    ty_auto_arena *a = ty_arena_new(ONE_CEILING);
    struct ty_json *o = new_record(a, "event", ms);

    if (v->quiet && strcmp(type, "Warning") != 0)
        return;
    set_text(a, o, "kind", ty_str(kind->kind));
    set_text(a, o, "name", ty_str(name));
    ty_json_set(a, o, "warning", ty_json_bool(a, strcmp(type, "Warning") == 0));
    set_text(a, o, "reason", ty_str(reason));
    set_text(a, o, "message", ty_str(message));
    write_one(v, o);
}

static void json_job(struct ty_run_view *v, const struct ty_run_job *j,
                     const struct ty_json *trainjob, int64_t ms)
{
    ty_auto_arena *a = ty_arena_new(ONE_CEILING);
    struct ty_json *o = new_record(a, "job", ms);

    if (v->quiet)
        return;
    set_text(a, o, "job", ty_str(j->name));
    if (ty_json_get(trainjob, "status"))
        ty_json_set(a, o, "status", ty_json_copy(a, ty_json_get(trainjob, "status"), 0));
    write_one(v, o);
}

static void json_note(struct ty_run_view *v, enum ty_cli_msg_kind how, const char *words)
{
    ty_auto_arena *a = ty_arena_new(ONE_CEILING);
    struct ty_json *o = new_record(a, "note", ty_cli_wall_ms());

    set_text(a, o, "level",
             ty_str(how == TY_MSG_NOTE      ? "note"
                    : how == TY_MSG_WARNING ? "warning"
                                            : "error"));
    set_text(a, o, "text", ty_str(words));
    write_one(v, o);
}

static struct ty_json *nodes_of(struct ty_arena *a, const struct ty_run_job *j)
{
    struct ty_json *list = ty_json_array(a);

    for (const struct ty_run_node *n = j->nodes; n; n = n->next) {
        struct ty_json *o = ty_json_object(a);
        ty_auto_buf result = { 0 };
        ty_run_node_result(n, &result);
        set_text(a, o, "node", ty_str(n->name));
        set_text(a, o, "pod", ty_str(n->pod));
        set_text(a, o, "result", ty_buf_str(&result));
        if (n->exit_code >= 0)
            set_number(a, o, "exitCode", n->exit_code);
        ty_json_set(a, o, "stopped", ty_json_bool(a, ty_run_node_stopped(n)));
        if (n->began_ms && n->ended_ms)
            set_number(a, o, "milliseconds", n->ended_ms - n->began_ms);
        ty_json_push(a, list, o);
    }
    return list;
}

static void job_summary(struct ty_run_view *v, const struct ty_run_job *j,
                        const struct ty_run_outcome *o)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_json *it = new_record(a, "summary", o->now_ms), *progress = ty_json_object(a);
    const char *message = j->result ? j->message : o->stopped;
    ty_auto_buf verdict = { 0 };

    set_text(a, it, "job", ty_str(j->name));
    set_text(a, it, "result", ty_str(j->result ? j->result : o->stopped ? "Stopped" : "Deleted"));
    if (message && *message)
        set_text(a, it, "message", ty_str(message));
    if (ty_failure_summary_any(j->failure) && !(j->result && strcmp(j->result, "Complete") == 0)) {
        ty_failure_summary_print(j->failure, 0, &verdict);
        set_text(a, it, "firstFailed", ty_str(ty_failure_summary_node(j->failure)));
        if (ty_failure_summary_rank(j->failure) >= 0)
            set_number(a, it, "rank", ty_failure_summary_rank(j->failure));
        set_text(a, it, "verdict", ty_buf_str(&verdict));
    }
    set_number(a, it, "milliseconds", (j->ended_ms ? j->ended_ms : o->now_ms) - j->began_ms);
    set_number(a, it, "restarts", j->restarts);
    add_progress(a, progress, &j->progress);
    if (progress->n)
        ty_json_set(a, it, "progress", progress);
    ty_json_set(a, it, "nodes", nodes_of(a, j));
    if (j->result || o->stopped) /* those of a deleted job are deleted, too */
        set_text(a, it, "logs", ty_str(ty_arena_printf(a, "%s/logs", o->dir)));
    if (o->kept)
        set_text(a, it, "kept", ty_str(ty_arena_printf(a, "%s/pods", o->dir)));
    write_one(v, it);
}

static void json_summary(struct ty_run_view *v, const struct ty_run_outcome *o)
{
    for (const struct ty_run_job *j = v->model.jobs; j; j = j->next)
        job_summary(v, j, o);
    fflush(v->cli->out);
}

const struct ty_run_renderer ty_run_json = {
    .name = "json",
    .line = json_line,
    .pod = json_pod,
    .progress = json_progress,
    .event = json_event,
    .job = json_job,
    .note = json_note,
    .summary = json_summary,
};
