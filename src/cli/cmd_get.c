/* trainyard get: lists TrainJobs in the history of this machine, and their JobSets, Jobs, pods and
 * events. */
#include <time.h>

#include "cli/cmds.h"
#include "cli/history/job_state.h"
#include "cli/install/cluster_hint.h"
#include "cli/view/events_view.h"
#include "cli/view/get_view.h"
#include "cli/view/objects_view.h"

static const char *const formats[] = { "json", "yaml", "name", "wide", NULL };
struct get_opts {
    struct ty_args args;
    struct ty_job_history_opts history;
    const char *output;
    bool watch;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "json, yaml, name or wide", formats,
      TY_OPT_AT(struct get_opts, output) },
    TY_OPTS_JOB_HISTORY(struct get_opts),
    { "watch", 'w', TY_OPT_FLAG, NULL, "keep running; print a TrainJob again when it changes", NULL,
      TY_OPT_AT(struct get_opts, watch) },
    TY_OPT_HELP(struct get_opts),
    TY_OPT_END,
};
static const char *const kinds[] = { "trainjobs", "jobsets", "jobs", "pods", "events", NULL };

static const struct view {
    const struct ty_kind *kind;
    const char *brief; /* kubectl's short name */
    void (*head)(struct ty_table *t, bool wide);
    void (*row)(struct ty_table *t, const struct ty_get_row *r);
} views[] = {
    { &ty_kind_trainjob, NULL, ty_get_trainjobs_head, NULL },
    { &ty_kind_jobset, "js", ty_get_jobsets_head, ty_get_jobsets_row },
    { &ty_kind_job, NULL, ty_get_jobs_head, ty_get_jobs_row },
    { &ty_kind_pod, "po", ty_get_pods_head, ty_get_pods_row },
};

struct get {
    struct ty_cli *cli;
    struct ty_history_db *d;
    const struct get_opts *opts;
    const struct view *view;
    bool events;
    const char **names;
    size_t n_names;
    bool *found;    /* for each name: a row was printed */
    int64_t *shown; /* for each name: the run of that row */
    int64_t run;    /* --run, or 0 */
    struct ty_table table;
    struct ty_map newest_in; /* "run/namespace/place" -> int64_t: newest version there */
    struct ty_map seen;      /* --watch: "run/name" -> the state last printed */
    struct ty_json **objs;
    size_t n, cap;
    int64_t now_ms;
    int64_t newest; /* the newest run, the default */
};

static bool is_wide(const struct get *g)
{
    return g->opts->output && strcmp(g->opts->output, "wide") == 0;
}

static bool as_table(const struct get *g)
{
    return !g->opts->output || is_wide(g);
}

/* Index of the operand that matches; -1: none. Without operands everything matches. */
static int requested_index(const struct get *g, const char *name, const char *job)
{
    for (size_t i = 0; i < g->n_names; i++)
        if (strcmp(g->names[i], name) == 0 || (job && strcmp(g->names[i], job) == 0))
            return (int)i;
    return g->n_names ? -1 : 0;
}

/* Adds a copy of the object to the output, with run and state as annotations. */
static void keep_object(struct get *g, const struct ty_json *obj, int64_t run, const char *state)
{
    struct ty_arena *a = g->cli->arena;

    if (!ty_json_is(obj, TY_JSON_OBJECT))
        return; /* not written by trainyard */
    struct ty_json *v = ty_json_parse(a, ty_json_text(a, obj), NULL, NULL);
    if (!v)
        return; /* out of memory */
    struct ty_json *notes =
        ty_json_ensure_object(a, ty_json_ensure_object(a, v, "metadata"), "annotations");

    ty_json_set(a, notes, "trainyard.dev/run", ty_json_strf(a, "%lld", (long long)run));
    if (state)
        ty_json_set(a, notes, "trainyard.dev/state", ty_json_strf(a, "%s", state));
    ty_room(a, g->objs, g->n, g->cap);
    g->objs[g->n++] = v;
}

/* ---- TrainJobs ---- */

static bool on_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct get *g = ctx;
    int at = requested_index(g, job->name, NULL);

    if (job->gone || at < 0 || (g->n_names && g->found[at]))
        return true; /* only the newest run of a named object */
    if (g->n_names)
        g->found[at] = true;
    if (as_table(g))
        ty_get_trainjobs_row(&g->table, a, job, is_wide(g), g->now_ms);
    else
        keep_object(g, job->job, job->run.id, ty_job_state_text(a, job));
    return true;
}

static int get_trainjobs(struct get *g)
{
    struct ty_job_history_query q = {
        .cli = g->cli, .d = g->d, .ns = g->opts->history.ns, .run = g->run, .fn = on_job, .ctx = g
    };
    if (g->n_names == 1)
        q.name = g->names[0];
    return ty_job_history_query(&q);
}

/* ---- the other kinds ---- */

static bool find_shown(void *ctx, struct ty_arena *a TY_UNUSED,
                       const struct ty_job_history_entry *job)
{
    struct get *g = ctx;

    if (!g->newest || job->run.id > g->newest)
        g->newest = job->run.id;
    return false; /* newest first */
}

