/* What the watches tell: into the world, and the jobs that it matters to into the queue. */
#include <stdlib.h>
#include <uv.h>

#include "base/must.h"
#include "control/jobs_inner.h"
#include "control/keep.h"
#include "trainer/resolve.h"

#define VITAL_MS 2000 /* while a kind is not served without which no job can be looked at */

static const struct ty_watched *watched(const struct ty_jobs *j, const struct ty_kind *kind)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].kind == kind)
            return &j->watched[i];
    return NULL;
}

struct ty_reflect *ty_jobs_reflect(const struct ty_jobs *j, const struct ty_kind *kind)
{
    const struct ty_watched *w = watched(j, kind);

    return w ? w->reflect : NULL;
}

const char *ty_jobs_unread(void *ctx, const struct ty_kind *kind)
{
    const struct ty_watched *w = watched(ctx, kind);

    return w && ty_reflect_behind(w->reflect) ? w->trouble : NULL;
}

/* ---- to whom it matters ---- */

struct among {
    struct ty_jobs *jobs;
    struct ty_str ns;    /* empty: all */
    struct ty_str class; /* RuntimeClass that the runtime must name; empty: any */
    struct ty_arena *a;
};

static bool names_class(const struct among *m, const struct ty_json *obj)
{
    struct ty_trainjob job;

    ty_trainjob_read(&job, obj);
    const struct ty_kind *kind = ty_runtime_kind(&job);
    const struct ty_known *o =
        kind ? ty_world_find(m->jobs->world, kind, job.ns, job.ref_name) : NULL;
    const struct ty_json *runtime = o ? ty_world_read(m->a, o) : NULL;
    const struct ty_json *rjobs = ty_json_at(runtime, "spec.template.spec.replicatedJobs");
    if (o && o->partial)
        return true; /* perhaps */
    ty_each_item (it, rjobs)
        if (ty_str_eq(ty_json_str_at(*it, "template.spec.template.spec.runtimeClassName"),
                      m->class))
            return true;
    return false;
}

static void look_if_suspended(void *ctx, const struct ty_known *o)
{
    struct among *m = ctx;

    if (m->ns.n && !ty_str_is(m->ns, o->ns))
        return;
    ty_arena_reset(m->a);
    const struct ty_json *job = ty_world_read(m->a, o);
    if (!ty_json_true_at(job, "spec.suspend") || (m->class.n && !names_class(m, job)))
        return;
    ty_jobs_pend(m->jobs, ty_str(o->ns), ty_str(o->name))->full = true;
    ty_jobs_look(m->jobs, ty_str(o->ns), ty_str(o->name));
}

static void look_among_suspended(struct ty_jobs *j, struct ty_str ns, struct ty_str class)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct among m = { .jobs = j, .ns = ns, .class = class, .a = a };

    ty_world_each(j->world, &ty_kind_trainjob, look_if_suspended, &m);
}

static struct ty_key runtime_key(const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    int number = kind == &ty_kind_trainingruntime ? TY_OF_RUNTIMES : TY_OF_CLUSTER_RUNTIMES;

    return (struct ty_key){ number, ns, name };
}

static void look_at_runtime(struct ty_jobs *j, const struct ty_kind *kind, struct ty_str ns,
                            struct ty_str name)
{
    ty_queue_add(j->queue, runtime_key(kind, ns, name));
}

/* With finalizers a job's coming and going matters to its runtime, too; one that comes later is
 * looked at by itself. */
static void look_at_its_runtime(struct ty_jobs *j, const struct ty_json *obj)
{
    struct ty_trainjob job;

    if (!obj || j->s.protection != TY_PROTECT_FINALIZER)
        return;
    ty_trainjob_read(&job, obj);
    const struct ty_kind *kind = ty_runtime_kind(&job);
    struct ty_str ns = kind && kind->namespaced ? job.ns : (struct ty_str){ 0 };
    if (kind && ty_world_find(j->world, kind, ns, job.ref_name))
        look_at_runtime(j, kind, ns, job.ref_name);
}

/* ---- news ---- */

/* now: NULL if it is gone. */
static void job_changed(struct ty_watched *w, const struct ty_kube_object *o,
                        const struct ty_known *now)
{
    struct ty_jobs *j = w->jobs;

    look_at_its_runtime(j, o->json);
    if (ty_jobs_heard(j, o->name, now))
        return;
    ty_jobs_pend(j, o->ns, o->name)->first = !j->synced;
    ty_jobs_look(j, o->ns, o->name);
}

