/* The reflector of pods: states become entries of the table, bad ends and problems are passed on.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/xalloc.h"
#include "failure/failure_text.h"
#include "failure/failure_watch_inner.h"
#include "report/pod_failure.h"

#define POD_BYTES ((size_t)32 << 20)
#define LASTS_MS  10000 /* a scheduler or a registry may need so long without being in trouble */

/* ---- problems ---- */

static uint16_t reason_bit(const char *reason)
{
    static const char *const reasons[] = {
        "Unschedulable", "ImagePull", "CreateContainer",   "Evicted",      "Preempted",
        "NodeLost",      "OOMKilled", "InitializerFailed", "NodeRejected", "DeadlineExceeded",
    };

    for (size_t i = 0; i < TY_COUNT(reasons); i++)
        if (strcmp(reasons[i], reason) == 0)
            return (uint16_t)(1U << i);
    return 1U << 15;
}

bool ty_failure_watch_tell(struct ty_failure_job *job)
{
    struct ty_failure_watch *w = job->watch;

    if (!job->problem || job->problem_told)
        return true;
    if (!job->problem_final && ty_failure_watch_now(w) - job->problem_ms < LASTS_MS)
        return false;
    job->problem_told = true;
    if (job->told_reasons & reason_bit(job->problem_reason))
        return true;
    job->told_reasons |= reason_bit(job->problem_reason);
    w->counts.problems++;
    ty_failure_watch_event(w, job, "Warning", job->problem_reason, ty_str(job->problem));
    ty_trainjob_controller_enqueue(w->s.controller, ty_str(job->ns), ty_str(job->name));
    return true;
}

static uint64_t pod_hash(struct ty_str name)
{
    return ty_hash_bytes(0, name.p, name.n);
}

static void forget_problem(struct ty_failure_job *job)
{
    free(job->problem);
    job->problem = NULL;
    job->problem_reason = NULL;
    job->problem_final = job->problem_told = false;
}

/* The first problem stays as long as its pod has it, unless a final one comes. */
static void observe_problem(struct ty_failure_job *job, struct ty_arena *a,
                            const struct ty_kube_object *o)
{
    struct ty_failure_watch *w = job->watch;
    uint64_t pod = pod_hash(o->name);
    struct ty_pod_problem is;

    if (!ty_pod_failure_problem(a, o->json, ty_str(job->name), &is)) {
        if (job->problem && job->problem_pod == pod)
            forget_problem(job);
        return;
    }
    bool other = job->problem && job->problem_pod != pod;
    bool same = job->problem && job->problem_reason == is.reason && !other;
    if (same || (other && (job->problem_final || !is.final)))
        return;
    forget_problem(job);
    job->problem = ty_xalloc_cstr(ty_failure_text_line(a, ty_str(is.text)));
    job->problem_reason = is.reason;
    job->problem_final = is.final;
    job->problem_pod = pod;
    job->problem_ms = ty_failure_watch_now(w);
    if (!w->synced) { /* the last leader has recorded it */
        job->told_reasons |= reason_bit(is.reason);
        job->problem_told = true;
    }
    if (!ty_failure_watch_tell(job))
        ty_failure_watch_arm(w);
}

/* ---- pods ---- */

static struct ty_str label_of(const struct ty_json *pod, const char *key)
{
    return ty_json_as_str(ty_json_find(ty_json_at(pod, "metadata.labels"), ty_str(key)));
}

/* Anybody who may create pods can label one; the Job controller deletes pods that claim to be of a
 * Job and are not. JobSet names a Job JOBSET-REPLICATEDJOB-INDEX. */
static bool is_of_job(const struct ty_json *pod, struct ty_str jobset)
{
    struct ty_str replicated = label_of(pod, "jobset.sigs.k8s.io/replicatedjob-name");
    struct ty_str index = label_of(pod, "jobset.sigs.k8s.io/job-index");
    char job[640];

    snprintf(job, sizeof(job), "%.*s-%.*s-%.*s", TY_ARG(jobset), TY_ARG(replicated), TY_ARG(index));
    ty_each_item (ref, ty_json_at(pod, "metadata.ownerReferences"))
        if (ty_json_true_at(*ref, "controller") && ty_str_is(ty_json_str_at(*ref, "kind"), "Job") &&
            ty_str_is(ty_json_str_at(*ref, "name"), job))
            return true;
    return false;
}

/* Attempts are numbered by JobSet; a later one than it has begun is an invention. */
static bool is_begun(const struct ty_failure_watch *w, const struct ty_failure_job *job,
                     int64_t attempt, struct ty_arena *a)
{
    int64_t restarts = 0;

    if (attempt <= job->attempt)
        return true;
    const struct ty_cached *jobset =
        ty_cache_get(ty_trainjob_controller_cache(w->s.controller), &ty_kind_jobset,
                     ty_str(job->ns), ty_str(job->name));
    if (jobset)
        (void)ty_json_int_at(ty_cache_parse(a, jobset), "status.restarts", &restarts);
    return attempt <= restarts;
}

/* Pods of a deleted TrainJob may terminate for minutes, while another one has its name already and
 * a JobSet of its own. */
