/* trainyard get: lists TrainJobs of this machine or of a cluster, and their JobSets, Jobs, pods and
 * events. */
#include "cli/cmds.h"
#include "cli/history/history_source.h"
#include "cli/history/job_state.h"
#include "cli/view/claims_view.h"
#include "cli/view/events_view.h"
#include "cli/view/get_words.h"
#include "cli/view/objects_view.h"
#include "cli/view/sort_by.h"
#include "cli/view/table_watch.h"
#include "store/kube/kube_kinds.h"

static const char *const formats[] = { "json", "yaml", "name", "wide", NULL };
struct get_opts {
    struct ty_args args;
    struct ty_where_opts where;
    const char *output, *sort_by;
    bool watch, all_namespaces;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "json, yaml, name or wide", formats,
      TY_OPT_AT(struct get_opts, output) },
    TY_OPTS_WHERE_JOB(struct get_opts),
    { "all-namespaces", 'A', TY_OPT_FLAG, NULL, "all namespaces, and a column for them", NULL,
      TY_OPT_AT(struct get_opts, all_namespaces) },
    { "sort-by", 0, TY_OPT_WORD, "PATH", "sort by a field: .metadata.creationTimestamp", NULL,
      TY_OPT_AT(struct get_opts, sort_by) },
    { "watch", 'w', TY_OPT_FLAG, NULL, "keep running, print an object again when it changes", NULL,
      TY_OPT_AT(struct get_opts, watch) },
    TY_OPT_HELP(struct get_opts),
    TY_OPT_END,
};
static const char *const kinds[] = { "trainjobs", "jobsets", "jobs", "pods",
                                     "events",    "claims",  NULL };
#define KINDS "trainjobs, jobsets, jobs, pods, events and claims"

struct get {
    struct ty_cli *cli;
    struct ty_job_source *source;
    const struct get_opts *opts;
    struct ty_get_words words;
    struct ty_job_history_entry job; /* of events, once it is found; name NULL: of all */
    bool *found;                     /* for each name: a row was printed */
    int64_t *shown;                  /* for each name: the run of that row */
    struct ty_table table;
    struct ty_sort_by sort;
    struct ty_table_watch watching, *watch; /* --watch: &watching, else NULL */
    struct ty_json **objs;
    size_t n, cap;
    int64_t now_ms;
};

static bool is_trainjobs(const struct get *g)
{
    return g->words.view->kind == &ty_kind_trainjob;
}

static bool is_wide(const struct get *g)
{
    return g->opts->output && strcmp(g->opts->output, "wide") == 0;
}

static struct ty_get_columns columns_of(const struct get *g)
{
    return (struct ty_get_columns){ .wide = is_wide(g), .runs = g->source->ops->runs };
}

static bool as_table(const struct get *g)
{
    return !g->opts->output || is_wide(g);
}

/* Index of the operand that matches; -1: none. Without operands everything matches. */
static int requested_index(const struct get *g, const char *name, const char *job)
{
    for (size_t i = 0; i < g->words.n_names; i++)
        if (strcmp(g->words.names[i], name) == 0 || (job && strcmp(g->words.names[i], job) == 0))
            return (int)i;
    return g->words.n_names ? -1 : 0;
}

/* Adds a copy of the object to the output, with run and state as annotations. A cluster's object is
 * printed as it is. */
static void keep_object(struct get *g, const struct ty_json *obj, int64_t run, const char *state)
{
    struct ty_arena *a = g->cli->arena;

    if (!ty_json_is(obj, TY_JSON_OBJECT))
        return; /* not written by trainyard */
    struct ty_json *v = ty_json_parse(a, ty_json_text(a, obj), NULL, NULL);
    if (!v)
        return; /* out of memory */
    ty_room(a, g->objs, g->n, g->cap);
    g->objs[g->n++] = v;
    if (!g->source->ops->runs)
        return;
    struct ty_json *notes =
        ty_json_ensure_object(a, ty_json_ensure_object(a, v, "metadata"), "annotations");

    ty_json_set(a, notes, "trainyard.dev/run", ty_json_strf(a, "%lld", (long long)run));
    if (state)
        ty_json_set(a, notes, "trainyard.dev/state", ty_json_strf(a, "%s", state));
}

/* -A: the namespace is the first cell of the next row, unless the row has it anyway. */
static void begin_row(struct get *g, const char *ns)
{
    if (g->opts->all_namespaces && !(is_wide(g) && is_trainjobs(g)))
        g->table.first = ty_arena_strdup(g->table.arena, ns);
}

/* --watch: drops the row that was added last if it has not changed, except the last one of a
 * deleted object. False: no more rows, the next poll prints the rest. */
static bool end_row(struct get *g, int64_t run, const char *ns, const char *name, bool deleted)
{
    const char *key = ty_arena_printf(g->table.arena, "%lld/%s/%s", (long long)run, ns, name);

    if (g->watch && deleted)
        ty_table_watch_deleted_row(g->watch, key);
    else if (g->watch)
        ty_table_watch_row(g->watch, &g->table, key);
    return !ty_arena_full(g->table.arena);
}

