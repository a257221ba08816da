/* trainyard describe: prints everything about one TrainJob of one run. */
#include "base/time.h"
#include "cli/cmds.h"
#include "cli/history/job_state.h"
#include "cli/history/pod_state.h"
#include "cli/jobs/job_failure.h"
#include "cli/run/run_history.h"
#include "cli/view/events_view.h"
#include "cli/view/get_words.h"
#include "cli/view/table.h"
#include "engine/jobset/jobset_read.h"
#include "report/failure_hint.h"
#include "report/job_phase.h"

struct describe_opts {
    struct ty_args args;
    struct ty_where_opts where;
};
static const struct ty_opt options[] = {
    TY_OPTS_WHERE_JOB(struct describe_opts),
    TY_OPT_HELP(struct describe_opts),
    TY_OPT_END,
};

struct describe_job {
    struct ty_cli *cli;
    struct ty_job_source *source;
    struct ty_arena *a;
    struct ty_job_history_entry job;
    int64_t now_ms;
    struct ty_buf *out;
    struct ty_job_history_pod *pods;
    size_t n_pods;
    const char *no_pods; /* why there are none; or NULL */
    struct ty_events_marks marks;
};

static void print_field(struct describe_job *w, const char *name, const char *value)
{
    if (value[0])
        ty_buf_printf(w->out, "%-12s %s\n", name, value);
}

/* "2026-11-15T23:46:40Z (5m12s ago)" */
static const char *time_text(struct describe_job *w, int64_t ms)
{
    return ty_arena_printf(w->a, "%.*s (%s ago)", TY_ARG(ty_time_text(w->a, ms / 1000)),
                           ty_table_age(w->a, (w->now_ms - ms) / 1000));
}

/* The state, with the reason if the run ended before the job. */
static const char *state_and_why(struct describe_job *w)
{
    const char *state = ty_job_state_text(w->a, &w->job), *why = NULL;

    if (strcmp(state, "Interrupted") != 0)
        return state;
    const char *end =
        w->job.alive == TY_HISTORY_RUN_LOST ? ty_run_history_lost_end(w->a, w->job.run.dir) : NULL;
    if (end)
        why = ty_arena_printf(
            w->a, "the disk was full: the history lacks the end of the run, which was %s", end);
    else if (w->job.alive == TY_HISTORY_RUN_LOST)
        why = "the run was killed, or the machine stopped";
    else if (strcmp(w->job.run.how, "TimedOut") == 0)
        why = "--timeout was over";
    else
        why = "the run was told to stop";
    return ty_arena_printf(w->a, "%s (%s)", state, why);
}

static void print_fields(struct describe_job *w)
{
    const struct ty_job_history_entry *j = &w->job;
    int64_t ended = ty_job_state_ended_ms(j), most = 0;
    const char *kind = ty_json_cstr_at(w->a, j->job, "spec.runtimeRef.kind");

    print_field(w, "Name:", j->name);
    print_field(w, "Namespace:", j->ns);
    if (w->source->ops->runs)
        print_field(w, "Run:", ty_arena_printf(w->a, "%lld", (long long)j->run.id));
    print_field(w, "State:", state_and_why(w));
    print_field(w, "Progress:", ty_job_state_progress(w->a, j));
    print_field(w, "Runtime:",
                ty_arena_printf(w->a, "%s%s%s%s",
                                ty_json_cstr_at(w->a, j->job, "spec.runtimeRef.name"),
                                kind[0] ? " (" : "", kind, kind[0] ? ")" : ""));
    print_field(w, "Nodes:", ty_job_state_nodes(w->a, j));
    (void)ty_json_int_at(j->jobset, "spec.failurePolicy.maxRestarts", &most);
    print_field(w, "Restarts:",
                j->jobset_unread
                    ? ""
                    : ty_arena_printf(w->a, "%lld of %lld", (long long)ty_job_state_restarts(j),
                                      (long long)most));
    print_field(w, "Started:", time_text(w, j->run.started_ms));
    print_field(w, "Ended:", ended > 0 ? time_text(w, ended) : ended < 0 ? "<unknown>" : "");
    print_field(w, "Duration:", ty_job_state_duration(w->a, j, w->now_ms));
    print_field(w, "Command:", j->run.command);
    print_field(w, "Process:",
                j->alive == TY_HISTORY_RUN_LIVE && j->run.pid
                    ? ty_arena_printf(w->a, "%lld", (long long)j->run.pid)
                    : "");
    print_field(w, "Folder:", j->run.dir);
}

