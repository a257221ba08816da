/* Handlers of the reflectors: update the cache, and enqueue the TrainJobs and runtimes that an
 * event affects. */
#include <stdlib.h>
#include <uv.h>

#include "base/xalloc.h"
#include "controller/cache_project.h"
#include "controller/trainjob_controller_get.h"
#include "controller/trainjob_controller_log.h"
#include "controller/trainjob_controller_watch.h"
#include "trainer/runtime_resolve.h"

#define VITAL_MS 2000 /* retry interval while a kind is not served that every job needs */

static const struct ty_watched_kind *find_watched(const struct ty_trainjob_controller *j,
                                                  const struct ty_kind *kind)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].kind == kind)
            return &j->watched[i];
    return NULL;
}

struct ty_reflector *ty_trainjob_controller_reflect(const struct ty_trainjob_controller *j,
                                                    const struct ty_kind *kind)
{
    const struct ty_watched_kind *w = find_watched(j, kind);

    return w ? w->reflect : NULL;
}

const char *ty_trainjob_controller_watch_error(void *ctx, const struct ty_kind *kind)
{
    const struct ty_watched_kind *w = find_watched(ctx, kind);

    return w && ty_reflector_is_stale(w->reflect) ? w->watch_error : NULL;
}

/* ---- which keys an event affects ---- */

struct suspended_filter {
    struct ty_trainjob_controller *controller;
    struct ty_str ns;    /* empty: all */
    struct ty_str class; /* RuntimeClass that the runtime must name; empty: any */
    struct ty_arena *a;
};

static bool names_class(const struct suspended_filter *m, const struct ty_json *obj)
{
    struct ty_trainjob job;

    ty_trainjob_parse(&job, obj);
    const struct ty_kind *kind = ty_runtime_kind(&job);
    const struct ty_cached *o =
        kind ? ty_cache_get(m->controller->cache, kind, job.ns, job.ref_name) : NULL;
    const struct ty_json *runtime = o ? ty_cache_parse(m->a, o) : NULL;
    const struct ty_json *rjobs = ty_json_at(runtime, "spec.template.spec.replicatedJobs");
    if (o && o->partial)
        return true; /* perhaps: the cache lacks its pod templates */
    ty_each_item (it, rjobs)
        if (ty_str_eq(ty_json_str_at(*it, "template.spec.template.spec.runtimeClassName"),
                      m->class))
            return true;
    return false;
}

static void enqueue_if_suspended(void *ctx, const struct ty_cached *o)
{
    struct suspended_filter *m = ctx;

    if (m->ns.n && !ty_str_is(m->ns, o->id.ns))
        return;
    ty_arena_reset(m->a);
    const struct ty_json *job = ty_cache_parse(m->a, o);
    if (!ty_json_true_at(job, "spec.suspend") || (m->class.n && !names_class(m, job)))
        return;
    ty_trainjob_controller_pending(m->controller, ty_str(o->id.ns), ty_str(o->id.name))
        ->check_children = true;
    ty_trainjob_controller_enqueue(m->controller, ty_str(o->id.ns), ty_str(o->id.name));
}

static void enqueue_suspended(struct ty_trainjob_controller *j, struct ty_str ns,
                              struct ty_str class)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct suspended_filter m = { .controller = j, .ns = ns, .class = class, .a = a };

    ty_cache_each(j->cache, &ty_kind_trainjob, enqueue_if_suspended, &m);
}

static struct ty_key runtime_key(const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    int number =
        kind == &ty_kind_trainingruntime ? TY_CONTROLLER_RUNTIME : TY_CONTROLLER_CLUSTER_RUNTIME;

    return (struct ty_key){ number, ns, name };
}

static void enqueue_runtime(struct ty_trainjob_controller *j, const struct ty_kind *kind,
                            struct ty_str ns, struct ty_str name)
{
    ty_queue_add(j->queue, runtime_key(kind, ns, name));
}

