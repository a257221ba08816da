/* Reads the state of a TrainJob from its conditions and from the counts of its JobSet. */
#include "controller/trainjob_state.h"

#include "controller/cache.h"
#include "trainer/trainjob_reconcile.h"

const char *const ty_trainjob_state_names[TY_TRAINJOB_STATES] = {
    [TY_TRAINJOB_STATE_PENDING] = "pending",
    [TY_TRAINJOB_STATE_RUNNING] = "running",
    [TY_TRAINJOB_STATE_SUSPENDED] = "suspended",
    [TY_TRAINJOB_STATE_COMPLETE] = "complete",
    [TY_TRAINJOB_STATE_FAILED] = "failed"
};

static bool is_true(const struct ty_json *status, const char *type)
{
    return ty_str_is(ty_json_str_at(ty_condition_find(status, type), "status"), "True");
}

static enum ty_trainjob_state trainjob_state(const struct ty_json *job)
{
    const struct ty_json *status = ty_json_get(job, "status");

    if (is_true(status, "Failed"))
        return TY_TRAINJOB_STATE_FAILED;
    if (is_true(status, "Complete"))
        return TY_TRAINJOB_STATE_COMPLETE;
    return ty_json_true_at(job, "spec.suspend") || is_true(status, "Suspended")
               ? TY_TRAINJOB_STATE_SUSPENDED
               : TY_TRAINJOB_STATE_PENDING;
}

static enum ty_trainjob_state jobset_state(const struct ty_json *jobset)
{
    const struct ty_json *counts = ty_json_at(jobset, "status.replicatedJobsStatus");

    if (ty_json_true_at(jobset, "spec.suspend"))
        return TY_TRAINJOB_STATE_PENDING;
    ty_each_item (it, counts) {
        int64_t active = 0, ready = 0;
        ty_json_int_at(*it, "active", &active);
        ty_json_int_at(*it, "ready", &ready);
        if (active > 0 || ready > 0)
            return TY_TRAINJOB_STATE_RUNNING;
    }
    return TY_TRAINJOB_STATE_PENDING;
}

enum ty_trainjob_state ty_trainjob_state_read(const struct ty_kind *kind, const struct ty_json *obj)
{
    if (kind == &ty_kind_trainjob)
        return trainjob_state(obj);
    return kind == &ty_kind_jobset ? jobset_state(obj) : TY_TRAINJOB_STATE_PENDING;
}

enum ty_trainjob_state ty_trainjob_state_join(enum ty_trainjob_state job,
                                              enum ty_trainjob_state jobset)
{
    bool ended = job == TY_TRAINJOB_STATE_FAILED || job == TY_TRAINJOB_STATE_COMPLETE;

    return !ended && jobset == TY_TRAINJOB_STATE_RUNNING ? TY_TRAINJOB_STATE_RUNNING : job;
}

enum ty_trainjob_state ty_trainjob_state_get(const struct ty_cache *cache,
                                             const struct ty_cached *job)
{
    const struct ty_cached *jobset =
        ty_cache_get(cache, &ty_kind_jobset, ty_str(job->id.ns), ty_str(job->id.name));
    bool ours = jobset && jobset->job_uid && strcmp(jobset->job_uid, job->id.uid) == 0;

    return ty_trainjob_state_join(job->state, ours ? jobset->state : TY_TRAINJOB_STATE_PENDING);
}
