/* trainyard describe: prints everything about one TrainJob of one run. */
#include "base/time.h"
#include "cli/cmds.h"
#include "cli/history/job_history.h"
#include "cli/history/job_history_pods.h"
#include "cli/history/job_state.h"
#include "cli/history/pod_state.h"
#include "cli/view/events_view.h"
#include "cli/view/table.h"

struct describe_opts {
    struct ty_args args;
    struct ty_job_history_opts history;
};
static const struct ty_opt options[] = {
    TY_OPTS_JOB_HISTORY(struct describe_opts),
    TY_OPT_HELP(struct describe_opts),
    TY_OPT_END,
};

struct describe_job {
    struct ty_cli *cli;
    struct ty_history_db *d;
    struct ty_arena *a;
    struct ty_job_history_entry job;
    int64_t now_ms;
    struct ty_buf *out;
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
    if (w->job.alive == TY_HISTORY_RUN_LOST)
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
                ty_arena_printf(w->a, "%lld of %lld", (long long)ty_job_state_restarts(j),
                                (long long)most));
    print_field(w, "Started:", time_text(w, j->run.started_ms));
    print_field(w, "Ended:", ended > 0 ? time_text(w, ended) : ended < 0 ? "<unknown>" : "");
    print_field(w, "Duration:", ty_job_state_duration(w->a, j, w->now_ms));
    print_field(w, "Command:", j->run.command);
    print_field(w, "Process:",
                j->alive == TY_HISTORY_RUN_LIVE
                    ? ty_arena_printf(w->a, "%lld", (long long)j->run.pid)
                    : "");
    print_field(w, "Folder:", j->run.dir);
}

/* A message may have several lines; each is indented. */
static void print_message(struct describe_job *w, struct ty_str text)
{
    for (struct ty_str line, rest = text; rest.p && text.n;) {
        rest = ty_str_cut(rest, '\n', &line);
        ty_buf_printf(w->out, "    %.*s\n", TY_ARG(line));
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
        print_message(w, ty_json_str_at(*c, "message"));
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

/* The log file of a container's last start, relative to the run's directory. */
static const char *log_of(struct describe_job *w, const struct ty_job_history_pod *pod,
                          const struct ty_json *status)
{
    const struct ty_json *labels = ty_json_at(pod->obj, "metadata.labels");
    struct ty_str attempt =
        ty_json_as_str(ty_json_get(labels, "jobset.sigs.k8s.io/restart-attempt"));
    int64_t restarts = 0;

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

static int print_nodes(struct describe_job *w)
{
    struct ty_table t = { .arena = w->a, .indent = "  " };
    struct ty_job_history_pod *pods = NULL;
    size_t n = 0;
    int code = ty_job_history_pods(w->cli, w->d, w->a, &w->job, &pods, &n);

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
        ty_buf_cstr(w->out, "  <none>\n");
    return code;
}

static int describe_job(struct ty_cli *cli, struct ty_history_db *d,
                        const struct describe_opts *opts, const char *name)
{
    ty_auto_buf out = { 0 };
    struct describe_job w = {
        .cli = cli, .d = d, .a = cli->arena, .now_ms = ty_cli_wall_ms(), .out = &out
    };
    int code = ty_job_history_entry(cli, d, &opts->history, name, &w.job);

    if (code)
        return code;
    print_fields(&w);
    print_conditions(&w);
    progress_details(&w);
    code = print_nodes(&w);
    ty_buf_cstr(&out, "Events:\n");
    if (code == TY_EXIT_OK)
        code = ty_cli_print(cli, &out);
    struct ty_history_read_filter which = { .run = w.job.run.id, .job = w.job.name };
    return code ? code : ty_events_view_print(cli, d, &which, NULL, "  ");
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct describe_opts *opts = parsed;
    ty_auto_history_db *d = NULL;
    size_t first = opts->args.operands.n > 1 &&
                   ty_kind_by_name(ty_str(opts->args.operands.v[0])) == &ty_kind_trainjob;

    if (opts->args.operands.n == 0)
        return ty_cli_usage(cli, &ty_cmd_describe, "name a TrainJob");
    if (ty_job_history_run_id(cli, &ty_cmd_describe, &opts->history) < 0)
        return TY_EXIT_USAGE;
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d);
    for (size_t i = first; i < opts->args.operands.n && code == TY_EXIT_OK; i++) {
        if (i > first)
            fputs("\n\n", cli->out);
        code = describe_job(cli, d, opts, opts->args.operands.v[i]);
    }
    return code;
}

const struct ty_cmd ty_cmd_describe = {
    .name = "describe",
    .about = "Show a TrainJob: conditions, nodes, logs, events",
    .operand = "NAME…",
    .more =
        "Works during the run and afterwards. NAME means its newest run. The log of a node is a\n"
        "file in the directory that is printed; 'trainyard logs' prints it.\n",
    .examples = "  trainyard describe torch-ddp\n"
                "  trainyard describe torch-ddp --run 3\n",
    .opts = TY_OPTS(options, struct describe_opts),
    .run = run,
};