/* With finalizers, a job that is created or deleted affects its runtime. A runtime that is created
 * later is enqueued by its own event. */
static void enqueue_its_runtime(struct ty_trainjob_controller *j, const struct ty_json *obj)
{
    struct ty_trainjob job;

    if (!obj || j->s.protection != TY_PROTECT_FINALIZER)
        return;
    ty_trainjob_parse(&job, obj);
    const struct ty_kind *kind = ty_runtime_kind(&job);
    struct ty_str ns = kind && kind->namespaced ? job.ns : (struct ty_str){ 0 };
    if (kind && ty_cache_get(j->cache, kind, ns, job.ref_name))
        enqueue_runtime(j, kind, ns, job.ref_name);
}

/* ---- events ---- */

static void job_changed(struct ty_trainjob_controller *j, const struct ty_kube_object *o,
                        const struct ty_cached *now)
{
    enqueue_its_runtime(j, o->json);
    if (ty_trainjob_controller_write_observe(j, o->ns, o->name, now))
        return;
    ty_trainjob_controller_pending(j, o->ns, o->name)->initial = !j->synced;
    ty_trainjob_controller_enqueue(j, o->ns, o->name);
}

/* Reads the runtime reference from the cache: a relist only reports that the job is missing. */
static void job_gone(struct ty_trainjob_controller *j, const struct ty_cached *was)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);

    if (j->s.protection == TY_PROTECT_FINALIZER)
        enqueue_its_runtime(j, ty_cache_parse(a, was));
    ty_trainjob_controller_forget(j, ty_str(was->id.ns), ty_str(was->id.name));
    if (j->s.deleted)
        j->s.deleted(j->s.ctx, ty_str(was->id.ns), ty_str(was->id.name));
}

/* An event for a child enqueues its TrainJob. */
static void child_changed(struct ty_watched_kind *w, struct ty_str ns, struct ty_str job,
                          const struct ty_cached *now, bool listed)
{
    struct ty_trainjob_controller *j = w->controller;

    if (!j->synced || !ty_cache_get(j->cache, &ty_kind_trainjob, ns, job))
        return; /* the first sync enqueues every job anyway; or the object is no TrainJob's */
    if (now && ty_trainjob_controller_write_observe(j, ns, job, now))
        return;
    /* The child is missing from a relist, so watch events were lost, and the TrainJob may be
     * deleted as well while its own list is still in flight. */
    if (!now && listed) {
        ty_trainjob_controller_get_verify(j, ns, job);
        return;
    }
    struct ty_pending_job *p = ty_trainjob_controller_pending(j, ns, job);
    p->initial = false;
    /* JobSets change with their pods; an event for another child means that someone wrote to it. */
    if (!now || w->kind != &ty_kind_jobset)
        p->check_children = true;
    ty_trainjob_controller_enqueue(j, ns, job);
}

/* Drops the keys of a deleted object: a standby, which processes no keys, would otherwise collect
 * the keys of every object that ever existed. */
static void forget_object(struct ty_watched_kind *w, const struct ty_cached *was)
{
    if (w->kind == &ty_kind_trainjob)
        job_gone(w->controller, was);
    else if (w->kind->ours)
        ty_queue_drop(w->controller->queue,
                      runtime_key(w->kind, ty_str(was->id.ns), ty_str(was->id.name)));
}

static void dispatch_change(struct ty_watched_kind *w, const struct ty_kube_object *o,
                            const struct ty_cached *now, struct ty_str job)
{
    struct ty_trainjob_controller *j = w->controller;

    if (w->kind->ours && !now)
        return; /* forget_object dropped its key */
    if (w->kind == &ty_kind_trainjob)
        job_changed(j, o, now);
    else if (w->kind->ours)
        enqueue_runtime(j, w->kind, o->ns, o->name);
    else if (w->kind == &ty_kind_limitrange && j->synced)
        enqueue_suspended(j, o->ns, (struct ty_str){ 0 });
    else if (w->kind == &ty_kind_runtimeclass && j->synced)
        enqueue_suspended(j, (struct ty_str){ 0 }, o->name);
    else
        child_changed(w, o->ns, job, now, !o->json);
}

