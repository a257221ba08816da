/* Runs a pass of the pure core over the cache and turns its result into write steps. */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "controller/cache_project.h"
#include "controller/owner_conflict.h"
#include "controller/reconcile_inner.h"
#include "trainer/child.h"
#include "trainer/runtime_resolve.h"
#include "json/yaml.h"

#define TOO_LARGE_S 300 /* sooner only if it changes: each attempt costs megabytes */

struct ty_str ty_reconcile_snapshot_data(struct ty_arena *a, const struct ty_json *data)
{
    struct ty_json *kept = ty_json_object(a);
    struct ty_str text = ty_json_str_at(data, "runtime");
    struct ty_yaml_docs docs = { 0 };

    if (text.n && ty_runtime_snapshot_parse(a, text, &docs, NULL) == 0 && docs.n == 1)
        text = ty_json_text(a, docs.v[0]); /* else it stays YAML, and the pass reports the error */
    if (ty_json_get(data, "runtime"))
        ty_json_set(a, kept, "runtime", ty_json_str(a, text));
    return ty_json_text(a, kept);
}

void ty_reconcile_memo_done(struct ty_reconcile_memo *m)
{
    ty_arena_free(m->arena);
    *m = (struct ty_reconcile_memo){ 0 };
}

/* The YAML text of a snapshot is reused as long as uid and version of its runtime are the same. */
static struct ty_str view_snapshot(void *ctx, const struct ty_json *runtime)
{
    struct ty_reconcile_pass *p = ctx;
    const struct ty_reconcile_memo *m = p->in->memo;

    p->uid = ty_json_str_at(runtime, "metadata.uid");
    p->version = ty_json_str_at(runtime, "metadata.resourceVersion");
    bool same = m && p->uid.n && p->version.n && ty_str_eq(m->uid, p->uid) &&
                ty_str_eq(m->version, p->version);
    return same ? m->yaml : (struct ty_str){ 0 };
}

/* Hides a JobSet or PodGroup of another owner from the pass, so that it affects neither the
 * status nor a deletion at a deadline. If the pass desires an object of that name, add_apply
 * reports the conflict. The pass checks owners of snapshots itself; a Secret with keys is used
 * whoever owns it. */
static bool is_hidden(const struct ty_reconcile_pass *p, const struct ty_cached *o)
{
    struct ty_err err = { 0 };
    bool child = o->id.kind == &ty_kind_jobset || o->id.kind == &ty_kind_podgroup_cosched ||
                 o->id.kind == &ty_kind_podgroup_volcano;

    return child && ty_owner_conflict(p->a, o, p->job, &err) < 0;
}

static const struct ty_json *find_fetched(const struct ty_reconcile_pass *p,
                                          const struct ty_kind *kind, struct ty_str name)
{
    for (const struct ty_fetched *g = p->in->given; g; g = g->next)
        if (g->kind == kind && ty_str_eq(g->name, name))
            return g->json;
    return NULL;
}

/* One object at a time is fetched; the next reconcile asks for others. */
const struct ty_json *ty_reconcile_fetched(const struct ty_reconcile_pass *p,
                                           const struct ty_kind *kind, struct ty_str name,
                                           bool large)
{
    struct ty_reconcile_result *w = p->result;
    const struct ty_json *given = find_fetched(p, kind, name);

    if (given || w->fetch)
        return given;
    w->fetch = true;
    w->fetch_kind = kind;
    w->fetch_name = ty_arena_str(p->a, name);
    w->large = large;
    return NULL;
}

/* A snapshot with its data; NULL: the data must be fetched. */
static const struct ty_json *snapshot_of(struct ty_reconcile_pass *p, const struct ty_cached *o,
                                         struct ty_str name)
{
    const struct ty_json *data =
        o->body ? NULL : ty_reconcile_fetched(p, &ty_kind_configmap, name, false);

    if (!o->body && !data)
        return NULL;
    struct ty_json *obj = ty_cache_parse(p->a, o);
    if (obj && !o->body)
        ty_json_set(p->a, obj, "data", ty_json_copy(p->a, data, 0));
    return obj;
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct ty_reconcile_pass *p = ctx;
    const struct ty_settings *s = p->in->settings;

    if (kind == &ty_kind_secret && ty_str_is(ns, s->operator_ns) &&
        ty_str_is(name, s->webhook_secret))
        return p->in->hook_secret;
    const struct ty_cached *o = ty_cache_get(p->in->cache, kind, ns, name);
    if (!o || is_hidden(p, o))
        return NULL;
    if (kind == &ty_kind_configmap &&
        ty_str_is(name, ty_child_name(p->a, TY_CHILD_SNAPSHOT, p->in->name)))
        return snapshot_of(p, o, name);
    /* A pass asks only whether the others exist. */
    if (!o->partial || !(kind->ours || kind == &ty_kind_jobset))
        return ty_cache_parse(p->a, o);
    const struct ty_json *given = ty_reconcile_fetched(p, kind, name, true);
    return given && kind == &ty_kind_jobset ? ty_cache_project(p->a, kind, given) : given;
}

