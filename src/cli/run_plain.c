/* The plain view of a run: one line for each thing that happens, prefixed with who it happened to.
 */
#include "cli/run_view.h"

static const char *short_name(const char *job, const char *pod)
{
    size_t n = strlen(job);
    return strncmp(job, pod, n) == 0 && pod[n] == '-' ? pod + n + 1 : pod;
}

static void on_line(void *ctx, const char *job, const char *pod, const char *container TY_UNUSED,
                    struct ty_str text, int64_t time_ms TY_UNUSED)
{
    struct ty_run_view *v = ctx;
    const char *who = short_name(job, pod);

    if (v->quiet || (v->only && strcmp(v->only, who) != 0))
        return;
    fprintf(v->cli->out, "[%s] %.*s\n", who, TY_ARG(text));
}

static void on_pod(void *ctx, const struct ty_pod_news *n)
{
    struct ty_run_view *v = ctx;

    if (v->quiet || !n->container || n->exit_code < 0)
        return;
    if (n->exit_signal)
        fprintf(v->cli->err, "%s: %s ended by signal %d%s\n", short_name(n->job, n->pod),
                n->container, n->exit_signal, n->by_us ? ", as asked" : "");
    else if (n->exit_code)
        fprintf(v->cli->err, "%s: %s failed with exit code %d%s%s\n", short_name(n->job, n->pod),
                n->container, n->exit_code, n->message ? ": " : "", n->message ? n->message : "");
}

static void on_event(void *ctx, const struct ty_kind *kind, const char *name, const char *type,
                     const char *reason, const char *message, int64_t time_ms TY_UNUSED)
{
    struct ty_run_view *v = ctx;

    if (!v->quiet && strcmp(type, "Warning") == 0)
        fprintf(v->cli->err, "%s/%s: %s: %s\n", kind->singular, name, reason, message);
}

static void on_job(void *ctx, const char *job, const struct ty_json *trainjob,
                   int64_t time_ms TY_UNUSED)
{
    struct ty_run_view *v = ctx;
    const struct ty_json *list = ty_json_at(trainjob, "status.conditions");

    ty_each_item (c, list)
        if (ty_str_is(ty_json_str_at(*c, "status"), "True") && !v->quiet)
            fprintf(v->cli->err, "trainjob/%s: %.*s: %.*s\n", job,
                    TY_ARG(ty_json_str_at(*c, "type")), TY_ARG(ty_json_str_at(*c, "message")));
}

void ty_run_plain_init(struct ty_run_view *v, struct ty_cli *cli)
{
    *v = (struct ty_run_view){
        .spectator = { .line = on_line, .pod = on_pod, .event = on_event, .job = on_job },
        .cli = cli
    };
    v->spectator.ctx = v;
    setvbuf(cli->out, NULL, _IOLBF,
            0); /* a reader at the other end of a pipe sees each line at once */
}