/* The reconcile fetches what it needs; a TrainJob that is too large gets an event. */
static void mark_cut(struct ty_watched_kind *w, const struct ty_cached *o)
{
    ty_cache_set_partial(w->controller->cache, o);
    ty_error(w->controller->s.log, "it needs more memory than is left for one object",
             "an object is too large to be read", TY_S("kind", w->kind->kind),
             TY_S("namespace", o->id.ns), TY_S("name", o->id.name));
}

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct ty_watched_kind *w = ctx;
    struct ty_trainjob_controller *j = w->controller;
    const struct ty_cached *was = ty_cache_get(j->cache, w->kind, o->ns, o->name), *now = NULL;
    struct ty_state_before before = ty_trainjob_controller_log_before(was, o->uid);
    char job[256] = "";

    bool known = was != NULL;
    if (what == TY_REFLECTOR_DELETED) {
        if (known && was->job)
            snprintf(job, sizeof(job), "%s", was->job);
        if (known)
            forget_object(w, was);
        ty_cache_delete(j->cache, w->kind, o->ns, o->name, o->uid);
    } else {
        now = ty_cache_put(j->cache, w->kind, o->json);
        if (now && o->cut)
            mark_cut(w, now);
        if (now && now->job)
            snprintf(job, sizeof(job), "%s", now->job);
    }
    if (w->kind == &ty_kind_trainjob || (w->kind == &ty_kind_jobset && now))
        ty_trainjob_controller_log_change(j, before, o, now);
    if (known || now) /* else the cache needs nothing of it */
        dispatch_change(w, o, now,
                        job[0] ? ty_str(job) : ty_cache_project_name_owner(w->kind, o->name));
}

static void check_synced(struct ty_trainjob_controller *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].needed && !j->watched[i].synced)
            return;
    if (j->synced)
        return;
    j->synced = true;
    ty_info(j->s.log, "the cache is complete",
            TY_I("trainjobs", ty_cache_count(j->cache, &ty_kind_trainjob)),
            TY_I("jobsets", ty_cache_count(j->cache, &ty_kind_jobset)),
            TY_I("bytes", ty_cache_bytes(j->cache)));
    if (j->s.synced)
        j->s.synced(j->s.ctx);
    ty_trainjob_controller_process_queue(j);
}

/* A server that closes its connections ends all watches at once: one line, not one for each. A 401
 * closes them, too: then the 401 is the line that helps. */
static bool is_logged_enough(struct ty_trainjob_controller *j, const struct ty_kube_response *why)
{
    int64_t now = (int64_t)uv_now(j->s.loop);

    if (why->code == 401)
        j->refused_ms = now;
    if (why->code == 0 && j->refused_ms && now - j->refused_ms < (int64_t)TY_LOG_SEEN_S * 1000)
        return true;
    return ty_log_seen(j->s.log, why->message);
}

static void log_watch_error(struct ty_watched_kind *w, const struct ty_kube_response *why,
                            int64_t again_ms)
{
    struct ty_trainjob_controller *j = w->controller;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    const char *error = ty_arena_cstr(a, why->message);

    if (why->code == 401)
        error = ty_arena_printf(a, "%s: the API server does not take %s", error,
                                ty_kubeconfig_identity(a, ty_kube_config(j->s.kube)));
    if (is_logged_enough(j, why))
        ty_debug(j->s.log, "cannot watch", TY_S("error", error), TY_S("kind", w->kind->kind),
                 TY_S("group", w->kind->group), TY_I("againMs", again_ms));
    else
        ty_error(j->s.log, error, "cannot watch", TY_S("kind", w->kind->kind),
                 TY_S("group", w->kind->group), TY_I("againMs", again_ms));
}

