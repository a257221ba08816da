/* The summary of a run. The first failure comes first, because the reader looks for it. */
#include "cli/run/run_summary.h"

enum { EACH = 16 }; /* more nodes than that are printed in groups */

#define BOLD(colour)   ((colour) ? "\033[1m" : "")
#define RED(colour)    ((colour) ? "\033[1;31m" : "")
#define GREEN(colour)  ((colour) ? "\033[1;32m" : "")
#define YELLOW(colour) ((colour) ? "\033[1;33m" : "")
#define PLAIN(colour)  ((colour) ? "\033[0m" : "")

void ty_run_summary_clock(struct ty_buf *out, int64_t seconds)
{
    long long s = seconds < 0 ? 0 : seconds;

    if (s >= 3600)
        ty_buf_printf(out, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else
        ty_buf_printf(out, "%lld:%02lld", s / 60, s % 60);
}

void ty_run_summary_restart(struct ty_buf *out, const struct ty_pod_update *news)
{
    if (!news->restarts_again)
        return;
    ty_buf_cstr(out, ", restarts ");
    if (news->restart_ms < 1000)
        ty_buf_cstr(out, "now");
    else {
        ty_buf_cstr(out, "in ");
        ty_failure_summary_duration((news->restart_ms + 999) / 1000 * 1000, out);
    }
    if (news->restart)
        ty_buf_printf(out, " (%lld of %lld%s)", (long long)news->restart,
                      (long long)news->restart_limit,
                      news->restart < news->restart_limit ? "" : ", then the Job fails");
}

void ty_run_summary_metrics(struct ty_buf *out, const struct ty_progress *p)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        ty_buf_printf(out, "%s%s %s", i ? ", " : "", p->metrics[i].name, p->metrics[i].value);
}

static bool same_result(const struct ty_run_node *a, const struct ty_run_node *b)
{
    return a->exit_code == b->exit_code && a->by_us == b->by_us && a->phase == b->phase &&
           a->stopping == b->stopping && a->attempt == b->attempt && a->restarts == b->restarts &&
           strcmp(a->reason, b->reason) == 0;
}

/* The last node of the group that ended like `from`, and the size of the group. */
static const struct ty_run_node *group_end(const struct ty_run_node *from, bool grouped,
                                           size_t *ret_n)
{
    for (*ret_n = 1; grouped && from->next && same_result(from, from->next); ++*ret_n)
        from = from->next;
    return from;
}

static void node_name(struct ty_buf *out, const struct ty_run_node *from,
                      const struct ty_run_node *to)
{
    if (from == to)
        ty_buf_cstr(out, from->name);
    else
        ty_buf_printf(out, "%s … %s", from->name, to->name);
}

static int name_width(const struct ty_run_job *j, bool grouped)
{
    int width = 0;

    for (const struct ty_run_node *n = j->nodes; n; n = n->next) {
        ty_auto_buf b = { 0 };
        size_t count = 0;
        const struct ty_run_node *to = group_end(n, grouped, &count);
        node_name(&b, n, to);
        int w = (int)b.n - (n == to ? 0 : 2); /* the dots are one column of three bytes */
        width = w > width ? w : width;
        n = to;
    }
    return width;
}

static void add_node(struct ty_buf *out, const struct ty_run_node *from,
                     const struct ty_run_node *to, size_t count, int width)
{
    ty_auto_buf name = { 0 }, result = { 0 };

    node_name(&name, from, to);
    if (ty_run_node_alive(from)) /* its run was killed, or deleted: its end is not recorded */
        ty_buf_cstr(&result, from->phase == TY_RUNNING ? "interrupted" : "did not start");
    else
        ty_run_node_result(from, &result);
    ty_buf_printf(out, "  %.*s%*s  %.*s", TY_ARG(ty_buf_str(&name)),
                  width - (int)name.n + (from == to ? 0 : 2), "", TY_ARG(ty_buf_str(&result)));
    if (count > 1)
        ty_buf_printf(out, ", %zu nodes", count);
    if (from == to && from->began_ms && from->ended_ms) {
        ty_buf_cstr(out, ", ");
        ty_failure_summary_duration(from->ended_ms - from->began_ms, out);
    }
    if (from->restarts)
        ty_buf_printf(out, ", restarted %d time%s", from->restarts, from->restarts == 1 ? "" : "s");
    ty_buf_chr(out, '\n');
}

static void add_nodes(struct ty_buf *out, const struct ty_run_job *j)
{
    bool grouped = j->n_nodes > EACH;
    int width = name_width(j, grouped);

    for (const struct ty_run_node *n = j->nodes; n; n = n->next) {
        size_t count = 0;
        const struct ty_run_node *to = group_end(n, grouped, &count);
        add_node(out, n, to, count, width);
        n = to;
    }
}

