/* Checks that need the whole JobSet: which jobs run at the same time, and which can never start. */
#include "api/quantity.h"
#include "engine/pod/pod_plan.h"
#include "engine/preflight/preflight.h"
#include "engine/preflight/preflight_inner.h"

#define OWN_JOBSET "jobset.sigs.k8s.io/jobset-controller"
#define OWN_JOB    "kubernetes.io/job-controller"
#define EXCLUSIVE  "alpha.jobset.sigs.k8s.io/exclusive-topology"

static int64_t number_or(const struct ty_json *obj, const char *path, int64_t otherwise)
{
    int64_t v;
    return ty_json_int_at(obj, path, &v) ? v : otherwise;
}

/* Pods of one Job that run at the same time. */
static int64_t pods_at_once(const struct ty_json *job_spec)
{
    int64_t parallelism = number_or(job_spec, "parallelism", 1);
    int64_t completions = number_or(job_spec, "completions", parallelism);

    return completions < parallelism ? completions : parallelism;
}

static bool managed_by_other(struct ty_preflight *x, struct ty_str who, const char *own,
                             const struct ty_field_path *at)
{
    if (!who.n || ty_str_is(who, own))
        return false;
    ty_preflight_error(x, at, "managed by %.*s; not run", TY_ARG(who));
    return true;
}

static void check_exclusive(struct ty_preflight *x, const struct ty_json *meta, int64_t jobs,
                            const struct ty_field_path *at)
{
    const struct ty_json *annotations = ty_json_get(meta, "annotations");

    if (ty_json_find(annotations, TY_LIT(EXCLUSIVE)) && jobs > 1)
        ty_preflight_error(
            x, TY_MAPKEY(TY_KEY(at, "annotations"), TY_LIT(EXCLUSIVE)),
            "one host is a single topology domain; exclusive placement of %lld Jobs is "
            "impossible",
            (long long)jobs);
}

/* ---- jobs that run at the same time ---- */

/* A job that waits for the completion of another runs in a later stage than it; one that waits for
 * it to be ready, in the same. dependsOn names only jobs listed before (or is refused). */
static void find_stages(const struct ty_json *rjobs, int *stages)
{
    size_t n = ty_json_len(rjobs);

    for (size_t i = 0; i < n; i++) {
        const struct ty_json *deps = ty_json_get(ty_json_item(rjobs, i), "dependsOn");
        ty_each_item (d, deps) {
            size_t on = 0;
            if (!ty_json_find_item(rjobs, "name", ty_json_str_at(*d, "name"), &on) || on >= i)
                continue;
            int stage = stages[on] + ty_str_is(ty_json_str_at(*d, "status"), "Complete");
            if (stage > stages[i])
                stages[i] = stage;
        }
    }
}

static const struct ty_json *pod_of(const struct ty_json *rjob)
{
    return ty_json_at(rjob, "template.spec.template.spec");
}

static int64_t pods_of(const struct ty_json *rjob)
{
    return number_or(rjob, "replicas", 1) * pods_at_once(ty_json_at(rjob, "template.spec"));
}

static void check_devices(struct ty_preflight *x, const struct ty_json *rjobs, const int *stages,
                          const struct ty_field_path *at)
{
    size_t n = ty_json_len(rjobs);

    for (size_t i = 0; i < n; i++) {
        struct ty_json *sum = ty_json_object(x->out->arena);
        bool first = true;
        for (size_t k = 0; k < n; k++) {
            first = first && !(k < i && stages[k] == stages[i]);
            if (stages[k] == stages[i])
                ty_preflight_add_devices(x, pod_of(ty_json_item(rjobs, k)),
                                         pods_of(ty_json_item(rjobs, k)), sum);
        }
        if (first)
            ty_preflight_check_devices(x, sum, TY_IDX(at, i));
    }
}

