/* Receives the engine's updates, updates the model and calls the renderer. */
#include "cli/run/run_view.h"

#include <stdlib.h>
#include <unistd.h>

static void on_pod(void *ctx, const struct ty_pod_update *news)
{
    struct ty_run_view *v = ctx;
    struct ty_run_node *n = ty_run_model_pod(&v->model, news);

    if (v->renderer->pod)
        v->renderer->pod(v, n, news);
}

static void on_line(void *ctx, const char *job, const char *pod, const char *container,
                    struct ty_str text, int64_t ms)
{
    struct ty_run_view *v = ctx;
    struct ty_run_node *n = ty_run_model_line(&v->model, job, pod, text, ms);

    if (v->renderer->line)
        v->renderer->line(v, n, container, text, ms);
}

static void on_progress(void *ctx, const char *job, const char *pod, const struct ty_progress *now,
                        int64_t ms)
{
    struct ty_run_view *v = ctx;
    struct ty_run_node *n = ty_run_model_node(&v->model, job, pod, ms);

    ty_run_model_progress(n, now);
    if (v->renderer->progress)
        v->renderer->progress(v, n, ms);
}

static void on_event(void *ctx, const struct ty_kind *kind, const char *name, const char *type,
                     const char *reason, const char *message, int64_t ms)
{
    struct ty_run_view *v = ctx;

    if (kind == &ty_kind_trainjob) /* it may be stopped before it has a pod */
        ty_run_model_job(&v->model, name, ms);
    if (v->renderer->event)
        v->renderer->event(v, kind, name, type, reason, message, ms);
}

static void on_job(void *ctx, const char *job, const struct ty_json *trainjob, int64_t ms)
{
    struct ty_run_view *v = ctx;
    struct ty_run_job *j = ty_run_model_status(&v->model, job, trainjob, ms);

    if (v->renderer->job)
        v->renderer->job(v, j, trainjob, ms);
    ty_each_item (c, ty_json_at(trainjob, "status.conditions"))
        if (!ty_run_model_condition_shown(j, *c) && v->renderer->condition)
            v->renderer->condition(v, j, *c);
}

bool ty_run_view_can_draw(const struct ty_cli *cli)
{
    const char *term = secure_getenv("TERM");

    return isatty(fileno(cli->out)) && term && *term && strcmp(term, "dumb") != 0;
}

static const struct ty_run_renderer *renderer_for(const struct ty_cli *cli,
                                                  const struct ty_run_view_opts *opts)
{
    bool drawn = ty_run_view_can_draw(cli);

    if (opts->output && strcmp(opts->output, "json") == 0)
        return &ty_run_json;
    if (opts->output && strcmp(opts->output, "plain") == 0)
        return &ty_run_plain;
    return drawn && !opts->quiet ? &ty_run_table : &ty_run_plain;
}

static void on_message(void *ctx, enum ty_cli_msg_kind how, const char *text)
{
    struct ty_run_view *v = ctx;

    v->renderer->note(v, how, text);
}

static void take_messages(struct ty_run_view *v)
{
    v->cli->sink = (struct ty_cli_sink){ .fn = on_message, .ctx = v };
}

void ty_run_view_init(struct ty_run_view *v, struct ty_cli *cli,
                      const struct ty_run_view_opts *opts)
{
    *v = (struct ty_run_view){ .observer = { .pod = on_pod,
                                             .line = on_line,
                                             .progress = on_progress,
                                             .event = on_event,
                                             .job = on_job },
                               .renderer = renderer_for(cli, opts),
                               .cli = cli,
                               .only = opts->node,
                               .quiet = opts->quiet,
                               .terminal = isatty(fileno(cli->out)) == 1 };
    v->observer.ctx = v;
    if (v->renderer == &ty_run_json) { /* all that is said is an object, from the start */
        setvbuf(cli->out, NULL, _IOLBF, 0);
        take_messages(v);
    }
}

void ty_run_view_open(struct ty_run_view *v, uv_loop_t *loop)
{
    if (v->renderer->open)
        v->renderer->open(v, loop);
    if (v->renderer->note)
        take_messages(v); /* elsewhere they would break the table */
}

void ty_run_view_note(struct ty_run_view *v, enum ty_cli_msg_kind how, const char *fmt, ...)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    va_list ap;

    if (v->quiet && how == TY_MSG_NOTE)
        return;
    va_start(ap, fmt);
    char *text = ty_arena_vprintf(a, fmt, ap);
    va_end(ap);
    if (v->renderer->note)
        v->renderer->note(v, how, text);
    else
        ty_cli_msg(v->cli, how, "%s", text);
}

void ty_run_view_close(struct ty_run_view *v, const struct ty_run_outcome *o)
{
    if (!v->renderer)
        return;
    v->cli->sink = (struct ty_cli_sink){ 0 };
    if (v->renderer->close)
        v->renderer->close(v);
    for (struct ty_run_job *j = v->model.jobs; j && o && o->engine; j = j->next)
        j->failure = ty_engine_failure_summary(o->engine, j->name);
    if (o)
        v->renderer->summary(v, o);
    ty_run_model_done(&v->model);
}