static void log_not_served(const struct ty_watched_kind *w)
{
    const char *kind = w->kind->kind, *group = w->kind->group;

    if (w->kind->ours)
        ty_warn(w->controller->s.log,
                "waiting: the API server does not serve this kind yet; install the CRDs",
                TY_S("kind", kind), TY_S("group", group));
    else if (w->kind == &ty_kind_jobset)
        ty_warn(w->controller->s.log,
                "no TrainJob can run: the API server does not serve JobSets yet; install JobSet",
                TY_S("kind", kind), TY_S("group", group));
    else
        ty_info(w->controller->s.log, "not served here; watched as soon as it is",
                TY_S("kind", kind), TY_S("group", group));
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct ty_watched_kind *w = ctx;
    const struct ty_log *log = w->controller->s.log;

    if (state == TY_REFLECTOR_FAILED) {
        free(w->watch_error);
        w->watch_error = ty_xalloc_cstr(why->message);
        log_watch_error(w, why, again_ms);
        return;
    }
    if (state == TY_REFLECTOR_ABSENT) {
        log_not_served(w);
        w->synced |= !w->kind->ours; /* our own kinds must be listed once */
        w->absent = true;
    } else {
        if (w->absent)
            ty_info(log, "now served: watching", TY_S("kind", w->kind->kind),
                    TY_S("group", w->kind->group));
        w->absent = false;
        w->synced = true;
    }
    if (w->relisting) {
        w->relisting = false;
        ty_trainjob_controller_process_queue(w->controller);
    }
    check_synced(w->controller);
}

/* Before the first sync every kind is being listed anyway. */
void ty_trainjob_controller_relist(struct ty_trainjob_controller *j)
{
    for (size_t i = 0; j->synced && i < j->n_watched; i++) {
        struct ty_watched_kind *w = &j->watched[i];
        if (!w->needed || !ty_reflector_is_stale(w->reflect))
            continue;
        ty_info(j->s.log, "new leader: listing what could not be watched lately",
                TY_S("kind", w->kind->kind), TY_S("group", w->kind->group));
        w->relisting = true;
        ty_reflector_relist(w->reflect);
    }
}

bool ty_trainjob_controller_is_stale(const struct ty_trainjob_controller *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].relisting)
            return true;
    return false;
}

static void start_watch(struct ty_trainjob_controller *j, const struct ty_kind *kind, bool meta,
                        bool needed)
{
    struct ty_watched_kind *w = &j->watched[j->n_watched++];
    bool vital = kind->ours || kind == &ty_kind_jobset;

    *w = (struct ty_watched_kind){ .controller = j, .kind = kind, .meta = meta, .needed = needed };
    w->reflect = ty_reflector_new(
        j->s.kube,
        &(struct ty_reflector_opts){ .which = { .kind = kind, .meta = meta, .cut = true },
                                     .absent_ms = vital ? VITAL_MS : 0,
                                     .table = ty_cache_objects(j->cache),
                                     .changed = on_changed,
                                     .state = on_state,
                                     .ctx = w });
}

void ty_trainjob_controller_watch_all(struct ty_trainjob_controller *j)
{
    start_watch(j, &ty_kind_trainjob, false, true);
    start_watch(j, &ty_kind_clustertrainingruntime, false, true);
    start_watch(j, &ty_kind_trainingruntime, false, true);
    start_watch(j, &ty_kind_jobset, false, true);
    start_watch(j, &ty_kind_configmap, true, true);
    start_watch(j, &ty_kind_secret, true, true);
    start_watch(j, &ty_kind_podgroup_cosched, false, true);
    start_watch(j, &ty_kind_podgroup_volcano, false, true);
    start_watch(j, &ty_kind_limitrange, false, false);
    start_watch(j, &ty_kind_runtimeclass, false, false);
    start_watch(j, &ty_kind_priorityclass, false, false);
}