/* ---- TrainJobs ---- */

static bool on_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct get *g = ctx;
    struct ty_get_columns columns = columns_of(g);
    int at = requested_index(g, job->name, NULL);

    if ((job->gone && columns.runs) || at < 0 || (g->words.n_names && columns.runs && g->found[at]))
        return true; /* only the newest run of a named object */
    if (g->words.n_names)
        g->found[at] = true;
    begin_row(g, job->ns);
    ty_sort_by_add(&g->sort, job->job);
    if (!as_table(g)) {
        keep_object(g, job->job, job->run.id, ty_job_state_text(a, job));
        return true;
    }
    ty_get_trainjobs_row(&g->table, a, job, &columns, g->now_ms);
    return end_row(g, job->run.id, job->ns, job->name, job->gone);
}

static int get_trainjobs(struct get *g)
{
    return g->source->ops->jobs(g->source, g->words.n_names == 1 ? g->words.names[0] : NULL, on_job,
                                g);
}

/* ---- the other kinds ---- */

static bool on_object(void *ctx, struct ty_arena *a TY_UNUSED, const struct ty_job_object *o)
{
    struct get *g = ctx;
    int at = requested_index(g, o->name, o->job);

    if (at < 0)
        at = requested_index(g, o->place, NULL);
    if (at < 0)
        return true;
    if (g->words.n_names) {
        if (g->shown[at] && g->shown[at] != o->run)
            return true; /* only the newest run of a named object */
        g->shown[at] = o->run;
        g->found[at] = true;
    }
    struct ty_get_row row = {
        .a = g->table.arena, .of = o, .obj = o->obj, .columns = columns_of(g), .now_ms = g->now_ms
    };
    begin_row(g, o->ns);
    ty_sort_by_add(&g->sort, o->obj);
    if (!as_table(g)) {
        keep_object(g, o->obj, o->run, NULL);
        return true;
    }
    g->words.view->row(&g->table, &row);
    return end_row(g, o->run, o->ns, o->uid, o->deleted);
}

static int get_objects(struct get *g)
{
    return g->source->ops->objects(g->source, g->words.view->kind, g->words.n_names > 0, on_object,
                                   g);
}

static int get_events(struct get *g)
{
    if (g->words.n_names && !g->job.name) { /* of one run, to which a watch keeps */
        int code = g->source->ops->find(g->source, g->words.names[0], &g->job);
        if (code)
            return code;
    }
    const struct ty_job_history_entry *of = g->words.n_names ? &g->job : NULL;
    return g->watch ? ty_events_view_watch(g->source, of, g->watch, &g->table)
                    : ty_events_view_print(g->source, of, g->opts->output);
}

/* Adds the heading and the rows to the table. */
static int fill_table(struct get *g)
{
    struct ty_get_columns columns = columns_of(g);

    if (g->words.events)
        return get_events(g);
    begin_row(g, "NAMESPACE");
    g->words.view->head(&g->table, &columns);
    return is_trainjobs(g) ? get_trainjobs(g) : get_objects(g);
}

/* ---- printing ---- */

static int report_missing(struct get *g)
{
    int code = TY_EXIT_OK;
    bool elsewhere = false;

    for (size_t i = 0; i < g->words.n_names; i++)
        if (!g->found[i])
            code = ty_job_history_not_found(g->cli, g->words.view->kind, g->words.names[i]);
    for (size_t i = 0; i < g->words.n_names && code && g->words.view->kind == &ty_kind_trainjob;
         i++) {
        if (g->found[i])
            continue;
        elsewhere = g->source->ops->hint(g->source, g->words.names[i]);
        break; /* one hint is enough */
    }
    if (g->words.no_kind && !g->found[0] && !elsewhere)
        ty_cli_msg(g->cli, TY_MSG_NOTE, "nor is there a kind \"%s\"; kinds are " KINDS,
                   g->words.no_kind);
    return code;
}

static int print_result(struct get *g)
{
    ty_auto_buf out = { 0 };

    if (ty_sort_by_missing(&g->sort)) {
        ty_cli_msg(g->cli, TY_MSG_ERROR, "--sort-by %s: no object has a field of this path",
                   g->opts->sort_by);
        return TY_EXIT_BAD;
    }
    if (as_table(g))
        ty_sort_by_table(&g->sort, &g->table);
    else
        ty_sort_by_objs(&g->sort, g->objs);
    if (!as_table(g))
        return g->n || !g->words.n_names
                   ? ty_objects_view_print(g->cli, g->objs, g->n, g->words.n_names != 1,
                                           g->opts->output)
                   : TY_EXIT_OK;
    if (ty_table_rows(&g->table))
        ty_table_print(&g->table, &out);
    else if (!g->words.n_names)
        fputs("No resources found\n", g->cli->err);
    return ty_cli_print_clean(g->cli, &out);
}

/* ---- watching ---- */

