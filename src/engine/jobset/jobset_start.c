/* Which Jobs exist and which of them may run: dependencies, startup order, suspend and resume. */
#include "engine/jobset/jobset_start.h"

#include "engine/changes.h"
#include "engine/job/job.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_children.h"
#include "engine/jobset/jobset_read.h"
#include "engine/jobset/jobset_status.h"

/* So many at most in one pass; the next one follows at once. */
#define CREATE_AT_ONCE 1000

bool ty_jobset_started(const struct ty_jobset_rjob *r)
{
    return r->failed + r->ready + r->succeeded == r->replicas;
}

static bool dependencies_met(const struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r)
{
    const struct ty_json *all = ty_json_get(r->obj, "dependsOn");

    ty_each_item (it, all) {
        const struct ty_jobset_rjob *on = ty_jobset_rjob(js, ty_json_str_at(*it, "name"));
        bool complete = ty_str_is(ty_json_str_at(*it, "status"), "Complete");
        if (!on || (complete ? on->succeeded != on->replicas : !ty_jobset_started(on)))
            return false;
    }
    return true;
}

static void in_progress(struct ty_jobset_ctx *js)
{
    ty_jobset_condition(
        js, &(struct ty_jobset_condition_value){ .type = "StartupPolicyInProgress",
                                                 .on = true,
                                                 .event = "Normal",
                                                 .reason = "InOrderStartupPolicyInProgress",
                                                 .message = "in order startup policy is in "
                                                            "progress" });
}

/* A Job that the API server would refuse is not created; the pass ends with the reason. */
static bool create_job(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r, int64_t index)
{
    struct ty_json *job = ty_jobset_make_job(js, r, index);
    struct ty_errs errs = { .arena = js->arena };
    struct ty_str name = ty_json_str_at(job, "metadata.name");

    ty_job_validate(js->arena, job, NULL, &errs);
    if (errs.n > 0) {
        ty_jobset_abort(
            js, "JobCreationFailed",
            "job \"%.*s\" creation failed with error: Job.batch \"%.*s\" is invalid: %s",
            TY_ARG(name), TY_ARG(name), ty_errs_text(js->arena, &errs));
        return false;
    }
    ty_changes_add(js->out, TY_CHANGE_CREATE, &ty_kind_job, job);
    return true;
}

/* Creates the missing Jobs of r; false: the pass ends here. */
static bool create_missing(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r, int64_t *room)
{
    if (r->owned >= r->replicas)
        return true;
    for (int64_t i = 0; i < r->replicas; i++) {
        if (ty_jobset_child(js, ty_str(ty_jobset_job_name(js->arena, js->name, r->name, i))))
            continue; /* a Job of an earlier attempt blocks the name until it is deleted */
        if (*room == 0) {
            ty_changes_requeue_after(js->out, 0);
            return true;
        }
        if (!create_job(js, r, i))
            return false;
        --*room;
    }
    return true;
}

/* BlockingRecreate creates Jobs only after all old Jobs are deleted. */
static bool must_wait(const struct ty_jobset_ctx *js)
{
    struct ty_str strategy = ty_json_str_at(js->failure_policy, "restartStrategy");

    return ty_str_is(strategy, "BlockingRecreate") && js->in_bucket[TY_JOBSET_PREVIOUS] > 0;
}

void ty_jobset_create_jobs(struct ty_jobset_ctx *js)
{
    bool in_order = js->in_order && !js->suspended, wait = must_wait(js);
    int64_t room = CREATE_AT_ONCE;

    ty_jobset_each_rjob(r, js)
    {
        if (!dependencies_met(js, r) || (in_order && ty_jobset_started(r)))
            continue;
        if (!wait && !create_missing(js, r, &room))
            return;
        if (in_order) {
            in_progress(js);
            return;
        }
    }
    if (in_order)
        ty_jobset_condition(
            js, &(struct ty_jobset_condition_value){ .type = "StartupPolicyCompleted",
                                                     .on = true,
                                                     .event = "Normal",
                                                     .reason = "InOrderStartupPolicyCompleted",
                                                     .message = "in order startup policy has "
                                                                "completed" });
}

