/* Restarts inside pods count against the backoffLimit of their Job, all pods together
 * (docs/spec/jobset.md 3). */
#include "engine/pod/pod_restart.h"

#include "engine/engine_inner.h"
#include "engine/job/job_spec.h"

/* The Job that owns the pod; NULL if it was deleted meanwhile. */
static const struct ty_json *job_of(struct ty_arena *a, const struct ty_pod_runtime *p)
{
    struct ty_json *pod =
        ty_local_get(p->e->store, a, &ty_kind_pod, ty_str(p->ns), ty_str(p->name));
    struct ty_str name =
        ty_json_str_at(ty_json_item(ty_json_at(pod, "metadata.ownerReferences"), 0), "name");

    return name.n ? ty_local_get(p->e->store, a, &ty_kind_job, ty_str(p->ns), name) : NULL;
}

/* Pods of one Job differ only in their index: their host names are the Job's name and that. */
static bool same_job(const struct ty_pod_runtime *p, struct ty_str job)
{
    return ty_str_starts(ty_str(p->host), job) && p->host[job.n] == '-' &&
           !strchr(p->host + job.n + 1, '-');
}

static int64_t restarts_of(const struct ty_engine *e, struct ty_str job)
{
    int64_t n = 0;

    for (const struct ty_pod_runtime *p = e->pods.first; p; p = p->next)
        if (!p->over && same_job(p, job))
            n += ty_pod_lifecycle_restarts(p->run);
    return n;
}

void ty_pod_restart_update(const struct ty_pod_runtime *p, size_t c, struct ty_pod_update *ret)
{
    int64_t at_ms = ty_pod_lifecycle_retry_ms(p->run, c);

    if (at_ms < 0)
        return;
    ty_auto_arena *a = ty_arena_new(TY_OBJECT_CEILING);
    const struct ty_json *job = job_of(a, p);
    struct ty_job_spec spec = { 0 };
    int64_t left_ms = at_ms - ty_engine_now_ms(p->e);
    ret->restart_ms = left_ms > 0 ? left_ms : 0;
    ret->restarts_again = true;
    if (!job || p->plan.restart != 'O') /* a sidecar of pods that are not restarted: no limit */
        return;
    ty_job_spec_read(job, &spec);
    ret->restart = restarts_of(p->e, spec.name);
    ret->restart_limit = spec.backoff_limit;
    /* The Job fails now; as in a cluster, the container may still start before that is noticed. */
    if (ret->restart > ret->restart_limit)
        ret->restarts_again = false;
}