/* A message may have several lines; each is indented. */
static void print_message(struct describe_job *w, struct ty_str text, const char *indent)
{
    for (struct ty_str line, rest = text; rest.p && text.n;) {
        rest = ty_str_cut(rest, '\n', &line);
        if (line.n || rest.n)
            ty_buf_printf(w->out, "%s%.*s\n", indent, TY_ARG(line));
    }
}

static void print_conditions(struct describe_job *w)
{
    const struct ty_json *list = ty_json_at(w->job.job, "status.conditions");
    int64_t s = 0;

    ty_buf_cstr(w->out, "Conditions:\n");
    if (!ty_json_len(list))
        ty_buf_cstr(w->out, "  <none>\n");
    ty_each_item (c, list) {
        const char *since = "";
        if (ty_time_parse(ty_json_str_at(*c, "lastTransitionTime"), &s))
            since = ty_table_age(w->a, w->now_ms / 1000 - s);
        ty_buf_printf(w->out, "  %.*s=%.*s   %.*s   %s ago\n", TY_ARG(ty_json_str_at(*c, "type")),
                      TY_ARG(ty_json_str_at(*c, "status")), TY_ARG(ty_json_str_at(*c, "reason")),
                      since);
        struct ty_str own = ty_json_str_at(*c, "message");
        if (ty_str_is(ty_json_str_at(*c, "type"), "Failed") &&
            ty_str_is(ty_json_str_at(*c, "status"), "True"))
            (void)ty_job_failure_note(own, &own); /* the rest is printed under Failure */
        print_message(w, own, "    ");
    }
}

static void progress_details(struct describe_job *w)
{
    const struct ty_json *s = ty_json_at(w->job.job, "status.trainerStatus");

    if (!ty_json_len(s))
        return;
    ty_buf_cstr(w->out, "Trainer Status:\n  ");
    ty_json_print(w->out, s);
    ty_buf_chr(w->out, '\n');
}

/* The log file of a container's last start, relative to the run's directory; on a cluster its
 * pod. */
static const char *log_of(struct describe_job *w, const struct ty_job_history_pod *pod,
                          const struct ty_json *status)
{
    const struct ty_json *labels = ty_json_at(pod->obj, "metadata.labels");
    struct ty_str attempt = ty_json_as_str(ty_json_get(labels, TY_JOBSET_ATTEMPT));
    int64_t restarts = 0;

    if (!w->source->ops->runs) /* the kubelet has it */
        return ty_json_cstr_at(w->a, pod->obj, "metadata.name");
    (void)ty_json_int_at(status, "restartCount", &restarts);
    return ty_arena_printf(w->a, "logs/%s/%s.%.*s.%lld.log", pod->host,
                           ty_json_cstr_at(w->a, status, "name"),
                           TY_ARG(attempt.n ? attempt : TY_LIT("0")), (long long)restarts);
}

