/* From a pass to the writes that are needed. */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "control/events.h"
#include "control/foreign.h"
#include "control/owned.h"
#include "control/work.h"
#include "trainer/children.h"
#include "trainer/resolve.h"
#include "json/yaml.h"

#define TOO_LARGE_S  300 /* sooner only if it changes: each try costs megabytes for nothing */
#define MEMO_CEILING ((size_t)1 << 20)
#define MEMO_LONGEST TY_WORLD_WHOLE /* of the two texts: others are made anew each time */

struct look {
    struct ty_arena *a;
    const struct ty_work_in *in;
    const struct ty_known *job;
    struct ty_work *work;       /* says what must be fetched, if anything */
    struct ty_str uid, version; /* of the runtime whose snapshot is made; else empty */
};

struct ty_str ty_work_data(struct ty_arena *a, const struct ty_json *data)
{
    struct ty_json *kept = ty_json_object(a);
    struct ty_str text = ty_json_str_at(data, "runtime");
    struct ty_docs docs = { 0 };

    if (text.n && ty_snapshot_yaml(a, text, &docs, NULL) == 0 && docs.n == 1)
        text = ty_json_text(a, docs.v[0]); /* else it stays, and the pass says what is wrong */
    if (ty_json_get(data, "runtime"))
        ty_json_set(a, kept, "runtime", ty_json_str(a, text));
    return ty_json_text(a, kept);
}

void ty_work_memo_done(struct ty_work_memo *m)
{
    ty_arena_free(m->arena);
    *m = (struct ty_work_memo){ 0 };
}

static struct ty_str keep(struct ty_arena *a, struct ty_str s)
{
    return (struct ty_str){ ty_arena_strndup(a, s.n ? s.p : "", s.n), s.n };
}

/* A runtime is told apart by uid and version: as long as they stay so does its text. */
static struct ty_str view_snapshot(void *ctx, const struct ty_json *runtime)
{
    struct look *l = ctx;
    const struct ty_work_memo *m = l->in->memo;

    l->uid = ty_json_str_at(runtime, "metadata.uid");
    l->version = ty_json_str_at(runtime, "metadata.resourceVersion");
    bool same = m && l->uid.n && l->version.n && ty_str_eq(m->uid, l->uid) &&
                ty_str_eq(m->version, l->version);
    return same ? m->yaml : (struct ty_str){ 0 };
}

static struct ty_str data_of(const struct look *l, const struct ty_json *data)
{
    struct ty_work_memo *m = l->in->memo;
    struct ty_str yaml = ty_json_str_at(data, "runtime");

    if (!m)
        return ty_work_data(l->a, data);
    if (!m->arena)
        m->arena = ty_arena_new_small(MEMO_CEILING, 4096);
    if (!m->yaml.p || !ty_str_eq(yaml, m->yaml) || !ty_str_eq(l->uid, m->uid) ||
        !ty_str_eq(l->version, m->version)) {
        struct ty_str json = ty_work_data(l->a, data);
        if (yaml.n > MEMO_LONGEST || json.n > MEMO_LONGEST)
            return json;
        ty_arena_reset(m->arena);
        m->yaml = keep(m->arena, yaml);
        m->json = keep(m->arena, json);
        m->uid = keep(m->arena, l->uid);
        m->version = keep(m->arena, l->version);
    }
    return m->json;
}

/* A JobSet or PodGroup of somebody else's is not there for the pass: it neither tells how the job
 * fares, nor is it deleted at a deadline. When the pass wants its own, add_apply says why not. Of
 * snapshots the pass itself knows whose they are; a Secret with keys is used whoever made it. */
static bool hidden(const struct look *l, const struct ty_known *o)
{
    struct ty_err err = { 0 };
    bool child = o->kind == &ty_kind_jobset || o->kind == &ty_kind_podgroup_cosched ||
                 o->kind == &ty_kind_podgroup_volcano;

    return child && ty_foreign(l->a, o, l->job, &err) < 0;
}

static const struct ty_json *given_of(const struct look *l, const struct ty_kind *kind,
                                      struct ty_str name)
{
    for (const struct ty_given *g = l->in->given; g; g = g->next)
        if (g->kind == kind && ty_str_eq(g->name, name))
            return g->json;
    return NULL;
}

