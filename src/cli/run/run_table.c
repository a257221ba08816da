/* The table on a terminal: what matters beyond the moment goes above it. */
#include "cli/run/run_screen.h"
#include "cli/run/run_summary.h"
#include "cli/run/run_view.h"

static void add_above(struct ty_run_view *v, const char *hue, const char *who, struct ty_str text)
{
    ty_run_screen_above(v->screen, hue, who, text);
}

static void mark_dirty(struct ty_run_view *v)
{
    ty_run_screen_changed(v->screen);
}

static void table_line(struct ty_run_view *v, const struct ty_run_node *n,
                       const char *container TY_UNUSED, struct ty_str text, int64_t ms TY_UNUSED)
{
    char who[96];

    mark_dirty(v);
    if (!v->only || !ty_run_node_is(n, v->only))
        return;
    snprintf(who, sizeof(who), "[%s] ", n->label);
    add_above(v, "\033[2m", who, text);
}

static void table_pod(struct ty_run_view *v, const struct ty_run_node *n,
                      const struct ty_pod_update *news)
{
    ty_auto_buf b = { 0 };
    struct ty_ended_container end = { .code = news->exit_code };
    char who[96];

    mark_dirty(v);
    if (!news->container || news->exit_code <= 0 || news->by_us)
        return;
    end.oom = news->reason && strcmp(news->reason, "OOMKilled") == 0;
    if (news->reason && strcmp(news->reason, "StartError") == 0)
        end.never = news->message ? news->message : "unknown";
    if (news->error)
        ty_buf_printf(&b, "%s (", news->error);
    ty_failure_summary_exit_text(&end, &b);
    if (news->error)
        ty_buf_chr(&b, ')');
    ty_run_summary_restart(&b, news);
    snprintf(who, sizeof(who), "%s: ", n->label);
    add_above(v, "\033[31m", who, ty_buf_str(&b));
}

static void table_progress(struct ty_run_view *v, const struct ty_run_node *n TY_UNUSED,
                           int64_t ms TY_UNUSED)
{
    mark_dirty(v);
}

static void table_event(struct ty_run_view *v, const struct ty_kind *kind, const char *name,
                        const char *type, const char *reason, const char *message,
                        int64_t ms TY_UNUSED)
{
    char who[256];

    if (strcmp(type, "Warning") != 0 || ty_run_view_hides(kind, reason))
        return;
    snprintf(who, sizeof(who), "%s/%s: %s: ", kind->singular, name, reason);
    add_above(v, "\033[33m", who, ty_str(message));
}

/* The summary prints the end of a job. */
static void table_condition(struct ty_run_view *v, const struct ty_run_job *j,
                            const struct ty_json *condition)
{
    struct ty_str type = ty_json_str_at(condition, "type"), first;
    char who[256];

    mark_dirty(v);
    if (!ty_str_is(ty_json_str_at(condition, "status"), "True") || ty_str_is(type, "Complete") ||
        ty_str_is(type, "Failed"))
        return;
    snprintf(who, sizeof(who), "trainjob/%s: %.*s: ", j->name, TY_ARG(type));
    ty_str_cut(ty_json_str_at(condition, "message"), '\n', &first);
    add_above(v, "\033[33m", who, first);
}

static void table_note(struct ty_run_view *v, enum ty_cli_msg_kind how, const char *text)
{
    add_above(v, how == TY_MSG_ERROR ? "\033[1;31m" : "\033[1;36m",
              how == TY_MSG_ERROR     ? "error: "
              : how == TY_MSG_WARNING ? "warning: "
                                      : "note: ",
              ty_str(text));
}

/* ---- beginning and end ---- */

static void draw_model(void *ctx, const struct ty_run_table_opts *d, struct ty_run_table_frame *ret)
{
    const struct ty_run_view *v = ctx;

    ty_run_table_draw(&v->model, d, ret);
}

static void table_open(struct ty_run_view *v, uv_loop_t *loop)
{
    v->screen = ty_run_screen_open(
        &(struct ty_run_screen_spec){ .cli = v->cli, .draw = draw_model, .ctx = v }, loop);
}

static void table_close(struct ty_run_view *v)
{
    ty_run_screen_close(v->screen);
    v->screen = NULL;
}

/* Escape sequences of ours are in it already; the terminal's driver adds the carriage returns. */
static void table_summary(struct ty_run_view *v, const struct ty_run_outcome *o)
{
    ty_auto_buf b = { 0 };

    ty_run_summary(&b, &v->model, o, v->cli->colour_out);
    ty_run_screen_write(fileno(v->cli->out), ty_buf_str(&b));
}

const struct ty_run_renderer ty_run_table = {
    .name = "table",
    .open = table_open,
    .line = table_line,
    .pod = table_pod,
    .progress = table_progress,
    .event = table_event,
    .condition = table_condition,
    .note = table_note,
    .close = table_close,
    .summary = table_summary,
};
