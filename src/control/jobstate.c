/* Reads the state of a TrainJob from its conditions and from the counts of its JobSet. */
#include "control/jobstate.h"

#include "control/world.h"
#include "trainer/pass.h"

const char *const ty_jobstate_names[TY_JOBSTATES] = { [TY_JOBSTATE_PENDING] = "pending",
                                                      [TY_JOBSTATE_RUNNING] = "running",
                                                      [TY_JOBSTATE_SUSPENDED] = "suspended",
                                                      [TY_JOBSTATE_COMPLETE] = "complete",
                                                      [TY_JOBSTATE_FAILED] = "failed" };

static bool is_true(const struct ty_json *status, const char *type)
{
    return ty_str_is(ty_json_str_at(ty_condition(status, type), "status"), "True");
}

static enum ty_jobstate of_job(const struct ty_json *job)
{
    const struct ty_json *status = ty_json_get(job, "status");

    if (is_true(status, "Failed"))
        return TY_JOBSTATE_FAILED;
    if (is_true(status, "Complete"))
        return TY_JOBSTATE_COMPLETE;
    return ty_json_true_at(job, "spec.suspend") || is_true(status, "Suspended")
               ? TY_JOBSTATE_SUSPENDED
               : TY_JOBSTATE_PENDING;
}

static enum ty_jobstate of_jobset(const struct ty_json *jobset)
{
    const struct ty_json *counts = ty_json_at(jobset, "status.replicatedJobsStatus");

    if (ty_json_true_at(jobset, "spec.suspend"))
        return TY_JOBSTATE_PENDING;
    ty_each_item (it, counts) {
        int64_t active = 0, ready = 0;
        ty_json_int_at(*it, "active", &active);
        ty_json_int_at(*it, "ready", &ready);
        if (active > 0 || ready > 0)
            return TY_JOBSTATE_RUNNING;
    }
    return TY_JOBSTATE_PENDING;
}

enum ty_jobstate ty_jobstate_read(const struct ty_kind *kind, const struct ty_json *obj)
{
    if (kind == &ty_kind_trainjob)
        return of_job(obj);
    return kind == &ty_kind_jobset ? of_jobset(obj) : TY_JOBSTATE_PENDING;
}

enum ty_jobstate ty_jobstate_join(enum ty_jobstate job, enum ty_jobstate jobset)
{
    bool ended = job == TY_JOBSTATE_FAILED || job == TY_JOBSTATE_COMPLETE;

    return !ended && jobset == TY_JOBSTATE_RUNNING ? TY_JOBSTATE_RUNNING : job;
}

enum ty_jobstate ty_jobstate_of(const struct ty_world *world, const struct ty_known *job)
{
    const struct ty_known *jobset =
        ty_world_find(world, &ty_kind_jobset, ty_str(job->ns), ty_str(job->name));
    bool ours = jobset && jobset->job_uid && strcmp(jobset->job_uid, job->uid) == 0;

    return ty_jobstate_join(job->state, ours ? jobset->state : TY_JOBSTATE_PENDING);
}