/* The first that is missed is fetched; the next look says whether there are more. */
static void need(const struct look *l, const struct ty_kind *kind, struct ty_str name, bool large)
{
    struct ty_work *w = l->work;

    if (w->fetch)
        return;
    w->fetch = true;
    w->fetch_kind = kind;
    w->fetch_name = keep(l->a, name);
    w->large = large;
}

/* A snapshot: what is known of it, and its data. NULL: they must be fetched. */
static const struct ty_json *snapshot_of(struct look *l, const struct ty_known *o,
                                         struct ty_str name)
{
    const struct ty_json *data = given_of(l, &ty_kind_configmap, name);

    if (!o->body && !data) {
        need(l, &ty_kind_configmap, name, false);
        return NULL;
    }
    struct ty_json *obj = ty_world_read(l->a, o);
    if (obj && !o->body)
        ty_json_set(l->a, obj, "data", ty_json_copy(l->a, data, 0));
    return obj;
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct look *l = ctx;
    const struct ty_settings *s = l->in->settings;

    if (kind == &ty_kind_secret && ty_str_is(ns, s->operator_ns) &&
        ty_str_is(name, s->webhook_secret))
        return l->in->hook_secret;
    const struct ty_known *o = ty_world_find(l->in->world, kind, ns, name);
    if (!o || hidden(l, o))
        return NULL;
    if (kind == &ty_kind_configmap &&
        ty_str_is(name, ty_child_name(l->a, TY_CHILD_SNAPSHOT, l->in->name)))
        return snapshot_of(l, o, name);
    /* Of the others a pass asks only whether they are there. */
    if (!o->partial || !(kind->ours || kind == &ty_kind_jobset))
        return ty_world_read(l->a, o);
    const struct ty_json *given = given_of(l, kind, name);
    if (!given)
        need(l, kind, name, true);
    return given;
}

static const char *view_unread(void *ctx, const struct ty_kind *kind, struct ty_str ns TY_UNUSED,
                               struct ty_str name TY_UNUSED)
{
    const struct look *l = ctx;

    return l->in->unread ? l->in->unread(l->in->ctx, kind) : NULL;
}

/* ---- is a look at the children needed at all? ---- */

static bool mounts_there(const struct ty_work_in *in, const struct ty_json *jobset)
{
    const struct ty_json *mounts = ty_json_at(jobset, "spec.mounts");

    ty_each_item (it, mounts) {
        struct ty_str name = ty_json_text_of(*it);
        bool ours =
            ty_str_starts(name, in->name) && name.n > in->name.n && name.p[in->name.n] == '-';
        if (ours && !ty_world_find(in->world, &ty_kind_configmap, in->ns, name) &&
            !ty_world_find(in->world, &ty_kind_secret, in->ns, name))
            return false;
    }
    return true;
}

static bool gang_there(const struct ty_work_in *in, const struct ty_json *jobset)
{
    struct ty_str gang = ty_json_str_at(jobset, "spec.gang");
    const struct ty_kind *kind =
        ty_str_is(gang, "volcano") ? &ty_kind_podgroup_volcano : &ty_kind_podgroup_cosched;

    return !gang.n || ty_world_find(in->world, kind, in->ns, in->name);
}

/* The job has not changed since its JobSet was applied: then the JobSet is what it should be. Its
 * first generation is older than any JobSet of it; later ones are compared by the time of the
 * writes, whole seconds, in doubt for a look. */
static bool older_than_jobset(const struct ty_known *job, const struct ty_json *obj,
                              const struct ty_known *jobset)
{
    int64_t generation = 0;

    ty_json_int_at(obj, "metadata.generation", &generation);
    return jobset->foreign_s < jobset->applied_s &&
           (generation == 1 || job->foreign_s < jobset->applied_s);
}

uint64_t ty_work_mark(const struct ty_known *job, const struct ty_known *jobset)
{
    uint64_t h = ty_hash_bytes(jobset->owned ^ job->wish, jobset->uid, strlen(jobset->uid));

    return h ? h : 1;
}