static void add_containers(struct describe_job *w, struct ty_table *t,
                           const struct ty_job_history_pod *pod, const char *list)
{
    bool cut_off = w->job.alive != TY_HISTORY_RUN_LIVE;

    ty_each_item (c, ty_json_at(pod->obj, list)) {
        int64_t restarts = 0;
        (void)ty_json_int_at(*c, "restartCount", &restarts);
        ty_table_row(t, pod->node, ty_json_cstr_at(w->a, *c, "name"),
                     ty_pod_state_container(w->a, *c, cut_off),
                     ty_pod_state_container_exit(w->a, *c),
                     ty_arena_printf(w->a, "%lld", (long long)restarts),
                     ty_json_cstr_at(w->a, pod->obj, "status.podIP"), log_of(w, pod, *c));
    }
}

static void print_nodes(struct describe_job *w)
{
    struct ty_table t = { .arena = w->a, .indent = "  " };
    const struct ty_job_history_pod *pods = w->pods;
    size_t n = w->n_pods;

    ty_table_row(&t, "NODE", "CONTAINER", "STATE", "EXIT", "RESTARTS", "ADDRESS", "LOG");
    for (size_t i = 0; i < n; i++) {
        size_t before = ty_table_rows(&t);
        add_containers(w, &t, &pods[i], "status.initContainerStatuses");
        add_containers(w, &t, &pods[i], "status.containerStatuses");
        if (ty_table_rows(&t) == before)
            ty_table_row(&t, pods[i].node, "",
                         ty_pod_state_text(w->a, pods[i].obj, w->job.alive != TY_HISTORY_RUN_LIVE,
                                           pods[i].gone));
    }
    ty_buf_cstr(w->out, "Nodes:\n");
    if (n)
        ty_table_print(&t, w->out);
    else
        ty_buf_printf(w->out, "  %s\n", w->no_pods ? w->no_pods : "<none>");
}

/* "node-0-1" of "node-0-1: ValueError" and of "node-0-1 (rank 3) failed first: …" */
static struct ty_str blamed_node(struct ty_str summary)
{
    size_t n = 0;

    while (n < summary.n && summary.p[n] != ' ' && summary.p[n] != ':' && summary.p[n] != '\n')
        n++;
    return (struct ty_str){ summary.p, n };
}

/* The operator's note comes first where it blames another node than the pods do: it has read the
 * logs of all pods of the attempt, and the culprit's pod may be gone by now. */
static void add_failure(struct describe_job *w, struct ty_str note, struct ty_buf *out)
{
    ty_auto_buf pods = { 0 };
    const struct ty_job_source_ops *ops = w->source->ops;

    if (ops->failure && strcmp(ty_job_state_text(w->a, &w->job), "Complete") != 0)
        ops->failure(w->source, w->a, &w->job, w->pods, w->n_pods, &pods);
    if (pods.n && (!note.n || ty_str_eq(blamed_node(note), blamed_node(ty_buf_str(&pods))))) {
        ty_buf_add(out, ty_buf_str(&pods));
        return;
    }
    ty_buf_add(out, note);
    if (!pods.n)
        return;
    ty_buf_printf(out, "%sThe pods that are left show:\n",
                  ty_str_ends(note, TY_LIT("\n")) ? "" : "\n");
    ty_buf_add(out, ty_buf_str(&pods));
}

/* The failure summary: from the pods, the condition, or the operator's event. */
static void print_failure(struct describe_job *w)
{
    ty_auto_buf text = { 0 };
    struct ty_str note = ty_job_failure_of(w->job.job);

    if (!note.n && w->marks.failure)
        note = ty_str(w->marks.failure);
    add_failure(w, note, &text);
    if (!text.n)
        return;
    ty_buf_cstr(w->out, "Failure:\n");
    print_message(w, ty_buf_str(&text), "  ");
    const char *hint = ty_failure_hint(ty_buf_str(&text));
    if (hint && !memmem(text.p, text.n, "hint: ", 6)) /* the summary may have one of its own */
        ty_buf_printf(w->out, "  hint: %s\n", hint);
}

/* Of a run that was interrupted: its end; 0: unknown. */
static int64_t end_of_open_phase(struct describe_job *w)
{
    int64_t ended = ty_job_state_ended_ms(&w->job);

    return ended > 0 ? ended : ended < 0 ? 0 : w->now_ms;
}

