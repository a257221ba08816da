/* Checks object by object, runtimes and then TrainJobs, and sums up the results. */
#include "advise/adopt_inner.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "controller/owner_conflict.h"

#define JOB_CEILING ((size_t)1 << 30) /* for one object */

const char *const ty_adopt_words[TY_ADOPT_RESULTS] = {
    [TY_ADOPT_SAME] = "same",         [TY_ADOPT_RUNNING] = "running",
    [TY_ADOPT_FINISHED] = "finished", [TY_ADOPT_OTHERS] = "others",
    [TY_ADOPT_NEW] = "new",           [TY_ADOPT_KEPT] = "kept",
    [TY_ADOPT_REPLACED] = "replaced", [TY_ADOPT_DIFFERS] = "differs",
    [TY_ADOPT_REFUSED] = "refused",   [TY_ADOPT_FAILS] = "fails",
    [TY_ADOPT_UNKNOWN] = "unknown",
};

static const struct ty_kind *const kinds[TY_ADOPT_KINDS] = {
    &ty_kind_clustertrainingruntime,
    &ty_kind_trainingruntime,
    &ty_kind_trainjob,
};

/* ---- entries and reasons ---- */

static void add_reason(struct ty_adopt_evaluation *j, bool note, const char *path, const char *fmt,
                       va_list ap) TY_PRINTF(4, 0);
static void add_reason(struct ty_adopt_evaluation *j, bool note, const char *path, const char *fmt,
                       va_list ap)
{
    struct ty_adopt_entry *e = j->entry;

    if (!e)
        return; /* ty_adopt_queries: only collects what must be read */
    struct ty_adopt_reason *r = ty_new(j->keep, struct ty_adopt_reason);
    r->path = ty_arena_strdup(j->keep, path ? path : "");
    r->text = ty_arena_vprintf(j->keep, fmt, ap);
    r->note = note;
    ty_append(e->reasons, e->last, r);
}

void ty_adopt_add_reason(struct ty_adopt_evaluation *j, const char *path, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_reason(j, false, path, fmt, ap);
    va_end(ap);
}

void ty_adopt_add_note(struct ty_adopt_evaluation *j, const char *path, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_reason(j, true, path, fmt, ap);
    va_end(ap);
}

void ty_adopt_set_result(struct ty_adopt_evaluation *j, enum ty_adopt_result result,
                         const char *text)
{
    if (!j->entry || (j->entry->text && result <= j->entry->result))
        return;
    j->entry->result = result;
    j->entry->text = text;
}

/* ---- the snapshot as the view of a pass ---- */

/* Of a Secret only its metadata: the data is not needed. */
static void add_query(struct ty_adopt_evaluation *j, const struct ty_kind *kind, struct ty_str ns,
                      struct ty_str name)
{
    char *key = ty_arena_printf(j->a, "%s.%s/%.*s/%.*s", kind->plural, kind->group, TY_ARG(ns),
                                TY_ARG(name));

    if (!j->asked || ty_map_put(j->asked, ty_str(key), j->asked))
        return;
    ty_room(j->keep, j->wants, j->n_wants, j->cap_wants);
    j->wants[j->n_wants++] = (struct ty_cluster_query){
        .kind = kind,
        .ns = ty_arena_str(j->keep, ns),
        .name = ty_arena_str(j->keep, name),
        .meta = kind == &ty_kind_secret,
    };
}

int ty_adopt_lookup(struct ty_adopt_evaluation *j, const struct ty_kind *kind, struct ty_str ns,
                    struct ty_str name)
{
    const struct ty_cluster_object *o = ty_cluster_snapshot_find(j->in->snapshot, kind, ns, name);

    if (!name.n)
        return -ENOENT; /* an empty name would mean the list */
    if (o)
        return o->r;
    const struct ty_cluster_object *list = ty_cluster_snapshot_list_error(j->in->snapshot, kind);
    if (ty_cluster_snapshot_is_queried(j->in->snapshot, kind, ns, name))
        return list && list->r != -ENOENT ? -EAGAIN : -ENOENT;
    add_query(j, kind, ns, name);
    return -EAGAIN;
}

/* The operator's own check, over a cache of just these two. */
int ty_adopt_owner_conflict(struct ty_adopt_evaluation *j, const struct ty_kind *kind,
                            const struct ty_json *obj, struct ty_err *err)
{
    struct ty_cache *w = ty_cache_new();
    const struct ty_cached *job = ty_cache_put(w, &ty_kind_trainjob, j->job);
    const struct ty_cached *child = job ? ty_cache_put(w, kind, obj) : NULL;
    int r = child ? ty_owner_conflict(j->a, child, job, err) : 0;

    ty_cache_free(w);
    return r;
}