static bool children_are_right(struct look *l, const struct ty_known *job,
                               const struct ty_json *obj)
{
    const struct ty_work_in *in = l->in;
    const struct ty_known *jobset = ty_world_find(in->world, &ty_kind_jobset, in->ns, in->name);

    if (in->full || !jobset || !jobset->job_uid || strcmp(jobset->job_uid, job->uid) != 0)
        return false;
    const struct ty_json *js = view_get(l, &ty_kind_jobset, in->ns, in->name);
    if (!js)
        return false; /* to be fetched first, or the arena is full */
    bool running = !ty_json_true_at(obj, "spec.suspend") && !ty_json_true_at(js, "spec.suspend");
    if (!mounts_there(in, js) || !gang_there(in, js))
        return false;
    return running || job->right == ty_work_mark(job, jobset) ||
           (in->first && older_than_jobset(job, obj, jobset));
}

/* ---- steps ---- */

static struct ty_step *add(struct ty_arena *a, struct ty_work *w, enum ty_step_op op,
                           const struct ty_kind *kind, struct ty_str name)
{
    struct ty_step *s = ty_new(a, struct ty_step), **end = &w->steps;

    *s = (struct ty_step){ .op = op, .kind = kind, .name = name };
    while (*end)
        end = &(*end)->next;
    *end = s;
    return s;
}

static void tell_failure(struct ty_arena *a, struct ty_work *w)
{
    struct ty_pass_event *e = ty_new(a, struct ty_pass_event);

    *e = (struct ty_pass_event){ .type = "Warning",
                                 .reason = TY_REASON_CREATION_FAILED,
                                 .message = ty_events_failed_note(a, ty_str(w->err.text)).p,
                                 .next = w->events };
    w->events = e;
}

/* False: there is one that is not ours. */
static bool add_apply(struct look *l, struct ty_work *w, const struct ty_want *want)
{
    struct ty_str name = ty_json_str_at(want->obj, "metadata.name");
    const struct ty_known *o = ty_world_find(l->in->world, want->kind, l->in->ns, name);
    const struct ty_json *obj = ty_owned_terse(l->a, want->kind->schema, want->obj);
    uint64_t number = ty_owned_wanted(l->a, want->kind->schema, obj);

    if (o && (o->owned == number || (o->want == number && o->at == o->version)))
        return true;
    if (o && ty_foreign(l->a, o, l->job, &w->err) < 0)
        return false;
    struct ty_step *s = add(l->a, w, TY_STEP_APPLY, want->kind, name);
    s->body = ty_json_text(l->a, obj);
    s->want = number;
    if (want->kind == &ty_kind_configmap &&
        ty_str_is(name, ty_child_name(l->a, TY_CHILD_SNAPSHOT, l->in->name)))
        s->data = data_of(l, ty_json_get(want->obj, "data"));
    return true;
}

/* In order, up to the first that is not ours to write: a JobSet must not come before what its pods
 * mount. */
static void add_children(struct look *l, struct ty_work *w, const struct ty_want *want)
{
    while (want && add_apply(l, w, want))
        want = want->next;
    if (want)
        tell_failure(l->a, w);
}

/* The merge patch that makes `was` into `now`; lists are replaced whole. */
static struct ty_json *difference(struct ty_arena *a, const struct ty_json *was,
                                  const struct ty_json *now)
{
    struct ty_json *d = ty_json_object(a);

    ty_each_member (m, now) {
        const struct ty_json *old = ty_json_find(was, m->key);
        if (old && ty_json_eq(old, m->value))
            continue;
        bool inner = ty_json_is(old, TY_JSON_OBJECT) && m->value->type == TY_JSON_OBJECT;
        ty_json_put(a, d, m->key, inner ? difference(a, old, m->value) : m->value);
    }
    ty_each_member (m, was)
        if (!ty_json_find(now, m->key))
            ty_json_put(a, d, m->key, ty_json_null(a));
    return d;
}