static const char *view_unread(void *ctx, const struct ty_kind *kind, struct ty_str ns TY_UNUSED,
                               struct ty_str name TY_UNUSED)
{
    const struct ty_reconcile_pass *p = ctx;

    return p->in->unread ? p->in->unread(p->in->ctx, kind) : NULL;
}

/* ---- must the children be compared at all? ---- */

static bool mounts_exist(const struct ty_reconcile_in *in, const struct ty_json *jobset)
{
    const struct ty_json *mounts = ty_json_at(jobset, "spec.mounts");

    ty_each_item (it, mounts) {
        struct ty_str name = ty_json_as_str(*it);
        bool ours =
            ty_str_starts(name, in->name) && name.n > in->name.n && name.p[in->name.n] == '-';
        if (ours && !ty_cache_get(in->cache, &ty_kind_configmap, in->ns, name) &&
            !ty_cache_get(in->cache, &ty_kind_secret, in->ns, name))
            return false;
    }
    return true;
}

static bool gang_exists(const struct ty_reconcile_in *in, const struct ty_json *jobset)
{
    struct ty_str gang = ty_json_str_at(jobset, "spec.gang");
    const struct ty_kind *kind =
        ty_str_is(gang, "volcano") ? &ty_kind_podgroup_volcano : &ty_kind_podgroup_cosched;

    return !gang.n || ty_cache_get(in->cache, kind, in->ns, in->name);
}

/* The job has not changed since its JobSet was applied, so the JobSet is in sync. Generation 1 is
 * older than any JobSet of the job; later ones are compared by the managedFields' times, which are
 * whole seconds: equal means that the children are compared. */
static bool older_than_jobset(const struct ty_cached *job, const struct ty_json *obj,
                              const struct ty_cached *jobset)
{
    int64_t generation = 0;

    ty_json_int_at(obj, "metadata.generation", &generation);
    return jobset->foreign_s < jobset->applied_s &&
           (generation == 1 || job->foreign_s < jobset->applied_s);
}

uint64_t ty_reconcile_digest(const struct ty_cached *job, const struct ty_cached *jobset)
{
    uint64_t h = ty_hash_bytes(jobset->owned_digest ^ job->spec_digest, jobset->id.uid,
                               strlen(jobset->id.uid));

    return h ? h : 1;
}

static bool children_in_sync(struct ty_reconcile_pass *p, const struct ty_cached *job,
                             const struct ty_json *obj)
{
    const struct ty_reconcile_in *in = p->in;
    const struct ty_cached *jobset = ty_cache_get(in->cache, &ty_kind_jobset, in->ns, in->name);

    if (in->check_children || !jobset || !jobset->job_uid ||
        strcmp(jobset->job_uid, job->id.uid) != 0)
        return false;
    const struct ty_json *js = view_get(p, &ty_kind_jobset, in->ns, in->name);
    if (!js)
        return false; /* must be fetched first, or the arena is full */
    bool running = !ty_json_true_at(obj, "spec.suspend") && !ty_json_true_at(js, "spec.suspend");
    if (!mounts_exist(in, js) || !gang_exists(in, js))
        return false;
    return running || job->in_sync_digest == ty_reconcile_digest(job, jobset) ||
           (in->initial && older_than_jobset(job, obj, jobset));
}

/* A merge patch from `was` to `now`; lists are replaced whole. */
static struct ty_json *merge_patch(struct ty_arena *a, const struct ty_json *was,
                                   const struct ty_json *now)
{
    struct ty_json *d = ty_json_object(a);

    ty_each_member (m, now) {
        const struct ty_json *old = ty_json_find(was, m->key);
        if (old && ty_json_eq(old, m->value))
            continue;
        bool inner = ty_json_is(old, TY_JSON_OBJECT) && m->value->type == TY_JSON_OBJECT;
        ty_json_put(a, d, m->key, inner ? merge_patch(a, old, m->value) : m->value);
    }
    ty_each_member (m, was)
        if (!ty_json_find(now, m->key))
            ty_json_put(a, d, m->key, ty_json_null(a));
    return d;
}

static void add_status(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                       const struct ty_json *obj, const struct ty_json *status)
{
    struct ty_json *patch = ty_json_object(p->a), *meta = ty_json_object(p->a);
    const struct ty_json *was = ty_json_get(obj, "status");

    /* Precondition: the job may have been replaced by another of the same name. */
    ty_json_set(p->a, meta, "resourceVersion",
                ty_json_strf(p->a, "%llu", (unsigned long long)p->job->id.version));
    ty_json_set(p->a, patch, "metadata", meta);
    ty_json_set(p->a, patch, "status",
                status->n ? merge_patch(p->a, was, status) : ty_json_null(p->a));
    ty_reconcile_add_step(p->a, w, TY_WRITE_STATUS, &ty_kind_trainjob, p->in->name)->body =
        ty_json_text(p->a, patch);
}

