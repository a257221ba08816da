/* What the watches tell: into the cache, and the jobs that it matters to into the queue. */
#include <stdlib.h>
#include <uv.h>

#include "base/xalloc.h"
#include "controller/cache_project.h"
#include "controller/trainjob_controller_inner.h"
#include "trainer/runtime_resolve.h"

#define VITAL_MS 2000 /* while a kind is not served without which no job can be looked at */

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

    return w && ty_reflector_is_stale(w->reflect) ? w->trouble : NULL;
}

/* ---- to whom it matters ---- */

struct suspended_filter {
    struct ty_trainjob_controller *jobs;
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
        kind ? ty_cache_get(m->jobs->cache, kind, job.ns, job.ref_name) : NULL;
    const struct ty_json *runtime = o ? ty_cache_parse(m->a, o) : NULL;
    const struct ty_json *rjobs = ty_json_at(runtime, "spec.template.spec.replicatedJobs");
    if (o && o->partial)
        return true; /* perhaps */
    ty_each_item (it, rjobs)
        if (ty_str_eq(ty_json_str_at(*it, "template.spec.template.spec.runtimeClassName"),
                      m->class))
            return true;
    return false;
}

static void enqueue_if_suspended(void *ctx, const struct ty_cached *o)
{
    struct suspended_filter *m = ctx;

    if (m->ns.n && !ty_str_is(m->ns, o->ns))
        return;
    ty_arena_reset(m->a);
    const struct ty_json *job = ty_cache_parse(m->a, o);
    if (!ty_json_true_at(job, "spec.suspend") || (m->class.n && !names_class(m, job)))
        return;
    ty_trainjob_controller_pending(m->jobs, ty_str(o->ns), ty_str(o->name))->full = true;
    ty_trainjob_controller_enqueue(m->jobs, ty_str(o->ns), ty_str(o->name));
}

static void enqueue_suspended(struct ty_trainjob_controller *j, struct ty_str ns,
                              struct ty_str class)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct suspended_filter m = { .jobs = j, .ns = ns, .class = class, .a = a };

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

/* With finalizers a job's coming and going matters to its runtime, too; one that comes later is
 * looked at by itself. */
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

/* ---- news ---- */

/* now: NULL if it is gone. */
static void job_changed(struct ty_watched_kind *w, const struct ty_kube_object *o,
                        const struct ty_cached *now)
{
    struct ty_trainjob_controller *j = w->jobs;

    enqueue_its_runtime(j, o->json);
    if (ty_trainjob_controller_expect_observe(j, o->name, now))
        return;
    ty_trainjob_controller_pending(j, o->ns, o->name)->first = !j->synced;
    ty_trainjob_controller_enqueue(j, o->ns, o->name);
}

/* Its runtime is told by what is known of the job: a list only says that it is not there. */
static void job_gone(struct ty_trainjob_controller *j, const struct ty_cached *was)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);

    if (j->s.protection == TY_PROTECT_FINALIZER)
        enqueue_its_runtime(j, ty_cache_parse(a, was));
    ty_trainjob_controller_forget(j, ty_str(was->ns), ty_str(was->name));
}

/* A child: its TrainJob looks. */
static void child_changed(struct ty_watched_kind *w, struct ty_str ns, struct ty_str job,
                          const struct ty_cached *now, bool listed)
{
    struct ty_trainjob_controller *j = w->jobs;

    if (!j->synced || !ty_cache_get(j->cache, &ty_kind_trainjob, ns, job))
        return; /* before that every job is looked at anyway; and it may be nobody's */
    if (now && ty_trainjob_controller_expect_observe(j, job, now))
        return;
    /* A list, not a watch, says that it is gone: for a while we saw nothing, and the TrainJob may
     * have gone with it, only that its own list is not there yet. */
    if (!now && listed) {
        ty_trainjob_controller_get_verify(j, ns, job);
        return;
    }
    struct ty_pending_job *p = ty_trainjob_controller_pending(j, ns, job);
    p->first = false;
    /* A JobSet changes all the time as its pods do; the others only if somebody writes to them. */
    if (!now || w->kind != &ty_kind_jobset)
        p->full = true;
    ty_trainjob_controller_enqueue(j, ns, job);
}

/* Nothing of ours is looked at any more when it is gone: a standby, which looks at nothing, would
 * otherwise remember every object that ever was. */
static void forget_object(struct ty_watched_kind *w, const struct ty_cached *was)
{
    if (w->kind == &ty_kind_trainjob)
        job_gone(w->jobs, was);
    else if (w->kind->ours)
        ty_queue_drop(w->jobs->queue, runtime_key(w->kind, ty_str(was->ns), ty_str(was->name)));
}

static void dispatch_change(struct ty_watched_kind *w, const struct ty_kube_object *o,
                            const struct ty_cached *now, struct ty_str job)
{
    struct ty_trainjob_controller *j = w->jobs;

    if (w->kind->ours && !now)
        return; /* forgotten */
    if (w->kind == &ty_kind_trainjob)
        job_changed(w, o, now);
    else if (w->kind->ours)
        enqueue_runtime(j, w->kind, o->ns, o->name);
    else if (w->kind == &ty_kind_limitrange && j->synced)
        enqueue_suspended(j, o->ns, (struct ty_str){ 0 });
    else if (w->kind == &ty_kind_runtimeclass && j->synced)
        enqueue_suspended(j, (struct ty_str){ 0 }, o->name);
    else
        child_changed(w, o->ns, job, now, !o->json);
}