int64_t ty_preflight_gpus(struct ty_arena *a, const struct ty_json *jobset,
                          const struct ty_host *host)
{
    const struct ty_json *rjobs = ty_json_at(jobset, "spec.replicatedJobs");
    size_t n = ty_json_len(rjobs);
    int *stages = ty_new_n(a, int, n + 1);
    int64_t most = 0;

    find_stages(rjobs, stages);
    for (size_t i = 0; i < n; i++) {
        struct ty_json *sum = ty_json_object(a);
        struct ty_quantity q;
        for (size_t k = 0; k < n; k++)
            if (stages[k] == stages[i])
                ty_quantity_resources_add(a, sum,
                                          ty_plan_pod_requests(a, pod_of(ty_json_item(rjobs, k))),
                                          pods_of(ty_json_item(rjobs, k)));
        if (ty_quantity_of(ty_json_get(sum, host->gpu_resource), &q) && ty_quantity_value(q) > most)
            most = ty_quantity_value(q);
    }
    return most;
}

/* Counted as if all ran together: a job that waits for another has its pods a moment later. The
 * field that is named is the larger factor of the largest entry. */
static void check_number(struct ty_preflight *x, const struct ty_json *rjobs,
                         const struct ty_field_path *at)
{
    int64_t sum = 0, most = 0;
    size_t i = 0, largest = 0;

    ty_each_item (r, rjobs) {
        int64_t pods = pods_of(*r);
        if (pods > most) {
            most = pods;
            largest = i;
        }
        sum += pods;
        i++;
    }
    if (x->pod.host->pods_most <= 0 || sum <= x->pod.host->pods_most)
        return;
    const struct ty_json *rjob = ty_json_item(rjobs, largest);
    const struct ty_field_path *one = TY_IDX(at, largest);
    bool many_jobs =
        number_or(rjob, "replicas", 1) > pods_at_once(ty_json_at(rjob, "template.spec"));
    const struct ty_field_path *spec = TY_KEY(TY_KEY(one, "template"), "spec");
    ty_preflight_error(x, many_jobs ? TY_KEY(one, "replicas") : TY_KEY(spec, "parallelism"),
                       "wants %lld pods at once, this machine can have %lld: %s", (long long)sum,
                       (long long)x->pod.host->pods_most, x->pod.host->pods_why);
}

/* ---- ports, when all pods have one address ---- */

static bool wants_port(const struct ty_json *pod, int64_t port)
{
    ty_each_item (c, ty_json_get(pod, "containers")) {
        ty_each_item (p, ty_json_get(*c, "ports"))
            if (number_or(*p, "containerPort", 0) == port)
                return true;
    }
    return false;
}

static const char *pod_name(struct ty_preflight *x, const struct ty_json *rjob, int64_t nth)
{
    int64_t pods = pods_at_once(ty_json_at(rjob, "template.spec"));

    return ty_arena_printf(x->out->arena, "%.*s-%.*s-%lld-%lld", TY_ARG(x->jobset),
                           TY_ARG(ty_json_str_at(rjob, "name")), (long long)(nth / pods),
                           (long long)(nth % pods));
}

/* Another pod beside the first of rjob `i` that wants the port and runs with it, or NULL. */
static const char *port_rival(struct ty_preflight *x, const struct ty_json *rjobs,
                              const int *stages, size_t i, int64_t port)
{
    if (pods_of(ty_json_item(rjobs, i)) > 1)
        return pod_name(x, ty_json_item(rjobs, i), 1);
    for (size_t k = i + 1; k < ty_json_len(rjobs); k++)
        if (stages[k] == stages[i] && pods_of(ty_json_item(rjobs, k)) > 0 &&
            wants_port(pod_of(ty_json_item(rjobs, k)), port))
            return pod_name(x, ty_json_item(rjobs, k), 0);
    return NULL;
}

static void check_ports(struct ty_preflight *x, const struct ty_json *rjobs, const int *stages,
                        size_t i, const struct ty_field_path *at)
{
    const struct ty_json *rjob = ty_json_item(rjobs, i);
    const struct ty_json *containers = ty_json_get(pod_of(rjob), "containers");

    if (pods_of(rjob) < 1)
        return;
    ty_each_item (c, containers) {
        ty_each_item (p, ty_json_get(*c, "ports")) {
            int64_t port = number_or(*p, "containerPort", 0);
            const char *other = port_rival(x, rjobs, stages, i, port);
            if (other)
                ty_preflight_error(x, at, "port %lld is wanted by %s and %s on one address",
                                   (long long)port, pod_name(x, rjob, 0), other);
        }
    }
}

