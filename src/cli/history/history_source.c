/* Reads TrainJobs and their objects from the history of this machine. */
#include "cli/history/history_source.h"

#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "cli/install/cluster_hint.h"

#define POLL_NS              300000000
#define POLLS_WITHOUT_CHANGE 10 /* after so many the objects are read anyway */

struct history_source {
    struct ty_job_source base; /* first */
    struct ty_history_db *d;   /* NULL: there is no history */
    const struct ty_job_history_opts *opts;
    int64_t run;     /* --run, or 0 */
    int64_t version; /* of the file at the last `wait` */
};

static struct history_source *mine(struct ty_job_source *s)
{
    return (struct history_source *)(void *)s;
}

static int source_jobs(struct ty_job_source *base, const char *name, ty_job_source_job_fn *fn,
                       void *ctx)
{
    struct history_source *s = mine(base);
    struct ty_job_history_query q = { .cli = base->cli,
                                      .d = s->d,
                                      .ns = s->opts->ns,
                                      .name = name,
                                      .run = s->run,
                                      .fn = fn,
                                      .ctx = ctx };

    return ty_job_history_query(&q);
}

static int source_find(struct ty_job_source *base, const char *word,
                       struct ty_job_history_entry *ret)
{
    struct history_source *s = mine(base);

    return ty_job_history_entry(base->cli, s->d, s->opts, word, ret);
}

/* ---- the other kinds ---- */

static bool take_newest(void *ctx, struct ty_arena *a TY_UNUSED,
                        const struct ty_job_history_entry *job)
{
    int64_t *newest = ctx;

    *newest = job->run.id;
    return false; /* newest first */
}

/* The run that is shown without --run: the newest of any namespace. 0: there is none. */
static int newest_run(struct history_source *s, int64_t *ret)
{
    struct ty_job_history_query q = {
        .cli = s->base.cli, .d = s->d, .fn = take_newest, .ctx = ret
    };

    return ty_job_history_query(&q);
}

struct object_reader {
    struct history_source *s;
    struct ty_arena *a;
    struct ty_map newest_in; /* "run/namespace/place" -> int64_t: newest version there */
    ty_job_source_object_fn *fn;
    void *ctx;
};

static struct ty_str place_key(struct ty_arena *a, const struct ty_history_read_object *o,
                               const char *place)
{
    return ty_str(ty_arena_printf(a, "%lld/%s/%s", (long long)o->run.id, o->ns, place));
}

/* Records the newest version in each place. */
static bool on_place(void *ctx, const struct ty_history_read_object *o)
{
    struct object_reader *r = ctx;
    ty_auto_arena *a = ty_arena_new(TY_JOB_HISTORY_CEILING);
    struct ty_str key =
        place_key(a, o, ty_job_history_pods_host(a, ty_job_history_parse(a, o), o->name));
    int64_t *had = ty_map_get(&r->newest_in, key);

    if (!had) {
        had = ty_new(r->a, int64_t);
        ty_map_put(&r->newest_in, key, had);
    }
    *had = o->version > *had ? o->version : *had;
    return !ty_arena_full(r->a);
}

static bool on_object(void *ctx, const struct ty_history_read_object *o)
{
    struct object_reader *r = ctx;
    ty_auto_arena *a = ty_arena_new(TY_JOB_HISTORY_CEILING);
    struct ty_json *obj = ty_job_history_parse(a, o);
    const char *place = ty_job_history_pods_host(a, obj, o->name);
    const int64_t *newest = ty_map_get(&r->newest_in, place_key(a, o, place));

    if (o->gone && newest && o->version < *newest)
        return true;
    return r->fn(r->ctx, a,
                 &(struct ty_job_object){ .obj = obj,
                                          .ns = o->ns,
                                          .name = o->name,
                                          .uid = o->uid,
                                          .job = o->job,
                                          .place = place,
                                          .run = o->run.id,
                                          .gone = o->gone,
                                          .cut_off = ty_history_read_run_state(r->s->d, &o->run) !=
                                                     TY_HISTORY_RUN_LIVE });
}

