#include "cli/view/get_view.h"
#include "cli/history/job_state.h"
#include "cli/history/pod_state.h"

#include "base/time.h"
#include "trainer/trainjob_reconcile.h"

static const char *number_text(struct ty_arena *a, int64_t n)
{
    return ty_arena_printf(a, "%lld", (long long)n);
}

static int64_t int_at(const struct ty_json *obj, const char *path, int64_t otherwise)
{
    int64_t n = otherwise;

    (void)ty_json_int_at(obj, path, &n);
    return n;
}

static int64_t time_at(const struct ty_json *obj, const char *path)
{
    int64_t s = 0;
    return ty_time_parse(ty_json_str_at(obj, path), &s) ? s : 0;
}

static const char *age_text(const struct ty_get_row *r)
{
    return ty_table_age(r->a, r->now_ms / 1000 - time_at(r->obj, "metadata.creationTimestamp"));
}

static const char *run_of(const struct ty_get_row *r)
{
    return r->columns.runs ? number_text(r->a, r->of->run) : NULL;
}

void ty_get_pods_head(struct ty_table *t, const struct ty_get_columns *c)
{
    if (c->wide)
        ty_table_row(t, "NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE",
                     c->runs ? "RUN" : NULL);
    else
        ty_table_row(t, "NAME", "READY", "STATUS", "RESTARTS", "AGE");
}

void ty_get_pods_row(struct ty_table *t, const struct ty_get_row *r)
{
    ty_table_row(t, ty_json_cstr_at(r->a, r->obj, "metadata.name"),
                 ty_pod_state_ready(r->a, r->obj),
                 ty_pod_state_text(r->a, r->obj, r->of->cut_off, r->of->gone),
                 number_text(r->a, ty_pod_state_restarts(r->obj)), age_text(r),
                 ty_json_cstr_at(r->a, r->obj, "status.podIP"),
                 ty_json_cstr_at(r->a, r->obj, r->columns.runs ? "spec.hostname" : "spec.nodeName"),
                 run_of(r));
}

static bool is_true(const struct ty_json *obj, const char *type)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(obj, "status"), type);
    return c && ty_str_is(ty_json_str_at(c, "status"), "True");
}

static const char *job_status(const struct ty_get_row *r)
{
    if (is_true(r->obj, "Complete"))
        return "Complete";
    if (is_true(r->obj, "Failed"))
        return "Failed";
    if (r->of->cut_off)
        return "Interrupted";
    return ty_json_true_at(r->obj, "spec.suspend") ? "Suspended" : "Running";
}

void ty_get_jobs_head(struct ty_table *t, const struct ty_get_columns *c)
{
    if (c->wide)
        ty_table_row(t, "NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE", c->runs ? "RUN" : NULL);
    else
        ty_table_row(t, "NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE");
}

void ty_get_jobs_row(struct ty_table *t, const struct ty_get_row *r)
{
    int64_t start = time_at(r->obj, "status.startTime"), end = 0;
    const char *took = "";

    end = time_at(r->obj, "status.completionTime");
    if (start && (end || !r->of->cut_off))
        took = ty_table_age(r->a, (end ? end : r->now_ms / 1000) - start);
    ty_table_row(t, ty_json_cstr_at(r->a, r->obj, "metadata.name"), job_status(r),
                 ty_arena_printf(r->a, "%lld/%lld",
                                 (long long)int_at(r->obj, "status.succeeded", 0),
                                 (long long)int_at(r->obj, "spec.completions", 1)),
                 took, age_text(r), run_of(r));
}

void ty_get_jobsets_head(struct ty_table *t, const struct ty_get_columns *c)
{
    if (c->wide)
        ty_table_row(t, "NAME", "TERMINALSTATE", "RESTARTS", "COMPLETED", "SUSPENDED", "AGE",
                     c->runs ? "RUN" : NULL);
    else
        ty_table_row(t, "NAME", "TERMINALSTATE", "RESTARTS", "COMPLETED", "SUSPENDED", "AGE");
}

void ty_get_jobsets_row(struct ty_table *t, const struct ty_get_row *r)
{
    ty_table_row(t, ty_json_cstr_at(r->a, r->obj, "metadata.name"),
                 ty_json_cstr_at(r->a, r->obj, "status.terminalState"),
                 number_text(r->a, int_at(r->obj, "status.restarts", 0)),
                 is_true(r->obj, "Completed") ? "True" : "",
                 ty_json_true_at(r->obj, "spec.suspend") ? "true" : "false", age_text(r),
                 run_of(r));
}

void ty_get_trainjobs_head(struct ty_table *t, const struct ty_get_columns *c)
{
    if (c->wide && c->runs)
        ty_table_row(t, "NAME", "RUNTIME", "NODES", "STATE", "PROGRESS", "RESTARTS", "STARTED",
                     "DURATION", "RUN", "NAMESPACE", "FOLDER", "COMMAND");
    else if (c->wide)
        ty_table_row(t, "NAME", "RUNTIME", "NODES", "STATE", "PROGRESS", "RESTARTS", "STARTED",
                     "DURATION", "NAMESPACE");
    else
        ty_table_row(t, "NAME", "RUNTIME", "NODES", "STATE", "PROGRESS", "RESTARTS", "STARTED",
                     "DURATION");
}

/* Copies the cells into the table's arena: the job's arena is emptied before they are printed. */
void ty_get_trainjobs_row(struct ty_table *t, struct ty_arena *a,
                          const struct ty_job_history_entry *job, const struct ty_get_columns *c,
                          int64_t now_ms)
{
    bool local = c->wide && c->runs;
    const char *cells[] = {
        job->name,
        ty_json_cstr_at(a, job->job, "spec.runtimeRef.name"),
        ty_job_state_nodes(a, job),
        ty_job_state_text(a, job),
        ty_job_state_progress(a, job),
        job->jobset_unread ? "" : number_text(a, ty_job_state_restarts(job)),
        ty_arena_printf(a, "%s ago", ty_table_age(a, (now_ms - job->run.started_ms) / 1000)),
        ty_job_state_duration(a, job, now_ms),
        local     ? number_text(a, job->run.id)
        : c->wide ? job->ns
                  : NULL,
        local ? job->ns : NULL,
        job->run.dir,
        job->run.command,
        NULL,
    };

    for (size_t i = 0; cells[i]; i++)
        cells[i] = ty_arena_strdup(t->arena, cells[i]);
    ty_table_add(t, cells);
}