static void add_delete(struct ty_reconcile_pass *p, struct ty_reconcile_result *w,
                       const struct ty_kind *kind)
{
    const struct ty_cached *o = ty_cache_get(p->in->cache, kind, p->in->ns, p->in->name);

    if (o && !is_hidden(p, o))
        ty_reconcile_add_step(p->a, w, TY_WRITE_DELETE, kind, p->in->name)->uid = ty_str(o->id.uid);
}

void ty_reconcile_too_large(struct ty_arena *a, size_t allowed, struct ty_reconcile_result *ret)
{
    *ret = (struct ty_reconcile_result){ 0 };
    ty_fail(&ret->err, -EFBIG,
            "the TrainJob is too large: with its runtime it needs more than the %zu MiB of memory "
            "that are left for one. Make them smaller, or raise the operator's memory limit",
            allowed >> 20);
    ret->requeue_s = TOO_LARGE_S;
    ty_reconcile_add_failure_event(a, ret);
}

void ty_reconcile_starved(struct ty_reconcile_result *ret)
{
    *ret = (struct ty_reconcile_result){ .starved = true };
    ty_fail(&ret->err, -EAGAIN, "%s", TY_RECONCILE_STARVED);
}

/* Computes the status from the live children instead of the desired ones. */
static void pass_unapplied(struct ty_reconcile_pass *p, const struct ty_trainjob_reconcile_in *in,
                           struct ty_trainjob_reconcile *ret)
{
    struct ty_trainjob_reconcile_in again = *in;

    again.no_build = again.unapplied = true;
    ty_trainjob_reconcile(p->a, &again, ret);
}

static void add_steps(struct ty_reconcile_pass *p, const struct ty_trainjob_reconcile_in *pin,
                      struct ty_trainjob_reconcile *pass, struct ty_reconcile_result *ret)
{
    bool going = ty_json_at(pin->job, "metadata.deletionTimestamp") != NULL;

    ret->events = pass->events;
    ret->err = pass->err;
    if (pass->err.code < 0)
        ty_reconcile_suspend_jobset(p, ret, pin->job);
    ty_reconcile_add_children(p, ret, pass->want);
    ret->in_sync = !ret->steps && ret->err.code == 0 && !p->unapplied;
    if (p->unapplied && !ret->fetch)
        pass_unapplied(p, pin, pass);
    if (pass->status)
        add_status(p, ret, pin->job, pass->status);
    if (pass->delete_kind && !(going && pass->delete_kind == &ty_kind_trainjob))
        add_delete(p, ret, pass->delete_kind);
    ret->requeue_s = pass->requeue_s;
    if (p->wait_s && (!ret->requeue_s || p->wait_s < ret->requeue_s))
        ret->requeue_s = p->wait_s;
}

void ty_reconcile(struct ty_arena *a, const struct ty_reconcile_in *in,
                  struct ty_reconcile_result *ret)
{
    const struct ty_cached *job = ty_cache_get(in->cache, &ty_kind_trainjob, in->ns, in->name);
    struct ty_reconcile_pass p = { .a = a, .in = in, .job = job, .result = ret };
    struct ty_view view = {
        .ctx = &p, .get = view_get, .snapshot = view_snapshot, .unread = view_unread
    };
    struct ty_trainjob_reconcile pass;

    *ret = (struct ty_reconcile_result){ 0 };
    if (!job)
        return;
    const struct ty_json *obj = view_get(&p, &ty_kind_trainjob, in->ns, in->name);
    if (!obj)
        return; /* must be fetched first, or the arena is full */
    struct ty_trainjob_reconcile_in pin = { .pipeline = in->pipeline,
                                            .settings = in->settings,
                                            .view = &view,
                                            .job = obj,
                                            .now_s = in->now_s,
                                            .entropy = in->entropy,
                                            .refused = in->refused,
                                            .failure_note = in->failure_note,
                                            .unapplied = in->unapplied };
    /* A job that is being deleted gets no new children: garbage collection removes them. Its status
     * is still written, because the owner of a finalizer may wait for it (B33). */
    pin.no_build = ty_json_at(obj, "metadata.deletionTimestamp") || in->unapplied ||
                   children_in_sync(&p, job, obj);
    if (!ret->fetch)
        ty_trainjob_reconcile(a, &pin, &pass);
    if (!ret->fetch && !ty_arena_full(a))
        add_steps(&p, &pin, &pass, ret);
    if (ret->fetch) /* no steps before the object is fetched */
        *ret = (struct ty_reconcile_result){ .fetch = true,
                                             .fetch_kind = ret->fetch_kind,
                                             .fetch_name = ret->fetch_name,
                                             .large = ret->large };
}