/* Adds an UPDATE of the Job, which the caller may change further. */
static struct ty_json *update_suspend(struct ty_jobset_ctx *js, const struct ty_jobset_child *c,
                                      bool suspend)
{
    struct ty_json *job = ty_json_copy(js->arena, c->job, 0);

    ty_changes_add(js->out, TY_CHANGE_UPDATE, &ty_kind_job, job);
    ty_json_set(js->arena, ty_json_ensure_object(js->arena, job, "spec"), "suspend",
                ty_json_bool(js->arena, suspend));
    return job;
}

void ty_jobset_suspend_jobs(struct ty_jobset_ctx *js)
{
    static const char message[] = "jobset is suspended";

    ty_jobset_each_child (c, js) {
        if (c->bucket == TY_JOBSET_ACTIVE && !ty_json_true_at(c->job, "spec.suspend"))
            (void)update_suspend(js, c, true);
    }
    ty_jobset_condition(js, &(struct ty_jobset_condition_value){ .type = "Suspended",
                                                                 .on = true,
                                                                 .event = "Normal",
                                                                 .reason = "SuspendedJobs",
                                                                 .message = message });
    ty_jobset_not_restarting(js, "JobSetSuspended", message);
}

/* New values win; what the JobSet no longer has stays on the Job. */
static void merge_map(struct ty_jobset_ctx *js, const struct ty_json *from, struct ty_json *obj,
                      const char *key)
{
    const struct ty_json *new = ty_json_get(from, key);

    ty_each_member (m, new)
        ty_json_put(js->arena, ty_json_ensure_object(js->arena, obj, key), m->key, m->value);
}

static void merge_set(struct ty_jobset_ctx *js, const struct ty_json *from, struct ty_json *obj,
                      const char *key)
{
    const struct ty_json *new = ty_json_get(from, key);

    ty_each_item (it, new) {
        struct ty_json *list = ty_json_ensure_array(js->arena, obj, key);
        bool there = false;
        ty_each_item (have, list)
            there = there || ty_json_eq(*have, *it);
        if (!there)
            ty_json_push(js->arena, list, *it);
    }
}

/* What may have changed in the JobSet while it was suspended reaches the Job now. */
static void resume_job(struct ty_jobset_ctx *js, const struct ty_jobset_child *c)
{
    struct ty_json *job = update_suspend(js, c, false);
    struct ty_json *pod_template =
        ty_json_ensure_object(js->arena, ty_json_get(job, "spec"), "template");
    struct ty_json *metadata = ty_json_ensure_object(js->arena, pod_template, "metadata");
    struct ty_json *pod = ty_json_ensure_object(js->arena, pod_template, "spec");
    const struct ty_json *from = ty_json_at(c->rjob->obj, "template.spec.template");

    if (ty_json_del(ty_json_get(job, "status"), TY_LIT("startTime")))
        ty_changes_add(js->out, TY_CHANGE_STATUS, &ty_kind_job, job);
    merge_map(js, ty_json_get(from, "metadata"), metadata, "labels");
    merge_map(js, ty_json_get(from, "metadata"), metadata, "annotations");
    merge_map(js, ty_json_get(from, "spec"), pod, "nodeSelector");
    merge_set(js, ty_json_get(from, "spec"), pod, "tolerations");
    merge_set(js, ty_json_get(from, "spec"), pod, "schedulingGates");
}

void ty_jobset_resume_jobs(struct ty_jobset_ctx *js)
{
    ty_jobset_each_rjob(r, js)
    {
        if (!dependencies_met(js, r) || (js->in_order && ty_jobset_started(r)))
            continue;
        if (r->suspended > 0)
            ty_jobset_each_child (c, js)
                if (c->rjob == r && c->bucket == TY_JOBSET_ACTIVE &&
                    ty_json_true_at(c->job, "spec.suspend"))
                    resume_job(js, c);
        if (js->in_order) {
            in_progress(js);
            return;
        }
    }
    ty_jobset_condition(js, &(struct ty_jobset_condition_value){ .type = "Suspended",
                                                                 .event = "Normal",
                                                                 .reason = "ResumeJobs",
                                                                 .message = "jobset is resumed" });
}