/* ---- each of its jobs ---- */

static void check_rjob(struct ty_preflight *x, const struct ty_json *rjob,
                       const struct ty_field_path *at)
{
    struct ty_str name = ty_json_str_at(rjob, "name");
    const struct ty_field_path *template = TY_KEY(at, "template");
    const struct ty_field_path *spec = TY_KEY(template, "spec");
    const struct ty_json *job = ty_json_at(rjob, "template.spec");
    size_t i = 0;

    ty_each_item (d, ty_json_get(rjob, "dependsOn")) {
        if (ty_str_eq(ty_json_str_at(*d, "name"), name))
            ty_preflight_error(x, TY_IDX(TY_KEY(at, "dependsOn"), i),
                               "replicatedJob depends on itself and would never start");
        i++;
    }
    if (ty_json_get(job, "ttlSecondsAfterFinished"))
        ty_preflight_warn(x, TY_KEY(spec, "ttlSecondsAfterFinished"),
                          "the Job will be deleted and run again if the JobSet is still running");
    check_exclusive(x, ty_json_at(rjob, "template.metadata"), number_or(rjob, "replicas", 1),
                    TY_KEY(template, "metadata"));
    if (!managed_by_other(x, ty_json_str_at(job, "managedBy"), OWN_JOB, TY_KEY(spec, "managedBy")))
        ty_preflight_check_template(x, ty_json_get(job, "template"), TY_KEY(spec, "template"));
}

static void check_rjobs(struct ty_preflight *x, const struct ty_json *jobset,
                        const struct ty_field_path *at)
{
    const struct ty_json *rjobs = ty_json_at(jobset, "spec.replicatedJobs");
    int *stages = ty_new_n(x->out->arena, int, ty_json_len(rjobs) + 1);
    int64_t jobs = 0;
    size_t i = 0;

    ty_each_item (r, rjobs) {
        jobs += number_or(*r, "replicas", 1);
        check_rjob(x, *r, TY_IDX(at, i++));
    }
    if (!jobs)
        ty_preflight_warn(x, at, "no Job will ever run; this JobSet never completes");
    check_exclusive(x, ty_json_get(jobset, "metadata"), jobs, TY_KEY(NULL, "metadata"));
    find_stages(rjobs, stages);
    check_devices(x, rjobs, stages, at);
    check_number(x, rjobs, at);
    for (i = 0; x->pod.host->one_address && i < ty_json_len(rjobs); i++)
        check_ports(x, rjobs, stages, i, TY_IDX(at, i));
}

void ty_preflight_jobset(const struct ty_json *jobset, const struct ty_host *host,
                         const struct ty_view *view, struct ty_preflight_findings *ret)
{
    static const struct ty_pod_net net = { .address = "" };
    const struct ty_field_path *spec = TY_KEY(NULL, "spec");
    struct ty_str ns = ty_json_str_at(jobset, "metadata.namespace");
    struct ty_preflight x = { .out = ret,
                              .pod = { .a = ret->arena,
                                       .scratch = ret->arena,
                                       .ns = ns.n ? ns : TY_LIT("default"),
                                       .hostname = "",
                                       .host = host,
                                       .view = view,
                                       .net = &net },
                              .policies = ty_json_at(jobset, "spec.volumeClaimPolicies"),
                              .jobset = ty_json_str_at(jobset, "metadata.name") };

    if (managed_by_other(&x, ty_json_str_at(jobset, "spec.managedBy"), OWN_JOBSET,
                         TY_KEY(spec, "managedBy")))
        return;
    ty_preflight_check_policies(&x, TY_KEY(spec, "volumeClaimPolicies"));
    check_rjobs(&x, jobset, TY_KEY(spec, "replicatedJobs"));
}