/* As for a single list, but a name that was found once is not missed when it is deleted. */
static int fill_watched(void *ctx, struct ty_table *t)
{
    struct get *g = ctx;
    bool first = g->watch->polls == 1;

    g->table = *t;
    g->now_ms = ty_cli_wall_ms();
    memset(g->found, 0, g->words.n_names * sizeof(*g->found));
    memset(g->shown, 0, g->words.n_names * sizeof(*g->shown));
    int code = fill_table(g);
    *t = g->table;
    return code || !first || g->words.events ? code : report_missing(g);
}

static int wait_for_change(void *ctx)
{
    struct get *g = ctx;

    return g->source->ops->wait(g->source, g->words.events ? &ty_kind_event : g->words.view->kind);
}

static int watch_objects(struct get *g)
{
    g->watching = (struct ty_table_watch){
        .cli = g->cli, .fill = fill_watched, .wait = wait_for_change, .ctx = g
    };
    g->watch = &g->watching;
    int code = ty_table_watch_run(g->watch);
    ty_table_watch_done(g->watch);
    return code;
}

/* ---- the command ---- */

/* A usage error, or TY_EXIT_OK. */
static int check_options(struct get *g)
{
    const struct get_opts *opts = g->opts;

    g->sort = (struct ty_sort_by){ .arena = g->cli->arena };
    if (g->words.no_kind && strpbrk(g->words.no_kind, "/,")) /* of no name */
        return ty_cli_usage(g->cli, &ty_cmd_get, "%s: there is no such kind; kinds are " KINDS,
                            g->words.no_kind);
    if (opts->sort_by) {
        g->sort.path = ty_sort_by_path(g->cli->arena, opts->sort_by);
        if (!g->sort.path || opts->watch || g->words.events)
            return ty_cli_usage(g->cli, &ty_cmd_get, "--sort-by %s: %s", opts->sort_by,
                                g->sort.path ? "not with --watch or events"
                                             : "write the path of a field, such as .metadata.name");
    }
    if (opts->watch && (!as_table(g) || g->words.claims))
        return ty_cli_usage(g->cli, &ty_cmd_get,
                            "--watch is not for claims, nor with --output json, yaml or name");
    return TY_EXIT_OK;
}

static int print_claims(struct get *g)
{
    const struct ty_strlist *w = &g->opts->args.operands;

    if (!g->source->ops->runs)
        return ty_cli_usage(g->cli, &ty_cmd_get,
                            "claims are those of this machine; for a cluster's: kubectl get pvc");
    return ty_claims_view_print(g->cli, ty_history_source_db(g->source), w->v + 1, w->n - 1,
                                g->opts->output);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct get_opts *opts = parsed;
    ty_auto_job_source *source = NULL;
    struct get g = {
        .cli = cli, .opts = opts, .table = { .arena = cli->arena }, .now_ms = ty_cli_wall_ms()
    };

    ty_get_words_read(cli->arena, &opts->args.operands, &g.words);
    g.found = ty_new_n(cli->arena, bool, g.words.n_names + 1);
    g.shown = ty_new_n(cli->arena, int64_t, g.words.n_names + 1);
    int code = check_options(&g);
    if (code == TY_EXIT_OK)
        code = ty_job_source_open(cli, &ty_cmd_get, &opts->where, opts->all_namespaces, &source);
    if (code)
        return code;
    g.source = source;
    if (g.words.claims)
        return print_claims(&g);
    if (opts->watch && !source->empty)
        return watch_objects(&g);
    code = fill_table(&g);
    if (g.words.events)
        return code;
    if (code == TY_EXIT_OK)
        code = print_result(&g);
    return code ? code : report_missing(&g);
}

const struct ty_cmd ty_cmd_get = {
    .name = "get",
    .about = "List jobs of this machine or of a cluster",
    .operand = "[KIND] [NAME…]",
    .more =
        "KIND is trainjobs (the default), jobsets, jobs, pods, events or claims. A TrainJob has "
        "one\n"
        "line for each of its runs, newest first; with NAME only its newest run is listed.\n"
        "Other kinds are listed for the newest run, unless --run, or NAME of an object or of\n"
        "its TrainJob, selects another.\n"
        "\n"
        "STATE is Created, Queued, Suspended, Starting (not all pods of the trainer are ready),\n"
        "Initializing, Running, Restarting n/m, Terminating, Complete, Failed or Interrupted\n"
        "(stopped from outside, or killed with the machine).\n"
        "\n"
        "With --cluster: the TrainJobs of the context's namespace, of -n, or with -A of all\n"
        "namespaces. There are no runs there: no --run, and no columns RUN, FOLDER, COMMAND.\n",
    .examples = "  trainyard get\n"
                "  trainyard get -o wide\n"
                "  trainyard get pods torch-ddp\n"
                "  trainyard get pods -w\n"
                "  trainyard get trainjob torch-ddp -o yaml\n"
                "  trainyard get -A --cluster\n",
    .opts = TY_OPTS(options, struct get_opts),
    .run = run,
    .operands = kinds,
};