/* Its runtime is told by what is known of the job: a list only says that it is not there. */
static void job_gone(struct ty_jobs *j, const struct ty_known *was)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);

    if (j->s.protection == TY_PROTECT_FINALIZER)
        look_at_its_runtime(j, ty_world_read(a, was));
    ty_jobs_forget(j, ty_str(was->ns), ty_str(was->name));
}

/* A child: its TrainJob looks. */
static void child_changed(struct ty_watched *w, struct ty_str ns, struct ty_str job,
                          const struct ty_known *now, bool listed)
{
    struct ty_jobs *j = w->jobs;

    if (!j->synced || !ty_world_find(j->world, &ty_kind_trainjob, ns, job))
        return; /* before that every job is looked at anyway; and it may be nobody's */
    if (now && ty_jobs_heard(j, job, now))
        return;
    /* A list, not a watch, says that it is gone: for a while we saw nothing, and the TrainJob may
     * have gone with it, only that its own list is not there yet. */
    if (!now && listed) {
        ty_jobs_check(j, ns, job);
        return;
    }
    struct ty_pending *p = ty_jobs_pend(j, ns, job);
    p->first = false;
    /* A JobSet changes all the time as its pods do; the others only if somebody writes to them. */
    if (!now || w->kind != &ty_kind_jobset)
        p->full = true;
    ty_jobs_look(j, ns, job);
}

/* Nothing of ours is looked at any more when it is gone: a standby, which looks at nothing, would
 * otherwise remember every object that ever was. */
static void forget(struct ty_watched *w, const struct ty_known *was)
{
    if (w->kind == &ty_kind_trainjob)
        job_gone(w->jobs, was);
    else if (w->kind->ours)
        ty_queue_drop(w->jobs->queue, runtime_key(w->kind, ty_str(was->ns), ty_str(was->name)));
}

static void told(struct ty_watched *w, const struct ty_kube_object *o, const struct ty_known *now,
                 struct ty_str job)
{
    struct ty_jobs *j = w->jobs;

    if (w->kind->ours && !now)
        return; /* forgotten */
    if (w->kind == &ty_kind_trainjob)
        job_changed(w, o, now);
    else if (w->kind->ours)
        look_at_runtime(j, w->kind, o->ns, o->name);
    else if (w->kind == &ty_kind_limitrange && j->synced)
        look_among_suspended(j, o->ns, (struct ty_str){ 0 });
    else if (w->kind == &ty_kind_runtimeclass && j->synced)
        look_among_suspended(j, (struct ty_str){ 0 }, o->name);
    else
        child_changed(w, o->ns, job, now, !o->json);
}

/* What of it a look needs is fetched then; a TrainJob that is too large has an event. */
static void take_cut(struct ty_watched *w, const struct ty_known *o)
{
    ty_world_cut(w->jobs->world, o);
    ty_error(w->jobs->s.log, "it needs more memory than is left for one object",
             "an object is too large to be read", TY_S("kind", w->kind->kind),
             TY_S("namespace", o->ns), TY_S("name", o->name));
}

static void on_changed(void *ctx, enum ty_reflect_change what, const struct ty_kube_object *o)
{
    struct ty_watched *w = ctx;
    struct ty_jobs *j = w->jobs;
    const struct ty_known *was = ty_world_find(j->world, w->kind, o->ns, o->name), *now = NULL;
    struct ty_before before = ty_jobs_log_before(was, o->uid);
    char job[256] = "";
    bool news = true;

    if (what == TY_REFLECT_GONE) {
        if (was && was->job)
            snprintf(job, sizeof(job), "%s", was->job);
        if (was && ty_str_is(o->uid, was->uid))
            forget(w, was);
        news = ty_world_drop(j->world, w->kind, o->ns, o->name, o->uid);
    } else {
        now = ty_world_put(j->world, w->kind, o->json, &news);
        if (now && o->cut)
            take_cut(w, now);
        if (now && now->job)
            snprintf(job, sizeof(job), "%s", now->job);
    }
    if (w->kind == &ty_kind_trainjob || (w->kind == &ty_kind_jobset && now))
        ty_jobs_log_change(j, before, o, now);
    if (news)
        told(w, o, now, job[0] ? ty_str(job) : ty_keep_namesake(w->kind, o->name));
}