/* "  running   12s   2026-11-15T23:46:40Z" */
static void print_timeline(struct describe_job *w)
{
    struct ty_table t = { .arena = w->a, .indent = "  " };
    struct ty_phase_row *rows = NULL;
    size_t n = ty_job_phase_timeline(w->a, w->job.job, w->marks.v, w->marks.n, &rows);

    if (!n)
        return;
    ty_buf_cstr(w->out, "Timeline:\n");
    ty_table_row(&t, "PHASE", "DURATION", "BEGAN");
    for (size_t i = 0; i < n; i++) {
        bool end = i + 1 == n && rows[i].end_ms == rows[i].begin_ms;
        int64_t until = rows[i].end_ms ? rows[i].end_ms : end_of_open_phase(w);
        ty_table_row(&t, rows[i].name,
                     end || until < rows[i].begin_ms
                         ? ""
                         : ty_table_age(w->a, (until - rows[i].begin_ms) / 1000),
                     ty_arena_cstr(w->a, ty_time_text(w->a, rows[i].begin_ms / 1000)));
    }
    ty_table_print(&t, w->out);
}

static int describe_job(struct ty_job_source *source, const char *name)
{
    ty_auto_buf out = { 0 }, events = { 0 };
    struct ty_cli *cli = source->cli;
    struct describe_job w = {
        .cli = cli, .source = source, .a = cli->arena, .now_ms = ty_cli_wall_ms(), .out = &out
    };
    int code = source->ops->find(source, name, &w.job);

    if (code == TY_EXIT_OK)
        code = source->ops->pods(source, w.a, &w.job, &w.pods, &w.n_pods, &w.no_pods);
    if (code == TY_EXIT_OK)
        code = ty_events_view_describe(source, &w.job, "  ", &events, &w.marks);
    if (code)
        return code;
    print_fields(&w);
    print_failure(&w);
    print_conditions(&w);
    progress_details(&w);
    print_timeline(&w);
    print_nodes(&w);
    ty_buf_cstr(&out, "Events:\n");
    ty_buf_add(&out, ty_buf_str(&events));
    return ty_cli_print_clean(cli, &out);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct describe_opts *opts = parsed;
    ty_auto_job_source *source = NULL;
    int named = ty_get_words_first_job(cli, &ty_cmd_describe, &opts->args.operands);

    if (named < 0)
        return TY_EXIT_USAGE;
    if (opts->args.operands.n == 0)
        return ty_cli_usage(cli, &ty_cmd_describe, "name a TrainJob");
    int code = ty_job_source_open(cli, &ty_cmd_describe, &opts->where, false, &source);
    for (size_t first = (size_t)named, i = first; i < opts->args.operands.n && code == TY_EXIT_OK;
         i++) {
        if (i > first)
            fputs("\n\n", cli->out);
        code = describe_job(source, opts->args.operands.v[i]);
    }
    return code;
}

const struct ty_cmd ty_cmd_describe = {
    .name = "describe",
    .names = TY_NAMES_JOBS,
    .about = "Show a TrainJob: failure, timeline, nodes, events",
    .operand = "NAME…",
    .more =
        "Works during the run and afterwards. NAME means its newest run. The log of a node is a\n"
        "file in the directory that is printed; 'trainyard logs' prints it.\n"
        "\n"
        "Failure is the failure summary. On a cluster it is judged from the pods that still exist\n"
        "and the ends of their logs, with your own rights; else it is what the operator stored.\n"
        "Timeline shows how long the job was queued, starting, initializing, running, "
        "restarting.\n",
    .examples = "  trainyard describe torch-ddp\n"
                "  trainyard describe torch-ddp --run 3\n"
                "  trainyard describe torch-ddp --cluster -n team\n",
    .opts = TY_OPTS(options, struct describe_opts),
    .run = run,
};