/* What of it a look needs is fetched then; a TrainJob that is too large has an event. */
static void mark_cut(struct ty_watched_kind *w, const struct ty_cached *o)
{
    ty_cache_set_partial(w->jobs->cache, o);
    ty_error(w->jobs->s.log, "it needs more memory than is left for one object",
             "an object is too large to be read", TY_S("kind", w->kind->kind),
             TY_S("namespace", o->ns), TY_S("name", o->name));
}

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct ty_watched_kind *w = ctx;
    struct ty_trainjob_controller *j = w->jobs;
    const struct ty_cached *was = ty_cache_get(j->cache, w->kind, o->ns, o->name), *now = NULL;
    struct ty_state_before before = ty_trainjob_controller_log_before(was, o->uid);
    char job[256] = "";
    bool news = true;

    if (what == TY_REFLECTOR_DELETED) {
        if (was && was->job)
            snprintf(job, sizeof(job), "%s", was->job);
        if (was && ty_str_is(o->uid, was->uid))
            forget_object(w, was);
        news = ty_cache_delete(j->cache, w->kind, o->ns, o->name, o->uid);
    } else {
        now = ty_cache_put(j->cache, w->kind, o->json, &news);
        if (now && o->cut)
            mark_cut(w, now);
        if (now && now->job)
            snprintf(job, sizeof(job), "%s", now->job);
    }
    if (w->kind == &ty_kind_trainjob || (w->kind == &ty_kind_jobset && now))
        ty_trainjob_controller_log_change(j, before, o, now);
    if (news)
        dispatch_change(w, o, now,
                        job[0] ? ty_str(job) : ty_cache_project_name_owner(w->kind, o->name));
}

static void check_synced(struct ty_trainjob_controller *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].needed && !j->watched[i].told)
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

/* A server that hangs up ends all watches in one moment: that is one line, not one for each. One
 * that refuses our credentials hangs up, too: then the refusal is the line that helps. */
static bool is_logged_enough(struct ty_trainjob_controller *j, const struct ty_kube_response *why)
{
    int64_t now = (int64_t)uv_now(j->s.loop);

    if (why->code == 401)
        j->refused_ms = now;
    if (why->code == 0 && j->refused_ms && now - j->refused_ms < TY_LOG_DEDUP_MS)
        return true;
    return ty_log_dedup(&j->troubles, why->message, now);
}

static void log_watch_error(struct ty_watched_kind *w, const struct ty_kube_response *why,
                            int64_t again_ms)
{
    struct ty_trainjob_controller *j = w->jobs;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    const char *error = ty_arena_printf(a, "%.*s", TY_ARG(why->message));

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
        ty_warn(w->jobs->s.log,
                "waiting: the API server does not serve this kind yet; install the CRDs",
                TY_S("kind", kind), TY_S("group", group));
    else if (w->kind == &ty_kind_jobset)
        ty_warn(w->jobs->s.log,
                "no TrainJob can run: the API server does not serve JobSets yet; install JobSet",
                TY_S("kind", kind), TY_S("group", group));
    else
        ty_info(w->jobs->s.log, "not served here; watched as soon as it is", TY_S("kind", kind),
                TY_S("group", group));
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct ty_watched_kind *w = ctx;
    const struct ty_log *log = w->jobs->s.log;

    if (state == TY_REFLECTOR_FAILED) {
        free(w->trouble);
        w->trouble = ty_xalloc(strndup(why->message.n ? why->message.p : "", why->message.n));
        log_watch_error(w, why, again_ms);
        return;
    }
    if (state == TY_REFLECTOR_ABSENT) {
        log_not_served(w);
        w->told |= !w->kind->ours; /* of our own we wait for the first list */
        w->absent = true;
    } else {
        if (w->absent)
            ty_info(log, "now served: watching", TY_S("kind", w->kind->kind),
                    TY_S("group", w->kind->group));
        w->absent = false;
        w->told = true;
    }
    if (w->behind) {
        w->behind = false;
        ty_trainjob_controller_process_queue(w->jobs);
    }
    check_synced(w->jobs);
}

/* Before that all are listed for the first time. */
void ty_trainjob_controller_relist(struct ty_trainjob_controller *j)
{
    for (size_t i = 0; j->synced && i < j->n_watched; i++) {
        struct ty_watched_kind *w = &j->watched[i];
        if (!w->needed || !ty_reflector_is_stale(w->reflect))
            continue;
        ty_info(j->s.log, "new leader: listing what could not be watched lately",
                TY_S("kind", w->kind->kind), TY_S("group", w->kind->group));
        w->behind = true;
        ty_reflector_relist(w->reflect);
    }
}

bool ty_trainjob_controller_is_stale(const struct ty_trainjob_controller *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].behind)
            return true;
    return false;
}

static void start_watch(struct ty_trainjob_controller *j, const struct ty_kind *kind, bool meta,
                        bool needed)
{
    struct ty_watched_kind *w = &j->watched[j->n_watched++];
    bool vital = kind->ours || kind == &ty_kind_jobset;

    *w = (struct ty_watched_kind){ .jobs = j, .kind = kind, .meta = meta, .needed = needed };
    w->reflect = ty_reflector_new(
        j->s.kube,
        &(struct ty_reflector_opts){ .which = { .kind = kind, .meta = meta, .cut = true },
                                     .absent_ms = vital ? VITAL_MS : 0,
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
