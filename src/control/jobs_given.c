/* Objects that a look needs and the world does not keep: the data of snapshots; TrainJobs, JobSets
 * and runtimes that are too large (world.h); JobSets whose rendering may be outdated. Each is
 * fetched, held as text by the writing that needs it, and gone with it. */
#include <errno.h>
#include <stdlib.h>

#include "base/budget.h"
#include "control/jobs_inner.h"
#include "control/keep.h"

#define TREE_CEILING ((size_t)64 << 20)
/* The job, its runtime, JobSet and snapshot; and one that has changed meanwhile. */
#define MOST_FETCHES 5

enum { HELD = 0, IN_WORLD, GONE }; /* what came of it; or -errno */

struct ty_held {
    const struct ty_kind *kind;
    struct ty_str name, text;
    struct ty_held *next;
};

static struct ty_str copy(struct ty_arena *a, struct ty_str s)
{
    return (struct ty_str){ ty_arena_strndup(a, s.n ? s.p : "", s.n), s.n };
}

/* Too large, or not now. */
static int no_room(const struct ty_arena *full)
{
    return ty_arena_starved(full) ? -EAGAIN : -EFBIG;
}

/* HELD, or no_room. */
static int hold(struct ty_writing *w, struct ty_str text)
{
    struct ty_held *h = ty_new(w->arena, struct ty_held);

    *h = (struct ty_held){ .kind = w->work.fetch_kind, .next = w->held };
    h->name = copy(w->arena, w->work.fetch_name);
    h->text = copy(w->arena, text);
    w->held = h;
    return ty_arena_full(w->arena) ? no_room(w->arena) : HELD;
}

const struct ty_given *ty_jobs_given(struct ty_arena *a, const struct ty_writing *w)
{
    const struct ty_given *first = NULL;

    for (const struct ty_held *h = w->held; h; h = h->next) {
        struct ty_given *g = ty_new(a, struct ty_given);
        *g = (struct ty_given){ .kind = h->kind, .name = h->name, .next = first };
        g->json = ty_json_parse(a, h->text, NULL, NULL);
        if (g->json) /* else the arena is full, and who asks for it finds that */
            first = g;
    }
    return first;
}

/* What the world keeps is used from there, at the next look; all else is held. */
static int take_snapshot(struct ty_writing *w, struct ty_arena *a, const struct ty_json *obj)
{
    struct ty_world *world = w->jobs->world;
    const struct ty_known *o =
        ty_world_find(world, &ty_kind_configmap, w->key.ns, w->work.fetch_name);
    struct ty_str data = ty_work_data(a, ty_json_get(obj, "data"));

    if (ty_arena_full(a))
        return no_room(a);
    return !o || ty_world_body(world, o, data) ? IN_WORLD : hold(w, data);
}

static int take_whole(struct ty_writing *w, struct ty_arena *a, const struct ty_json *obj)
{
    const struct ty_known *o =
        ty_world_find(w->jobs->world, w->work.fetch_kind, w->key.ns, w->work.fetch_name);

    if (!o || !ty_str_is(ty_json_str_at(obj, "metadata.uid"), o->uid))
        return GONE; /* or replaced: the watch tells */
    /* A JobSet whole: who owns which of its fields decides what may be written. */
    struct ty_str text = ty_json_text(
        a, w->work.fetch_kind == &ty_kind_jobset ? obj : ty_keep(a, w->work.fetch_kind, obj));
    return ty_arena_full(a) ? no_room(a) : hold(w, text);
}

/* The operator may list these, not get one. */
static bool is_listed(const struct ty_kind *kind)
{
    return kind == &ty_kind_trainjob || kind == &ty_kind_jobset;
}

static int take(struct ty_writing *w, struct ty_arena *a, struct ty_str text, struct ty_err *err)
{
    const struct ty_json *obj = ty_json_parse(a, text, NULL, err);

    if (!obj)
        return ty_arena_full(a) ? no_room(a) : err->code;
    if (is_listed(w->work.fetch_kind))
        obj = ty_json_item(ty_json_get(obj, "items"), 0);
    return w->work.fetch_kind == &ty_kind_configmap ? take_snapshot(w, a, obj)
                                                    : take_whole(w, a, obj);
}

static void say_failed(struct ty_writing *w, struct ty_str why)
{
    char text[512];

    w->failed = true;
    snprintf(text, sizeof(text), "%.*s", TY_ARG(why));
    ty_error(w->jobs->s.log, text,
             w->work.fetch_kind == &ty_kind_configmap ? "could not read the runtime snapshot"
                                                      : "could not read what the look needs",
             TY_S("kind", w->work.fetch_kind->kind), TY_STR("namespace", w->key.ns),
             TY_STR("name", w->key.name));
}

/* Nothing is written by this one: the job is looked at anew, now or after a back-off. */
static void end(struct ty_writing *w, bool again)
{
    struct ty_jobs *j = w->jobs;

    if (w->pending.full && ty_world_find(j->world, &ty_kind_trainjob, w->key.ns, w->key.name))
        ty_jobs_pend(j, w->key.ns, w->key.name)->full = true; /* still true then */
    if (again)
        ty_queue_add(j->queue, w->key);
    ty_jobs_written(w);
}

static void fetched(void *ctx, const struct ty_kube_answer *answer)
{
    struct ty_writing *w = ctx;
    struct ty_err err = { 0 };
    ty_auto_arena *a =
        ty_arena_new_input(ty_jobs_ceiling(w->jobs, TREE_CEILING), w->jobs->s.budget);
    int r = answer->r == 0 ? take(w, a, answer->text, &err) : answer->r;

    w->op = NULL;
    if (r == -EFBIG) {
        ty_arena_reset(a);
        ty_jobs_too_large(w);
        return;
    }
    if (r == -EAGAIN)
        ty_fail(&err, r, "%s", TY_WORK_STARVED);
    if (r == -ENOENT)
        r = GONE; /* the cache is the reflector's: what it tells drops more than the object */
    if (r == HELD && ++w->fetches == MOST_FETCHES)
        r = ty_fail(&err, -EAGAIN, "it changes faster than it can be read");
    if (r < 0)
        say_failed(w, answer->r < 0 ? answer->message : ty_str(err.text));
    if (r != HELD) {
        end(w, r == IN_WORLD);
        return;
    }
    ty_arena_reset(a);
    ty_jobs_again(w);
}

/* A list of one. */
static void list_one(const struct ty_writing *w, struct ty_kube_ask *ask, char *path, size_t size)
{
    const struct ty_kind *kind = ask->kind;

    snprintf(path, size, "/apis/%s/%s/namespaces/%.*s/%s?fieldSelector=metadata.name%%3D%.*s",
             kind->group, kind->version, TY_ARG(w->key.ns), kind->plural, TY_ARG(w->key.name));
    ask->path = path;
}

void ty_jobs_fetch(struct ty_writing *w)
{
    char path[1024];
    struct ty_kube_ask ask = { .verb = TY_KUBE_GET,
                               .kind = w->work.fetch_kind,
                               .ns = w->key.ns,
                               .name = w->work.fetch_name,
                               .raw = true,
                               .fn = fetched,
                               .ctx = w };

    if (is_listed(ask.kind))
        list_one(w, &ask, path, sizeof(path));
    w->jobs->counts.fetches++;
    w->op = ty_kube_start(w->jobs->s.kube, &ask);
}
