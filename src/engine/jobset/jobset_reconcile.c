/* One pass for one JobSet, step by step as the JobSet controller does it: the failure policy comes
 * before the success policy, and a finished JobSet before everything else. */
#include "engine/changes.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_children.h"
#include "engine/jobset/jobset_policy.h"
#include "engine/jobset/jobset_read.h"
#include "engine/jobset/jobset_start.h"
#include "engine/jobset/jobset_status.h"
#include "trainer/trainjob_reconcile.h" /* times */

/* A Job that is already being deleted is skipped. */
static void delete_bucket(struct ty_jobset_ctx *js, enum ty_jobset_bucket bucket)
{
    ty_jobset_each_child (c, js)
        if (c->bucket == bucket && !ty_json_at(c->job, "metadata.deletionTimestamp"))
            ty_changes_delete(js->out, &ty_kind_job, js->ns, c->name);
}

static const struct ty_json *end_condition(const struct ty_jobset_ctx *js)
{
    const struct ty_json *c = ty_condition_find(js->status, "Completed");

    return ty_str_is(ty_json_str_at(c, "status"), "True") ? c
                                                          : ty_condition_find(js->status, "Failed");
}

/* True: ttlSecondsAfterFinished has expired. */
static bool ttl_expired(struct ty_jobset_ctx *js)
{
    int64_t ttl, end;

    if (!ty_json_int_at(js->spec, "ttlSecondsAfterFinished", &ttl))
        return false;
    if (!ty_time_parse(ty_json_str_at(end_condition(js), "lastTransitionTime"), &end)) {
        ty_jobset_abort(js, "TTLAfterFinishedFailed",
                        "unable to find the time when the JobSet %.*s/%.*s finished",
                        TY_ARG(js->ns), TY_ARG(js->name));
        return false;
    }
    if (js->in->now_s >= end + ttl)
        return true;
    ty_changes_requeue_after(js->out, (end + ttl - js->in->now_s) * 1000);
    return false;
}

static void reconcile_finished(struct ty_jobset_ctx *js)
{
    delete_bucket(js, TY_JOBSET_ACTIVE);
    bool over = ttl_expired(js);
    ty_jobset_write_status(js);
    if (over)
        ty_changes_delete(js->out, &ty_kind_jobset, js->ns, js->name);
}

static bool all_ready(const struct ty_jobset_ctx *js)
{
    int64_t ready = 0;

    ty_jobset_each_rjob(r, js) ready += r->ready + r->succeeded;
    return ready == js->replicas;
}

static bool claim_exists(const struct ty_jobset_ctx *js, struct ty_str name)
{
    for (size_t i = 0; i < js->in->n_claims; i++) {
        const struct ty_json *claim = js->in->claims[i];
        if (ty_str_eq(ty_json_str_at(claim, "metadata.name"), name) &&
            ty_str_eq(ty_json_str_at(claim, "metadata.namespace"), js->ns))
            return true;
    }
    return false;
}

/* Also while suspended: the Service and the claims may be used before the Jobs start. */
static void ensure_service_and_claims(struct ty_jobset_ctx *js)
{
    const struct ty_json *policies = ty_json_get(js->spec, "volumeClaimPolicies");

    if (js->dns && !js->in->service)
        ty_changes_add(js->out, TY_CHANGE_CREATE, &ty_kind_service, ty_jobset_make_service(js));
    ty_each_item (policy, policies) {
        const struct ty_json *templates = ty_json_get(*policy, "templates");
        ty_each_item (it, templates) {
            struct ty_json *claim = ty_jobset_make_claim(js, *policy, *it);
            if (!claim_exists(js, ty_json_str_at(claim, "metadata.name")))
                ty_changes_add(js->out, TY_CHANGE_CREATE, &ty_kind_pvc, claim);
        }
    }
}

/* Steps 5 to 12: the JobSet has not ended yet. */
static void reconcile_active(struct ty_jobset_ctx *js)
{
    delete_bucket(js, TY_JOBSET_PREVIOUS);
    if (!js->suspended && all_ready(js))
        ty_jobset_not_restarting(js, "JobsReady", "all jobs are ready");
    if (js->in_bucket[TY_JOBSET_FAILED] > 0) {
        ty_jobset_apply_failure_policy(js);
        return;
    }
    if (js->in_bucket[TY_JOBSET_SUCCESSFUL] > 0 && ty_jobset_apply_success_policy(js))
        return;
    ensure_service_and_claims(js);
    ty_jobset_create_jobs(js);
    if (js->aborted)
        return;
    if (js->suspended)
        ty_jobset_suspend_jobs(js);
    else
        ty_jobset_resume_jobs(js);
}

void ty_jobset_reconcile(struct ty_arena *a, const struct ty_jobset_observed *in,
                         struct ty_changes *ret)
{
    struct ty_str manager = ty_json_str_at(in->jobset, "spec.managedBy");
    struct ty_jobset_ctx js;

    ty_changes_init(ret, a);
    if (ty_json_at(in->jobset, "metadata.deletionTimestamp") ||
        (manager.n > 0 && !ty_str_is(manager, TY_JOBSET_CONTROLLER)))
        return;
    ty_jobset_init(&js, a, in, ret);
    ty_jobset_read_children(&js);
    ty_jobset_compare_counters(&js);
    if (ty_jobset_finished(&js)) {
        reconcile_finished(&js);
        return;
    }
    reconcile_active(&js);
    ty_jobset_write_status(&js);
}