/* Pods are identified by host name: a restarted pod replaces the earlier one. */
static const char *place_of(struct ty_arena *a, const struct ty_history_read_object *o,
                            const struct ty_json *obj)
{
    struct ty_str host = ty_json_str_at(obj, "spec.hostname");
    return host.n ? ty_arena_cstr(a, host) : o->name;
}

static struct ty_str place_key(struct ty_arena *a, const struct ty_history_read_object *o,
                               const char *place)
{
    return ty_str(ty_arena_printf(a, "%lld/%s/%s", (long long)o->run.id, o->ns, place));
}

static struct ty_json *read_object(struct ty_arena *a, const struct ty_history_read_object *o)
{
    return ty_job_history_parse(a, o);
}

/* Records the newest version in each place. */
static bool on_place(void *ctx, const struct ty_history_read_object *o)
{
    struct get *g = ctx;
    ty_auto_arena *a = ty_arena_new(TY_JOB_HISTORY_CEILING);
    struct ty_str key = place_key(a, o, place_of(a, o, read_object(a, o)));
    int64_t *had = ty_map_get(&g->newest_in, key);

    if (!had) {
        had = ty_new(g->cli->arena, int64_t);
        ty_map_put(&g->newest_in, key, had);
    }
    *had = o->version > *had ? o->version : *had;
    return true;
}

static bool on_object(void *ctx, const struct ty_history_read_object *o)
{
    struct get *g = ctx;
    ty_auto_arena *scratch = ty_arena_new(TY_JOB_HISTORY_CEILING);
    struct ty_json *obj = read_object(scratch, o);
    const char *place = place_of(scratch, o, obj);
    const int64_t *newest = ty_map_get(&g->newest_in, place_key(scratch, o, place));
    int at = requested_index(g, o->name, o->job);

    if (at < 0)
        at = requested_index(g, place, NULL);
    if (at < 0 || (o->gone && newest && o->version < *newest))
        return true;
    if (g->n_names) {
        if (g->shown[at] && g->shown[at] != o->run.id)
            return true; /* only the newest run of a named object */
        g->shown[at] = o->run.id;
        g->found[at] = true;
    }
    struct ty_get_row row = { .a = g->cli->arena,
                              .obj = obj,
                              .row = o,
                              .cut_off =
                                  ty_history_read_run_state(g->d, &o->run) != TY_HISTORY_RUN_LIVE,
                              .wide = is_wide(g),
                              .now_ms = g->now_ms };
    if (as_table(g))
        g->view->row(&g->table, &row);
    else
        keep_object(g, obj, o->run.id, NULL);
    return true;
}

static int get_objects(struct get *g)
{
    struct ty_job_history_query newest = { .cli = g->cli, .d = g->d, .fn = find_shown, .ctx = g };
    struct ty_err err = { 0 };
    int code = ty_job_history_query(&newest);
    struct ty_history_read_filter which = { .run = g->run       ? g->run
                                                   : g->n_names ? 0
                                                                : g->newest,
                                            .ns = g->opts->history.ns,
                                            .kind = g->view->kind };

    if (code || !g->d)
        return code;
    if (ty_history_read_objects(g->d, &which, on_place, g, &err) < 0 ||
        ty_history_read_objects(g->d, &which, on_object, g, &err) < 0)
        code = ty_job_history_error(g->cli, &err);
    ty_map_done(&g->newest_in);
    return code;
}

static int get_events(struct get *g)
{
    struct ty_history_read_filter which = { .run = g->run, .job = g->n_names ? g->names[0] : NULL };

    if (!which.job && !which.run) {
        struct ty_job_history_query newest = {
            .cli = g->cli, .d = g->d, .fn = find_shown, .ctx = g
        };
        ty_job_history_query(&newest);
        which.run = g->newest;
    }
    return ty_events_view_print(g->cli, g->d, &which, g->opts->output, NULL);
}

/* ---- printing ---- */

static int report_missing(struct get *g)
{
    int code = TY_EXIT_OK;

    for (size_t i = 0; i < g->n_names; i++)
        if (!g->found[i])
            code = ty_job_history_not_found(g->cli, g->view->kind, g->names[i]);
    for (size_t i = 0; i < g->n_names && code && g->view->kind == &ty_kind_trainjob; i++) {
        if (g->found[i] || g->opts->history.run)
            continue;
        ty_cluster_hint(g->cli, g->opts->history.ns, g->names[i]);
        break; /* one hint is enough */
    }
    return code;
}

static int print_result(struct get *g)
{
    ty_auto_buf out = { 0 };

    if (!as_table(g))
        return g->n || !g->n_names
                   ? ty_objects_view_print(g->cli, g->objs, g->n, g->n_names != 1, g->opts->output)
                   : TY_EXIT_OK;
    if (ty_table_rows(&g->table))
        ty_table_print(&g->table, &out);
    else if (!g->n_names)
        fputs("No resources found\n", g->cli->err);
    return ty_cli_print(g->cli, &out);
}

