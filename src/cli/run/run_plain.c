/* The plain view of a run: one line for each update, prefixed with its node or job. Lines of the
 * programs go to standard output, everything else to standard error. */
#include "base/text.h"
#include "base/xalloc.h"
#include "cli/run/run_summary.h"
#include "cli/run/run_view.h"

static void plain_open(struct ty_run_view *v, uv_loop_t *loop TY_UNUSED)
{
    setvbuf(v->cli->out, NULL, _IOLBF,
            0); /* flush, so that the reader of a pipe gets each line at once */
}

/* A line with text of others: newlines stay. */
static void put_clean(FILE *to, struct ty_str text, const char *keep)
{
    char *clean = ty_xalloc(malloc(text.n + 1));

    fwrite(clean, 1, ty_text_clean_keep(text, keep, clean), to);
    fputc('\n', to);
    free(clean);
}

static void plain_line(struct ty_run_view *v, const struct ty_run_node *n,
                       const char *container TY_UNUSED, struct ty_str text, int64_t ms TY_UNUSED)
{
    if (v->quiet || (v->only && !ty_run_node_is(n, v->only)))
        return;
    fprintf(v->cli->out, "[%s] ", n->label);
    if (v->terminal) {
        put_clean(v->cli->out, text, "");
        return;
    }
    fwrite(text.p ? text.p : "", 1, text.n, v->cli->out);
    fputc('\n', v->cli->out);
}

static void plain_pod(struct ty_run_view *v, const struct ty_run_node *n,
                      const struct ty_pod_update *news)
{
    const char *why = news->message ? news->message : news->error;
    ty_auto_buf line = { 0 };

    if (!news->container || news->exit_code <= 0 || (v->quiet && news->by_us))
        return;
    if (news->exit_signal)
        ty_buf_printf(&line, "%s: %s ended by signal %d%s", n->label, news->container,
                      news->exit_signal, news->by_us ? ", as asked" : "");
    else
        ty_buf_printf(&line, "%s: %s %s with exit code %d%s%s%s", n->label, news->container,
                      news->by_us ? "ended" : "failed", news->exit_code,
                      news->by_us ? ", as asked" : "", why ? ": " : "", why ? why : "");
    ty_run_summary_restart(&line, news);
    put_clean(v->cli->err, ty_buf_str(&line), "\n");
}

static void plain_event(struct ty_run_view *v, const struct ty_kind *kind, const char *name,
                        const char *type, const char *reason, const char *message,
                        int64_t ms TY_UNUSED)
{
    ty_auto_buf line = { 0 };

    if (strcmp(type, "Warning") != 0 || ty_run_view_hides(kind, reason))
        return;
    ty_buf_printf(&line, "%s/%s: %s: %s", kind->singular, name, reason, message);
    put_clean(v->cli->err, ty_buf_str(&line), "\n");
}

/* Prints the first line of the message; the rest is the failure summary, which the summary
 * prints. */
static void plain_condition(struct ty_run_view *v, const struct ty_run_job *j,
                            const struct ty_json *condition)
{
    ty_auto_buf line = { 0 };
    struct ty_str first;

    if (v->quiet || !ty_str_is(ty_json_str_at(condition, "status"), "True"))
        return;
    ty_str_cut(ty_json_str_at(condition, "message"), '\n', &first);
    ty_buf_printf(&line, "trainjob/%s: %.*s: %.*s", j->name,
                  TY_ARG(ty_json_str_at(condition, "type")), TY_ARG(first));
    put_clean(v->cli->err, ty_buf_str(&line), "");
}

static void plain_summary(struct ty_run_view *v, const struct ty_run_outcome *o)
{
    ty_auto_buf b = { 0 };

    fflush(v->cli->out);
    ty_run_summary(&b, &v->model, o, v->cli->colour);
    if (b.n)
        fwrite(b.p, 1, b.n, v->cli->err);
}

const struct ty_run_renderer ty_run_plain = {
    .name = "plain",
    .open = plain_open,
    .line = plain_line,
    .pod = plain_pod,
    .event = plain_event,
    .condition = plain_condition,
    .summary = plain_summary,
};