static bool is_of_jobset(const struct ty_json *pod, const struct ty_cached *jobset)
{
    struct ty_str uid = label_of(pod, "jobset.sigs.k8s.io/jobset-uid");

    return (!uid.n || ty_str_is(uid, jobset->id.uid)) && is_of_job(pod, ty_str(jobset->id.name));
}

/* The TrainJob whose JobSet this pod belongs to; NULL: none that this operator controls. */
static const struct ty_cached *trainjob_of(const struct ty_failure_watch *w,
                                           const struct ty_kube_object *o)
{
    const struct ty_cache *cache = ty_trainjob_controller_cache(w->s.controller);
    struct ty_str name = label_of(o->json, TY_FAILURE_JOBSET_LABEL);
    const struct ty_cached *job =
        name.n ? ty_cache_get(cache, &ty_kind_trainjob, o->ns, name) : NULL;
    const struct ty_cached *jobset = job ? ty_cache_get(cache, &ty_kind_jobset, o->ns, name) : NULL;

    /* Without a JobSet it is a pod that a deleted TrainJob of the same name has left. */
    bool own = jobset && jobset->job_uid && strcmp(jobset->job_uid, job->id.uid) == 0;
    return own && is_of_jobset(o->json, jobset) ? job : NULL;
}

static void forget_pod(struct ty_failure_watch *w, const struct ty_kube_object *o)
{
    struct ty_failure_job *job = ty_failure_job_del_pod(&w->pods, o->ns, o->name);

    if (!job)
        return;
    if (job->collection)
        ty_failure_collection_deleted(job->collection, o->name);
    if (job->problem && !job->problem_final && job->problem_pod == pod_hash(o->name))
        forget_problem(job); /* another pod takes its place */
    ty_failure_watch_drop(w, job);
}

/* Of the attempt whose logs are being collected, or of another. */
static void observe_pod(struct ty_failure_job *job, const struct ty_kube_object *o,
                        const struct ty_failure_pod_state *is)
{
    if (!is->ended && is->attempt == ty_failure_collection_attempt(job->collection))
        ty_failure_collection_add(job->collection, o->name, is->container,
                                  is->terminating ? TY_COLLECTION_TERMINATING
                                                  : TY_COLLECTION_RUNNING);
    ty_failure_collection_observe(job->collection, o->json);
}

static void pod_changed(struct ty_failure_watch *w, const struct ty_kube_object *o)
{
    const struct ty_cached *trainjob = trainjob_of(w, o);
    const struct ty_failure_pod *was =
        (const struct ty_failure_pod *)ty_object_table_get(&w->pods, &ty_kind_pod, o->ns, o->name);
    ty_auto_arena *a = ty_arena_new_input(POD_BYTES, w->s.budget);
    struct ty_failure_pod_state is;

    if (!trainjob) {
        forget_pod(w, o);
        return;
    }
    struct ty_failure_job *job = ty_failure_watch_job(w, trainjob);
    if (was && was->job != job) { /* labels and owners can be changed */
        forget_pod(w, o);
        was = NULL;
    }
    ty_failure_job_read_pod(a, o->json, ty_str(job->name), &is);
    if (!is_begun(w, job, is.attempt, a))
        return;
    if (is.attempt > job->attempt)
        ty_failure_job_next_attempt(job, is.attempt);
    bool worse = is.failed > (was ? was->failed : 0);
    ty_failure_job_put_pod(job, &w->pods, o, &is);
    if (job->collection)
        observe_pod(job, o, &is);
    if (is.attempt != job->attempt || w->stopped)
        return; /* late news of an earlier attempt */
    observe_problem(job, a, o);
    if (worse)
        ty_failure_watch_failed(job, o->json, &is);
}

static void on_pod(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct ty_failure_watch *w = ctx;

    if (o->json) /* a deletion has the last state, which may be its end */
        pod_changed(w, o);
    if (what == TY_REFLECTOR_DELETED)
        forget_pod(w, o);
}

/* ---- the reflector ---- */

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct ty_failure_watch *w = ctx;

    if (state == TY_REFLECTOR_SYNCED) {
        w->synced = true;
        w->refused = false;
        ty_failure_watch_start_waiting(w);
        return;
    }
    bool right = state == TY_REFLECTOR_FAILED && why->code == 403;
    if (right ? w->refused : ty_log_seen(w->s.log, why->message))
        return;
    w->refused |= right;
    ty_warn(w->s.log,
            right ? "no failure summaries: the operator may not list and watch pods (see "
                    "failureSummary in docs/operator.md)"
                  : "failure summaries may be missing: pods cannot be watched",
            TY_STR("error", why->message), TY_I("againMs", again_ms));
}

void ty_failure_watch_pods(struct ty_failure_watch *w)
{
    w->reflect = ty_reflector_new(
        w->s.kube,
        &(struct ty_reflector_opts){ .which = { .kind = &ty_kind_pod,
                                                .labels = TY_LIT(TY_FAILURE_JOBSET_LABEL),
                                                .cut = true },
                                     .table = &w->pods,
                                     .changed = on_pod,
                                     .state = on_state,
                                     .ctx = w });
}