/* ---- watching ---- */

/* Prints a row once, and again when a cell other than its times changes. */
static bool on_watched(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct get *g = ctx;
    char *key = ty_arena_printf(a, "%lld/%s", (long long)job->run.id, job->name);
    char *now =
        ty_arena_printf(a, "%s %s %lld", ty_job_state_text(a, job), ty_job_state_progress(a, job),
                        (long long)ty_job_state_restarts(job));
    char *was = ty_map_get(&g->seen, ty_str(key));

    if (job->gone || requested_index(g, job->name, NULL) < 0 || (was && strcmp(was, now) == 0))
        return true;
    free(ty_map_put(&g->seen, ty_str(key), strdup(now)));
    ty_get_trainjobs_row(&g->table, a, job, is_wide(g), g->now_ms);
    return !ty_arena_full(g->table.arena); /* the rest is printed by the next poll */
}

static void free_seen(struct ty_map *seen)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(seen, &at)))
        free(s->value);
    ty_map_done(seen);
}

static int watch_objects(struct get *g)
{
    struct ty_job_history_query q = { .cli = g->cli,
                                      .d = g->d,
                                      .ns = g->opts->history.ns,
                                      .run = g->run,
                                      .fn = on_watched,
                                      .ctx = g };
    int code = TY_EXIT_OK;

    while (code == TY_EXIT_OK) {
        ty_auto_arena *a = ty_arena_new_input((size_t)1 << 30, NULL);
        ty_auto_buf out = { 0 };
        g->table = (struct ty_table){ .arena = a };
        g->now_ms = ty_cli_wall_ms();
        ty_get_trainjobs_head(&g->table, is_wide(g));
        code = ty_job_history_query(&q);
        if (code == TY_EXIT_OK && ty_table_rows(&g->table)) {
            ty_table_print(&g->table, &out);
            code = ty_cli_print(g->cli, &out);
        }
        nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
    }
    free_seen(&g->seen);
    return code;
}

/* ---- the command ---- */

/* The first operand may be a kind; the others are names. */
static void read_words(struct get *g)
{
    const struct ty_strlist *w = &g->opts->args.operands;
    const char *word = w->n ? w->v[0] : "";
    const struct ty_kind *kind = ty_kind_by_name(ty_str(word));
    size_t used = 0;

    g->view = &views[0];
    for (size_t i = 0; i < TY_COUNT(views); i++)
        if (kind == views[i].kind || (views[i].brief && strcmp(word, views[i].brief) == 0)) {
            g->view = &views[i];
            used = 1;
        }
    g->events =
        strcmp(word, "events") == 0 || strcmp(word, "event") == 0 || strcmp(word, "ev") == 0;
    used |= g->events;
    g->names = w->n > used ? w->v + used : ty_new_n(g->cli->arena, const char *, 1);
    g->n_names = w->n - used;
    g->found = ty_new_n(g->cli->arena, bool, g->n_names + 1);
    g->shown = ty_new_n(g->cli->arena, int64_t, g->n_names + 1);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct get_opts *opts = parsed;
    ty_auto_history_db *d = NULL;
    struct get g = {
        .cli = cli, .opts = opts, .table = { .arena = cli->arena }, .now_ms = ty_cli_wall_ms()
    };

    g.run = ty_job_history_run_id(cli, &ty_cmd_get, &opts->history);
    read_words(&g);
    if (g.run < 0)
        return TY_EXIT_USAGE;
    if (opts->watch && (!as_table(&g) || g.events || g.view != &views[0]))
        return ty_cli_usage(cli, &ty_cmd_get, "--watch is for the table of TrainJobs");
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d);
    if (code)
        return code;
    g.d = d;
    if (g.events)
        return get_events(&g);
    if (opts->watch && d)
        return watch_objects(&g);
    g.view->head(&g.table, is_wide(&g));
    code = g.view == &views[0] ? get_trainjobs(&g) : get_objects(&g);
    if (code == TY_EXIT_OK)
        code = print_result(&g);
    return code ? code : report_missing(&g);
}

const struct ty_cmd ty_cmd_get = {
    .name = "get",
    .about = "List the jobs of this machine, running and finished",
    .operand = "[KIND] [NAME…]",
    .more =
        "KIND is trainjobs (the default), jobsets, jobs, pods or events. A TrainJob has one\n"
        "line for each of its runs, newest first; with NAME only its newest run is listed.\n"
        "Other kinds are listed for the newest run, unless --run, or NAME of an object or of\n"
        "its TrainJob, selects another.\n"
        "\n"
        "STATE is Running, Suspended, Restarting n/m, Complete, Failed or Interrupted (stopped\n"
        "from outside, or killed with the machine).\n",
    .examples = "  trainyard get\n"
                "  trainyard get -o wide\n"
                "  trainyard get pods torch-ddp\n"
                "  trainyard get trainjob torch-ddp -o yaml\n",
    .opts = TY_OPTS(options, struct get_opts),
    .run = run,
    .operands = kinds,
};
