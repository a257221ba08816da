/* Events about phases of TrainJobs, on transitions only. The last phase is in memory: after a
 * restart the first reconcile of a job that has begun already sets it without an event. */
#include "failure/failure_watch_inner.h"
#include "report/job_phase.h"

#define OBJECTS_BYTES ((size_t)64 << 20)

static const char *text_of(const char *reason)
{
    static const struct {
        const char *reason, *text;
    } texts[] = {
        { "Queued", "TrainJob waits in a queue" },
        { "Suspended", "TrainJob is suspended" },
        { "Resumed", "TrainJob is resumed: its pods are created" },
        { "WaitingForInitializer", "The trainer waits for its initializers" },
        { "Running", "All trainer pods are ready" },
        { "Restarting", "JobSet recreates all pods after a failure" },
        { "Complete", "TrainJob is complete" },
    };

    for (size_t i = 0; i < TY_COUNT(texts); i++)
        if (strcmp(texts[i].reason, reason) == 0)
            return texts[i].text;
    return reason;
}

void ty_failure_watch_reconciled(struct ty_failure_watch *w, const struct ty_cached *job,
                                 const struct ty_cached *jobset, bool initial)
{
    if (!w->leading)
        return;
    ty_auto_arena *a = ty_arena_new_input(OBJECTS_BYTES, w->s.budget);
    bool own = jobset && jobset->job_uid && strcmp(jobset->job_uid, job->id.uid) == 0;
    const struct ty_json *obj = ty_cache_parse(a, job);
    const struct ty_json *set = own ? ty_cache_parse(a, jobset) : NULL;

    int64_t restarts = 0;

    if (!obj || (own && !set))
        return;
    (void)ty_json_int_at(set, "status.restarts", &restarts);
    struct ty_failure_job *it = ty_failure_watch_job(w, job);
    enum ty_job_phase now = ty_job_phase_of(obj, set);
    enum ty_job_phase was = it->phase_known ? (enum ty_job_phase)it->phase : TY_PHASE_CREATED;
    bool quiet = !it->phase_known && (initial || set);

    if (was == TY_PHASE_RUNNING && now == TY_PHASE_RESTARTING && restarts <= it->restarts)
        return; /* a pod of the restarted job is not ready for a while: no restart */
    it->restarts = restarts;
    it->phase = (uint8_t)now;
    it->phase_known = true;
    const char *reason = now == was || quiet ? NULL : ty_job_phase_event_reason(was, now);
    if (reason)
        ty_failure_watch_event(w, it, "Normal", reason, ty_str(text_of(reason)));
}
