/* The phase of a TrainJob: final conditions first, then suspension, then what the counters of its
 * steps say: replicatedJobsStatus of the JobSet counts Jobs, not pods. */
#include "report/job_phase.h"

#include "report/job_phase_inner.h"
#include "json/json.h"

static const char *const names[] = {
    [TY_PHASE_CREATED] = "created",
    [TY_PHASE_QUEUED] = "queued",
    [TY_PHASE_SUSPENDED] = "suspended",
    [TY_PHASE_STARTING] = "starting",
    [TY_PHASE_INITIALIZING] = "initializing",
    [TY_PHASE_RUNNING] = "running",
    [TY_PHASE_RESTARTING] = "restarting",
    [TY_PHASE_COMPLETE] = "complete",
    [TY_PHASE_FAILED] = "failed",
};

const char *ty_job_phase_name(enum ty_job_phase p)
{
    return names[p];
}

const struct ty_json *ty_job_phase_condition(const struct ty_json *obj, const char *type)
{
    return ty_json_find_item(ty_json_at(obj, "status.conditions"), "type", ty_str(type), NULL);
}

bool ty_job_phase_is_true(const struct ty_json *obj, const char *type)
{
    return ty_str_is(ty_json_str_at(ty_job_phase_condition(obj, type), "status"), "True");
}

/* Another controller runs it, such as MultiKueue. */
static bool is_foreign(const struct ty_json *trainjob)
{
    struct ty_str by = ty_json_str_at(trainjob, "spec.managedBy");

    return by.n > 0 && !ty_str_is(by, "trainer.kubeflow.org/trainjob-controller");
}

bool ty_job_phase_has_queue(const struct ty_json *trainjob)
{
    const struct ty_json *labels = ty_json_at(trainjob, "metadata.labels");

    return ty_json_as_str(ty_json_get(labels, "kueue.x-k8s.io/queue-name")).n > 0 ||
           is_foreign(trainjob);
}

/* ---- steps ---- */

/* Sums over the Jobs of the steps. */
struct phase_steps {
    bool waits;   /* an initializer runs, and has not succeeded */
    bool trainer; /* there are steps of the trainer … */
    bool ready;   /* … and all their Jobs are ready, or have succeeded */
};

static struct ty_str ancestor_of(const struct ty_json *step)
{
    return ty_json_as_str(ty_json_get(ty_json_at(step, "template.metadata.labels"),
                                      "trainer.kubeflow.org/trainjob-ancestor-step"));
}

static bool is_initializer(struct ty_str name)
{
    return ty_str_is(name, "dataset-initializer") || ty_str_is(name, "model-initializer");
}

static int64_t count(const struct ty_json *status, const char *key)
{
    int64_t n = 0;

    (void)ty_json_int_at(status, key, &n);
    return n;
}

/* Steps that the trainer label does not name ("node" of MPI) do not decide if one has it. */
static bool has_trainer_label(const struct ty_json *steps)
{
    ty_each_item (it, steps)
        if (ty_str_is(ancestor_of(*it), "trainer"))
            return true;
    return false;
}

static void add_step(const struct ty_json *step, const struct ty_json *status, bool labels,
                     struct phase_steps *ret)
{
    struct ty_str label = ancestor_of(step), name = ty_json_str_at(status, "name");
    int64_t replicas = 1, done = count(status, "succeeded"), ready = count(status, "ready");

    (void)ty_json_int_at(step, "replicas", &replicas);
    if (is_initializer(label.n ? label : name)) {
        ret->waits = ret->waits || (done < replicas && (ready > 0 || count(status, "active") > 0));
    } else if (replicas > 0 && (!labels || ty_str_is(label, "trainer"))) {
        ret->ready = (!ret->trainer || ret->ready) && ready + done >= replicas;
        ret->trainer = true;
    }
}

/* The JobSet's counters; without it the copy in the TrainJob. A JobSet has few steps: the API
 * server limits what a TrainJob may copy, and the loop stops there. */
static struct phase_steps read_steps(const struct ty_json *trainjob, const struct ty_json *jobset)
{
    enum { STEPS = 64 };
    const struct ty_json *steps = ty_json_at(jobset, "spec.replicatedJobs"),
                         *list = ty_json_at(jobset, "status.replicatedJobsStatus");
    bool labels = has_trainer_label(steps);
    struct phase_steps ret = { 0 };
    int n = 0;

    if (!jobset)
        list = ty_json_at(trainjob, "status.jobsStatus");
    ty_each_item (it, list) {
        if (n++ == STEPS)
            break;
        add_step(ty_json_find_item(steps, "name", ty_json_str_at(*it, "name"), NULL), *it, labels,
                 &ret);
    }
    return ret;
}

/* ---- phases ---- */

enum ty_job_phase ty_job_phase_of(const struct ty_json *trainjob, const struct ty_json *jobset)
{
    struct phase_steps steps = read_steps(trainjob, jobset);
    bool known = jobset || ty_json_len(ty_json_at(trainjob, "status.jobsStatus")) > 0;

    if (ty_job_phase_is_true(trainjob, "Complete") || ty_job_phase_is_true(jobset, "Completed"))
        return TY_PHASE_COMPLETE;
    if (ty_job_phase_is_true(trainjob, "Failed") || ty_job_phase_is_true(jobset, "Failed"))
        return TY_PHASE_FAILED;
    if (ty_json_true_at(trainjob, "spec.suspend"))
        return ty_job_phase_has_queue(trainjob) ? TY_PHASE_QUEUED : TY_PHASE_SUSPENDED;
    if (!known)
        return is_foreign(trainjob) ? TY_PHASE_QUEUED : TY_PHASE_CREATED;
    if (steps.trainer && steps.ready)
        return TY_PHASE_RUNNING;
    if (steps.waits)
        return TY_PHASE_INITIALIZING;
    if (count(jobset, "status.restarts") > 0)
        return TY_PHASE_RESTARTING;
    return TY_PHASE_STARTING;
}

const char *ty_job_phase_event_reason(enum ty_job_phase was, enum ty_job_phase now)
{
    static const char *const reasons[] = {
        [TY_PHASE_QUEUED] = "Queued",     [TY_PHASE_SUSPENDED] = "Suspended",
        [TY_PHASE_RUNNING] = "Running",   [TY_PHASE_INITIALIZING] = "WaitingForInitializer",
        [TY_PHASE_COMPLETE] = "Complete", [TY_PHASE_RESTARTING] = "Restarting",
        [TY_PHASE_FAILED] = NULL,
    };
    bool stood = was == TY_PHASE_QUEUED || was == TY_PHASE_SUSPENDED;

    if (was == now)
        return NULL;
    if (stood && (now == TY_PHASE_STARTING || now == TY_PHASE_CREATED))
        return "Resumed";
    return reasons[now];
}
