/* State of a TrainJob, from its conditions, its JobSet and the state of its run. */
#include "cli/history/job_state.h"
#include "base/time.h"
#include "cli/history/job_history.h"
#include "cli/view/table.h"
#include "report/job_phase.h"
#include "trainer/trainjob_reconcile.h"

static bool is_true(const struct ty_json *obj, const char *type)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(obj, "status"), type);
    return c && ty_str_is(ty_json_str_at(c, "status"), "True");
}

int64_t ty_job_state_restarts(const struct ty_job_history_entry *job)
{
    int64_t n = 0;

    ty_json_int_at(job->jobset, "status.restarts", &n);
    return n;
}

static const char *restarting_text(struct ty_arena *a, const struct ty_job_history_entry *job)
{
    int64_t most = 0;

    ty_json_int_at(job->jobset, "spec.failurePolicy.maxRestarts", &most);
    return ty_arena_printf(a, "Restarting %lld/%lld", (long long)ty_job_state_restarts(job),
                           (long long)most);
}

const char *ty_job_state_text(struct ty_arena *a, const struct ty_job_history_entry *job)
{
    static const char *const names[] = {
        [TY_PHASE_CREATED] = "Created",
        [TY_PHASE_QUEUED] = "Queued",
        [TY_PHASE_SUSPENDED] = "Suspended",
        [TY_PHASE_STARTING] = "Starting",
        [TY_PHASE_INITIALIZING] = "Initializing",
        [TY_PHASE_RUNNING] = "Running",
        /* only its JobSet says so yet: the TrainJob's own condition is about to follow */
        [TY_PHASE_COMPLETE] = "Running",
        [TY_PHASE_FAILED] = "Running",
    };
    enum ty_job_phase phase = ty_job_phase_of(job->job, job->jobset);

    if (is_true(job->job, "Complete"))
        return "Complete";
    if (is_true(job->job, "Failed"))
        return "Failed";
    if (job->alive != TY_HISTORY_RUN_LIVE)
        return "Interrupted";
    if (ty_json_at(job->job, "metadata.deletionTimestamp"))
        return "Terminating";
    if (ty_json_true_at(job->job, "spec.suspend"))
        return "Suspended"; /* also by a queue, as kubectl's column STATE */
    return phase == TY_PHASE_RESTARTING ? restarting_text(a, job) : names[phase];
}

const char *ty_job_state_nodes(struct ty_arena *a, const struct ty_job_history_entry *job)
{
    int64_t n = 0, sum = 0;

    if (ty_json_int_at(job->job, "spec.trainer.numNodes", &n))
        return ty_arena_printf(a, "%lld", (long long)n);
    ty_each_item (rj, ty_json_at(job->jobset, "spec.replicatedJobs")) {
        int64_t replicas = 1, pods = 1;
        const struct ty_json *labels = ty_json_at(*rj, "template.metadata.labels");
        if (!ty_str_is(
                ty_json_as_str(ty_json_get(labels, "trainer.kubeflow.org/trainjob-ancestor-step")),
                "trainer"))
            continue;
        ty_json_int_at(*rj, "replicas", &replicas);
        ty_json_int_at(*rj, "template.spec.parallelism", &pods);
        sum += replicas * pods;
    }
    return sum ? ty_arena_printf(a, "%lld", (long long)sum) : "<unknown>";
}

const char *ty_job_state_progress(struct ty_arena *a, const struct ty_job_history_entry *job)
{
    int64_t n = 0;

    return ty_json_int_at(job->job, "status.trainerStatus.progressPercentage", &n)
               ? ty_arena_printf(a, "%lld%%", (long long)n)
               : "";
}

/* The transition time of the final condition, rounded up: it has a resolution of one second. */
static int64_t finished_ms(const struct ty_json *job)
{
    static const char *const types[] = { "Complete", "Failed" };
    int64_t s = 0;

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *c = ty_condition_find(ty_json_get(job, "status"), types[i]);
        if (is_true(job, types[i]) && ty_time_parse(ty_json_str_at(c, "lastTransitionTime"), &s))
            return s * 1000 + 999;
    }
    return 0;
}

int64_t ty_job_state_ended_ms(const struct ty_job_history_entry *job)
{
    int64_t ended = finished_ms(job->job);

    if (ended && job->run.ended_ms && ended > job->run.ended_ms)
        return job->run.ended_ms;
    if (ended || job->alive == TY_HISTORY_RUN_LIVE)
        return ended;
    return job->run.ended_ms ? job->run.ended_ms : -1;
}

const char *ty_job_state_duration(struct ty_arena *a, const struct ty_job_history_entry *job,
                                  int64_t now_ms)
{
    int64_t end = ty_job_state_ended_ms(job);

    if (end < 0)
        return "<unknown>";
    return ty_table_age(a, ((end ? end : now_ms) - job->run.started_ms) / 1000);
}