static int source_objects(struct ty_job_source *base, const struct ty_kind *kind, bool named,
                          ty_job_source_object_fn *fn, void *ctx)
{
    struct history_source *s = mine(base);
    ty_auto_arena *a = ty_arena_new_input(TY_JOB_HISTORY_CEILING, NULL);
    struct object_reader r = { .s = s, .a = a, .fn = fn, .ctx = ctx };
    struct ty_history_read_filter which = { .run = s->run, .ns = s->opts->ns, .kind = kind };
    struct ty_err err = { 0 };
    int64_t newest = 0;
    int code = newest_run(s, &newest);

    if (code || !s->d)
        return code;
    if (!which.run && !named)
        which.run = newest;
    if (ty_history_read_objects(s->d, &which, on_place, &r, &err) < 0 ||
        ty_history_read_objects(s->d, &which, on_object, &r, &err) < 0)
        code = ty_job_history_error(base->cli, &err);
    ty_map_done(&r.newest_in);
    return code;
}

static int source_pods(struct ty_job_source *base, struct ty_arena *a,
                       const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                       size_t *ret_n, const char **ret_why)
{
    *ret_why = NULL;
    return ty_job_history_pods(base->cli, mine(base)->d, a, job, ret, ret_n);
}

/* ---- events ---- */

struct event_reader {
    ty_job_source_event_fn *fn;
    void *ctx;
};

static bool on_event(void *ctx, const struct ty_history_read_event *e)
{
    struct event_reader *r = ctx;

    return r->fn(r->ctx, &(struct ty_job_event){ .id = e->id,
                                                 .run = e->run,
                                                 .uid = "",
                                                 .kind = e->kind,
                                                 .name = e->name,
                                                 .type = e->type,
                                                 .reason = e->reason,
                                                 .message = e->message,
                                                 .count = e->count,
                                                 .first_ms = e->first_ms,
                                                 .last_ms = e->last_ms });
}

static int source_events(struct ty_job_source *base, struct ty_arena *a TY_UNUSED,
                         const struct ty_job_history_entry *job, ty_job_source_event_fn *fn,
                         void *ctx, const char **ret_why)
{
    struct history_source *s = mine(base);
    struct event_reader r = { fn, ctx };
    struct ty_history_read_filter which = { .run = job ? job->run.id : s->run,
                                            .job = job ? job->name : NULL };
    struct ty_err err = { 0 };

    *ret_why = NULL;
    if (!which.run)
        newest_run(s, &which.run);
    if (s->d && ty_history_read_events(s->d, &which, on_event, &r, &err) < 0)
        return ty_job_history_error(base->cli, &err);
    return TY_EXIT_OK;
}

/* ---- the rest ---- */

/* SQLite tells cheaply whether another process has written, so objects are read again only then,
 * and now and then for a run that was killed and wrote nothing. */
static int source_wait(struct ty_job_source *base, const struct ty_kind *kind TY_UNUSED)
{
    struct history_source *s = mine(base);

    for (int left = POLLS_WITHOUT_CHANGE; left > 0; left--) {
        nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
        int64_t now = ty_history_read_data_version(s->d);
        if (now == s->version)
            continue;
        s->version = now;
        break;
    }
    return TY_EXIT_OK;
}

static bool source_hint(struct ty_job_source *base, const char *name)
{
    struct history_source *s = mine(base);

    /* Run numbers exist on this machine only. */
    return !s->run && ty_cluster_hint(base->cli, s->opts->ns, name);
}

static void source_free(struct ty_job_source *base)
{
    ty_history_db_close(mine(base)->d);
    free(base);
}

static const struct ty_job_source_ops ops = { .runs = true,
                                              .jobs = source_jobs,
                                              .find = source_find,
                                              .objects = source_objects,
                                              .pods = source_pods,
                                              .events = source_events,
                                              .wait = source_wait,
                                              .hint = source_hint,
                                              .free = source_free };

struct ty_history_db *ty_history_source_db(const struct ty_job_source *s)
{
    return s->ops == &ops ? ((const struct history_source *)(const void *)s)->d : NULL;
}

int ty_history_source_open(struct ty_cli *cli, const struct ty_cmd *cmd,
                           const struct ty_job_history_opts *opts, struct ty_job_source **ret)
{
    int64_t run = ty_job_history_run_id(cli, cmd, opts);
    struct ty_history_db *d = NULL;

    if (run < 0)
        return TY_EXIT_USAGE;
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d);
    if (code)
        return code;
    struct history_source *s = ty_xalloc(calloc(1, sizeof(*s)));
    *s = (struct history_source){
        .base = { .ops = &ops, .cli = cli, .empty = !d }, .d = d, .opts = opts, .run = run
    };
    *ret = (struct ty_job_source *)(void *)s; /* the base is first */
    return TY_EXIT_OK;
}