static void check_synced(struct ty_jobs *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].needed && !j->watched[i].told)
            return;
    if (j->synced)
        return;
    j->synced = true;
    ty_info(j->s.log, "the cache is complete",
            TY_I("trainjobs", ty_world_count(j->world, &ty_kind_trainjob)),
            TY_I("jobsets", ty_world_count(j->world, &ty_kind_jobset)),
            TY_I("bytes", ty_world_bytes(j->world)));
    if (j->s.synced)
        j->s.synced(j->s.ctx);
    ty_jobs_turn(j);
}

/* A server that hangs up ends all watches in one moment: that is one line, not one for each. One
 * that refuses our credentials hangs up, too: then the refusal is the line that helps. */
static bool said_enough(struct ty_jobs *j, const struct ty_kube_answer *why)
{
    int64_t now = (int64_t)uv_now(j->s.loop);

    if (why->code == 401)
        j->refused_ms = now;
    if (why->code == 0 && j->refused_ms && now - j->refused_ms < TY_LATELY_MS)
        return true;
    return ty_lately(&j->troubles, why->message, now);
}

static void say_trouble(struct ty_watched *w, const struct ty_kube_answer *why, int64_t again_ms)
{
    struct ty_jobs *j = w->jobs;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    const char *error = ty_arena_printf(a, "%.*s", TY_ARG(why->message));

    if (why->code == 401)
        error = ty_arena_printf(a, "%s: the API server does not take %s", error,
                                ty_kubeconfig_who(a, ty_kube_config(j->s.kube)));
    if (said_enough(j, why))
        ty_debug(j->s.log, "cannot watch", TY_S("error", error), TY_S("kind", w->kind->kind),
                 TY_S("group", w->kind->group), TY_I("againMs", again_ms));
    else
        ty_error(j->s.log, error, "cannot watch", TY_S("kind", w->kind->kind),
                 TY_S("group", w->kind->group), TY_I("againMs", again_ms));
}

static void say_absent(const struct ty_watched *w)
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

static void on_state(void *ctx, enum ty_reflect_state state, const struct ty_kube_answer *why,
                     int64_t again_ms)
{
    struct ty_watched *w = ctx;
    const struct ty_log *log = w->jobs->s.log;

    if (state == TY_REFLECT_TROUBLE) {
        free(w->trouble);
        w->trouble = ty_must(strndup(why->message.n ? why->message.p : "", why->message.n));
        say_trouble(w, why, again_ms);
        return;
    }
    if (state == TY_REFLECT_ABSENT) {
        say_absent(w);
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
        ty_jobs_turn(w->jobs);
    }
    check_synced(w->jobs);
}

/* Before that all are listed for the first time. */
void ty_jobs_catch_up(struct ty_jobs *j)
{
    for (size_t i = 0; j->synced && i < j->n_watched; i++) {
        struct ty_watched *w = &j->watched[i];
        if (!w->needed || !ty_reflect_behind(w->reflect))
            continue;
        ty_info(j->s.log, "new leader: listing what could not be watched lately",
                TY_S("kind", w->kind->kind), TY_S("group", w->kind->group));
        w->behind = true;
        ty_reflect_anew(w->reflect);
    }
}

bool ty_jobs_behind(const struct ty_jobs *j)
{
    for (size_t i = 0; i < j->n_watched; i++)
        if (j->watched[i].behind)
            return true;
    return false;
}

static void watch(struct ty_jobs *j, const struct ty_kind *kind, bool meta, bool needed)
{
    struct ty_watched *w = &j->watched[j->n_watched++];
    bool vital = kind->ours || kind == &ty_kind_jobset;

    *w = (struct ty_watched){ .jobs = j, .kind = kind, .meta = meta, .needed = needed };
    w->reflect = ty_reflect_new(
        j->s.kube, &(struct ty_reflect_want){ .which = { .kind = kind, .meta = meta, .cut = true },
                                              .absent_ms = vital ? VITAL_MS : 0,
                                              .changed = on_changed,
                                              .state = on_state,
                                              .ctx = w });
}

void ty_jobs_watch_all(struct ty_jobs *j)
{
    watch(j, &ty_kind_trainjob, false, true);
    watch(j, &ty_kind_clustertrainingruntime, false, true);
    watch(j, &ty_kind_trainingruntime, false, true);
    watch(j, &ty_kind_jobset, false, true);
    watch(j, &ty_kind_configmap, true, true);
    watch(j, &ty_kind_secret, true, true);
    watch(j, &ty_kind_podgroup_cosched, false, true);
    watch(j, &ty_kind_podgroup_volcano, false, true);
    watch(j, &ty_kind_limitrange, false, false);
    watch(j, &ty_kind_runtimeclass, false, false);
    watch(j, &ty_kind_priorityclass, false, false);
}