static void add_progress(struct ty_buf *out, const struct ty_progress *p)
{
    if (p->percent < 0 && p->n_metrics == 0)
        return;
    ty_buf_cstr(out, "  last progress: ");
    if (p->percent >= 0)
        ty_buf_printf(out, "%d%%%s", p->percent, p->n_metrics ? ", " : "");
    ty_run_summary_metrics(out, p);
    ty_buf_chr(out, '\n');
}

/* The reason of a failure without a failed process: a deadline, or the JobSet's message. */
static void add_reason(struct ty_buf *out, const struct ty_run_job *j,
                       const struct ty_run_outcome *o)
{
    struct ty_str first;

    if (!j->result && o->stopped) {
        ty_buf_printf(out, "  %s\n", o->stopped);
        return;
    }
    if (!j->result || !j->message || strcmp(j->result, "Complete") == 0)
        return;
    ty_str_cut(ty_str(j->message), '\n', &first);
    if (!ty_failure_summary_any(j->failure) && first.n)
        ty_buf_printf(out, "  %.*s\n", TY_ARG(first));
}

static void add_job(struct ty_buf *out, const struct ty_run_job *j, const struct ty_run_outcome *o,
                    bool colour)
{
    bool good = j->result && strcmp(j->result, "Complete") == 0;
    const char *result = j->result ? j->result : o->stopped ? "Stopped" : "Deleted";
    const char *hue = good ? GREEN(colour) : j->result ? RED(colour) : YELLOW(colour);

    ty_buf_printf(out, "%strainjob/%s%s: %s%s%s after ", BOLD(colour), j->name, PLAIN(colour), hue,
                  result, PLAIN(colour));
    ty_failure_summary_duration((j->ended_ms ? j->ended_ms : o->now_ms) - j->began_ms, out);
    ty_buf_printf(out, ", %zu node%s", j->n_nodes, j->n_nodes == 1 ? "" : "s");
    if (j->restarts)
        ty_buf_printf(out, ", %lld restart%s", (long long)j->restarts, j->restarts == 1 ? "" : "s");
    ty_buf_chr(out, '\n');
    add_reason(out, j, o);
    add_nodes(out, j);
    add_progress(out, &j->progress);
}

/* Highlights the first line of the failure summary. */
static void add_failure_summary(struct ty_buf *out, const struct ty_run_job *j, bool several,
                                bool colour)
{
    const struct ty_failure_summary *v = j->failure;
    const char *node = ty_failure_summary_node(v);
    ty_auto_buf text = { 0 };
    struct ty_str first;

    ty_failure_summary_print(v, 0, &text);
    struct ty_str rest = ty_str_cut(ty_buf_str(&text), '\n', &first);
    ty_buf_cstr(out, RED(colour));
    if (several) /* "ddp/node-0-1 failed first" */
        ty_buf_printf(out, "%s%s", j->name,
                      node && ty_str_starts(first, ty_str(node)) ? "/" : ": ");
    ty_buf_printf(out, "%.*s%s\n%.*s", TY_ARG(first), PLAIN(colour), TY_ARG(rest));
    ty_buf_chr(out, '\n');
}

/* Of a job of another process only the condition's message is known: the failure summary is what
 * follows its first line. */
static void add_failure_message(struct ty_buf *out, const struct ty_run_job *j, bool colour)
{
    struct ty_str first, head,
        rest = ty_str_cut(ty_str(j->message ? j->message : ""), '\n', &first);

    if (j->failure || !rest.n)
        return;
    rest = ty_str_cut(rest, '\n', &head);
    ty_buf_printf(out, "%s%.*s%s\n", RED(colour), TY_ARG(head), PLAIN(colour));
    if (rest.n)
        ty_buf_printf(out, "%.*s\n", TY_ARG(rest));
}

void ty_run_summary(struct ty_buf *out, const struct ty_run_model *m,
                    const struct ty_run_outcome *o, bool colour)
{
    for (const struct ty_run_job *j = m->jobs; j; j = j->next) {
        bool good = j->result && strcmp(j->result, "Complete") == 0;
        if (!good && ty_failure_summary_any(j->failure))
            add_failure_summary(out, j, m->several, colour);
        else if (!good)
            add_failure_message(out, j, colour);
    }
    bool logs = false; /* those of deleted jobs are deleted, too */
    for (const struct ty_run_job *j = m->jobs; j; j = j->next) {
        add_job(out, j, o, colour);
        logs |= j->result || o->stopped;
    }
    if (!logs)
        return;
    ty_buf_printf(out, "logs: %s/logs\n", o->dir);
    if (o->kept)
        ty_buf_printf(out, "kept: %s/pods\n", o->dir);
}