static void add_status(struct look *l, struct ty_work *w, const struct ty_json *obj,
                       const struct ty_json *status)
{
    struct ty_json *patch = ty_json_object(l->a), *meta = ty_json_object(l->a);
    const struct ty_json *was = ty_json_get(obj, "status");

    /* Only on what it was made from: the job may have been replaced by another of its name. */
    ty_json_set(l->a, meta, "resourceVersion",
                ty_json_strf(l->a, "%llu", (unsigned long long)l->job->version));
    ty_json_set(l->a, patch, "metadata", meta);
    ty_json_set(l->a, patch, "status",
                status->n ? difference(l->a, was, status) : ty_json_null(l->a));
    add(l->a, w, TY_STEP_STATUS, &ty_kind_trainjob, l->in->name)->body = ty_json_text(l->a, patch);
}

static void add_delete(struct look *l, struct ty_work *w, const struct ty_kind *kind)
{
    const struct ty_known *o = ty_world_find(l->in->world, kind, l->in->ns, l->in->name);

    if (o && !hidden(l, o))
        add(l->a, w, TY_STEP_DELETE, kind, l->in->name)->uid = ty_str(o->uid);
}

/* How the job stands when the steps are done. Counts of a JobSet that is gone, and the refusal of
 * one, stay in the status until there is a new one: then they must go. */
static void foresee(const struct look *l, const struct ty_pass *pass, const struct ty_json *obj,
                    struct ty_work *w)
{
    const struct ty_json *status = pass->status ? pass->status : ty_json_get(obj, "status");
    bool jobset = ty_world_find(l->in->world, &ty_kind_jobset, l->in->ns, l->in->name);

    w->status = !pass->status ? l->job->status : status->n ? ty_json_hash(status) : 0;
    w->last = !pass->delete_kind && !ty_pass_is_refused(status) &&
              (jobset || !ty_json_get(status, "jobsStatus"));
}

void ty_work_too_large(struct ty_arena *a, size_t allowed, struct ty_work *ret)
{
    *ret = (struct ty_work){ 0 };
    ty_fail(&ret->err, -EFBIG,
            "the TrainJob is too large: with its runtime it needs more than the %zu MiB of memory "
            "that are left for one. Make them smaller, or raise the operator's memory limit",
            allowed >> 20);
    ret->requeue_s = TOO_LARGE_S;
    tell_failure(a, ret);
}

void ty_work_starved(struct ty_work *ret)
{
    *ret = (struct ty_work){ .starved = true };
    ty_fail(&ret->err, -EAGAIN, "%s", TY_WORK_STARVED);
}

void ty_work_make(struct ty_arena *a, const struct ty_work_in *in, struct ty_work *ret)
{
    const struct ty_known *job = ty_world_find(in->world, &ty_kind_trainjob, in->ns, in->name);
    struct look l = { .a = a, .in = in, .job = job, .work = ret };
    struct ty_view view = {
        .ctx = &l, .get = view_get, .snapshot = view_snapshot, .unread = view_unread
    };
    struct ty_pass pass;

    *ret = (struct ty_work){ 0 };
    if (!job)
        return;
    const struct ty_json *obj = view_get(&l, &ty_kind_trainjob, in->ns, in->name);
    if (!obj)
        return; /* to be fetched first, or the arena is full */
    /* It goes, and its children with it: none is made again. Who holds it by a finalizer may wait
     * for its end, so that is still told (B33). */
    bool going = ty_json_at(obj, "metadata.deletionTimestamp") != NULL;
    bool no_build = going || in->refused.n || children_are_right(&l, job, obj);
    if (ret->fetch)
        return;
    struct ty_pass_in pin = { .pipeline = in->pipeline,
                              .settings = in->settings,
                              .view = &view,
                              .job = obj,
                              .now_s = in->now_s,
                              .entropy = in->entropy,
                              .refused = in->refused,
                              .no_build = no_build };
    ty_pass(a, &pin, &pass);
    if (ret->fetch || ty_arena_full(a))
        return;
    ret->events = pass.events;
    ret->err = pass.err;
    add_children(&l, ret, pass.want);
    if (pass.status)
        add_status(&l, ret, obj, pass.status);
    if (pass.delete_kind && !(going && pass.delete_kind == &ty_kind_trainjob))
        add_delete(&l, ret, pass.delete_kind);
    ret->right = ret->err.code == 0;
    ret->wish = job->wish;
    foresee(&l, &pass, obj, ret);
    ret->requeue_s = pass.requeue_s;
}