/* As in controller/reconcile.c: hides JobSets and PodGroups of other owners from the pass. */
static bool is_hidden(struct ty_adopt_evaluation *j, const struct ty_kind *kind,
                      const struct ty_json *obj)
{
    struct ty_err err = { 0 };
    bool child = kind == &ty_kind_jobset || kind == &ty_kind_podgroup_cosched ||
                 kind == &ty_kind_podgroup_volcano;

    return obj && child && ty_adopt_owner_conflict(j, kind, obj, &err) < 0;
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct ty_adopt_evaluation *j = ctx;
    const struct ty_settings *s = j->in->settings;

    if (kind == &ty_kind_secret && ty_str_is(ns, s->operator_ns) &&
        ty_str_is(name, s->webhook_secret))
        return j->in->hook_secret;
    int r = ty_adopt_lookup(j, kind, ns, name);
    const struct ty_cluster_object *o = ty_cluster_snapshot_find(j->in->snapshot, kind, ns, name);

    /* Whether a Secret exists affects only whether it would be created. */
    if (r < 0 && r != -ENOENT && kind != &ty_kind_secret && !j->blind)
        j->blind = o ? o : ty_cluster_snapshot_list_error(j->in->snapshot, kind);
    const struct ty_json *obj = ty_cluster_snapshot_parse(j->a, o);
    return is_hidden(j, kind, obj) ? NULL : obj;
}

struct ty_view ty_adopt_view(struct ty_adopt_evaluation *j)
{
    return (struct ty_view){ .ctx = j, .get = view_get };
}

/* ---- all objects ---- */

static void evaluate_one(struct ty_adopt_evaluation *j, const struct ty_cluster_object *o)
{
    ty_arena_reset(j->a);
    j->blind = NULL;
    j->job = NULL;
    if (o->kind == &ty_kind_trainjob)
        ty_adopt_evaluate_trainjob(j, o);
    else
        ty_adopt_evaluate_runtime(j, o);
}

size_t ty_adopt_queries(struct ty_arena *a, const struct ty_adopt_in *in,
                        struct ty_cluster_query **ret)
{
    ty_auto_arena *scratch = ty_arena_new_input(JOB_CEILING, NULL);
    struct ty_map asked = { 0 };
    struct ty_adopt_evaluation j = { .in = in, .keep = a, .a = scratch, .asked = &asked };

    for (size_t k = 0; k < TY_ADOPT_KINDS; k++) {
        size_t at = 0;
        for (const struct ty_cluster_object *o;
             (o = ty_cluster_snapshot_next(in->snapshot, kinds[k], &at));)
            evaluate_one(&j, o);
    }
    ty_map_done(&asked);
    *ret = j.wants;
    return j.n_wants;
}

static size_t count_results(const struct ty_adopt *r, size_t first, size_t last,
                            enum ty_adopt_result which)
{
    size_t n = 0;

    for (size_t k = first; k <= last; k++)
        n += r->count[k][which];
    return n;
}

static void add_cause(struct ty_arena *a, struct ty_adopt *r, size_t n, const char *one,
                      const char *many)
{
    if (n == 1)
        ty_strlist_add(a, &r->because, one);
    else if (n)
        ty_strlist_add(a, &r->because, ty_arena_printf(a, "%zu %s", n, many));
}

static void add_causes(struct ty_arena *a, const struct ty_adopt_in *in, struct ty_adopt *r)
{
    for (size_t k = 0; k < TY_ADOPT_KINDS; k++) {
        const struct ty_cluster_object *t = ty_cluster_snapshot_list_error(in->snapshot, kinds[k]);
        if (t && t->r != -ENOENT)
            ty_strlist_add(a, &r->because,
                           ty_arena_printf(a, "%s cannot be listed: %s", kinds[k]->plural, t->why));
    }
    const struct ty_cluster_object *t =
        ty_cluster_snapshot_list_error(in->snapshot, &ty_kind_jobset);
    if (t && (t->r != -ENOENT || ty_cluster_snapshot_count(in->snapshot, &ty_kind_trainjob)))
        ty_strlist_add(a, &r->because, ty_arena_printf(a, "jobsets cannot be listed: %s", t->why));
    add_cause(a, r, count_results(r, 0, 1, TY_ADOPT_REFUSED), "1 runtime is not valid",
              "runtimes are not valid");
    add_cause(a, r, count_results(r, 2, 2, TY_ADOPT_REFUSED),
              "an update of 1 TrainJob would be refused",
              "TrainJobs could not be updated any more");
    add_cause(a, r, count_results(r, 2, 2, TY_ADOPT_FAILS), "1 TrainJob cannot be rendered",
              "TrainJobs cannot be rendered");
    add_cause(a, r, count_results(r, 2, 2, TY_ADOPT_DIFFERS), "1 TrainJob would be changed",
              "TrainJobs would be changed");
    add_cause(a, r, count_results(r, 0, 2, TY_ADOPT_UNKNOWN), "1 object could not be judged",
              "objects could not be judged");
}

void ty_adopt_evaluate(struct ty_arena *a, const struct ty_adopt_in *in, struct ty_adopt *ret)
{
    ty_auto_arena *scratch = ty_arena_new_input(JOB_CEILING, NULL);
    struct ty_adopt_evaluation j = { .in = in, .keep = a, .a = scratch };

    *ret = (struct ty_adopt){ 0 };
    for (size_t k = 0; k < TY_ADOPT_KINDS; k++) {
        size_t at = 0;
        ret->kinds[k] = kinds[k];
        for (const struct ty_cluster_object *o;
             (o = ty_cluster_snapshot_next(in->snapshot, kinds[k], &at));) {
            struct ty_adopt_entry *e = ty_new(a, struct ty_adopt_entry);
            *e = (struct ty_adopt_entry){ .kind = o->kind, .ns = o->ns, .name = o->name };
            j.entry = e;
            evaluate_one(&j, o);
            ty_append(ret->first, ret->last, e);
            ret->count[k][e->result]++;
        }
    }
    add_causes(a, in, ret);
}
