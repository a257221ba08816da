/* Third step: builds the plan that plugins edit. Finds jobs and their roles, counts pods and merges
 * resourcesPerNode (docs/spec/trainer.md 4.3 to 4.6). */
#include "trainer/plan.h"

#include <errno.h>

#include "trainer/gang.h"
#include "trainer/registry.h"
#include "trainer/runtime_patches.h"

/* Far above what fits into one stored object; bounds lookups by name and walks along dependsOn. */
#define JOBS_MAX 4096

const struct ty_settings ty_settings_default = {
    .status_port = 10443,
    .operator_ns = "kubeflow-system",
    .webhook_service = "kubeflow-trainer-controller-manager",
    .webhook_secret = "kubeflow-trainer-webhook-cert",
};

static enum ty_role role_of(struct ty_str ancestor)
{
    if (ty_str_is(ancestor, "trainer"))
        return TY_ROLE_TRAINER;
    if (ty_str_is(ancestor, TY_DATASET_INIT))
        return TY_ROLE_DATASET;
    if (ty_str_is(ancestor, TY_MODEL_INIT))
        return TY_ROLE_MODEL;
    return TY_ROLE_NONE;
}

/* Sets the pointers into the template; creates the parts that it omits. */
static void find_parts(struct ty_plan *plan, struct ty_podset *set, struct ty_json *rjob)
{
    struct ty_json *template = ty_json_ensure_object(plan->arena, rjob, "template");
    struct ty_json *pod = NULL;

    set->rjob = rjob;
    set->name = ty_json_str_at(rjob, "name");
    set->job = ty_json_ensure_object(plan->arena, template, "spec");
    pod = ty_json_ensure_object(plan->arena, set->job, "template");
    set->pod_meta = ty_json_ensure_object(plan->arena, pod, "metadata");
    set->pod = ty_json_ensure_object(plan->arena, pod, "spec");
    set->replicas = 1;
    ty_json_int_at(rjob, "replicas", &set->replicas);
    set->count = 1;
    ty_json_int_at(set->job, "parallelism", &set->count);
}

const struct ty_json *ty_plan_unlabeled_trainer(const struct ty_json *jobs,
                                                const struct ty_json *ml)
{
    const struct ty_json *taken = NULL;

    ty_each_item (j, jobs)
        if (ty_json_find(ty_json_at(*j, "template.metadata.labels"), TY_LIT(TY_LABEL_ANCESTOR)))
            return NULL;
    if (ty_registry_launcher(ml))
        taken = ty_json_find_item(jobs, "name", TY_LIT(TY_LAUNCHER), NULL);
    if (!taken)
        taken = ty_json_find_item(jobs, "name", TY_LIT(TY_NODE), NULL);
    const struct ty_json *containers = ty_json_at(taken, "template.spec.template.spec.containers");
    return ty_json_find_item(containers, "name", TY_LIT(TY_NODE), NULL) ? taken : NULL;
}

static void give_roles(struct ty_plan *plan)
{
    const struct ty_json *taken =
        ty_plan_unlabeled_trainer(ty_json_get(plan->spec, "replicatedJobs"), plan->ml);

    plan->implicit_trainer = taken != NULL;
    ty_each_set (s, plan) {
        const struct ty_json *labels = ty_json_at(s->rjob, "template.metadata.labels");
        s->role = role_of(ty_json_as_str(ty_json_find(labels, TY_LIT(TY_LABEL_ANCESTOR))));
        if (s->rjob == taken)
            s->role = TY_ROLE_TRAINER;
        if (s->role == TY_ROLE_TRAINER && !plan->trainer)
            plan->trainer = s;
    }
}

/* mlPolicy.numNodes counts the trainer's pods. With a launcher (mpi) it counts the nodes and never
 * scales the launcher, which carries the trainer's label there (B27): the plugin scales `node`. */
static void count_pods(struct ty_plan *plan)
{
    int64_t nodes = 1;
    bool launcher = ty_registry_launcher(plan->ml) != NULL;

    ty_json_int_at(plan->ml, "numNodes", &nodes);
    ty_each_set (s, plan) {
        if (s->role == TY_ROLE_TRAINER && plan->ml)
            s->count = launcher ? 1 : nodes;
        if (s->count < 1)
            s->count = 1;
        if (s->role != TY_ROLE_NONE)
            s->replicas = 1; /* as the JobSet builder writes it */
    }
}

/* requests and limits are merged by key, claims by name (B7: no claim is lost). */
static void merge_resources(struct ty_plan *plan, struct ty_json *container,
                            const struct ty_json *resources)
{
    static const char *const lists[] = { "limits", "requests" };
    struct ty_json *into = ty_json_ensure_object(plan->arena, container, "resources");

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *from = ty_json_get(resources, lists[i]);
        if (ty_json_len(from) == 0)
            continue;
        ty_json_put_all(plan->arena, ty_json_ensure_object(plan->arena, into, lists[i]), from,
                        plan->origin);
    }
    const struct ty_json *claims = ty_json_get(resources, "claims");
    if (ty_json_is(claims, TY_JSON_ARRAY) && claims->n)
        ty_json_upsert_all(plan->arena, ty_json_ensure_array(plan->arena, into, "claims"), "name",
                           ty_json_copy(plan->arena, claims, plan->origin));
}

static void apply_resources(struct ty_plan *plan, const struct ty_trainjob *job)
{
    if (!job->resources)
        return;
    bool all_nodes = ty_registry_launcher_is_node(plan->ml);
    const struct ty_json *typed =
        ty_schema_normalize(plan->arena, &ty_schema_ResourceRequirements, job->resources);

    ty_plan_origin(plan, "spec.trainer.resourcesPerNode");
    ty_each_set (s, plan) {
        struct ty_json *c = ty_plan_podset_container(s, TY_LIT(TY_NODE));
        bool node = all_nodes && ty_str_is(s->name, TY_NODE);
        if (c && (s->role == TY_ROLE_TRAINER || node))
            merge_resources(plan, c, typed);
    }
}

static int check_jobs(const struct ty_plan *plan, const struct ty_json *spec, struct ty_err *err)
{
    size_t n = ty_json_len(ty_json_get(spec, "replicatedJobs"));

    if (n <= JOBS_MAX)
        return 0;
    return ty_fail(err, -E2BIG, "runtime %.*s has %zu replicatedJobs, at most %d can be planned",
                   TY_ARG(plan->runtime_name), n, JOBS_MAX);
}

static int make_sets(struct ty_plan *plan, struct ty_err *err)
{
    struct ty_json *jobs = ty_json_get(plan->spec, "replicatedJobs");

    plan->n_sets = ty_json_is(jobs, TY_JSON_ARRAY) ? jobs->n : 0;
    plan->sets = ty_new_n(plan->arena, struct ty_podset, plan->n_sets + 1);
    for (size_t i = 0; i < plan->n_sets; i++) {
        if (!ty_json_is(jobs->items[i], TY_JSON_OBJECT))
            return ty_fail(err, -EINVAL, "replicatedJobs[%zu] of runtime %.*s is not an object", i,
                           TY_ARG(plan->runtime_name));
        find_parts(plan, &plan->sets[i], jobs->items[i]);
    }
    return 0;
}

/* Every trainer job gets a copy of spec.trainer. */
static int check_size(const struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    size_t n = 0;

    ty_each_set (s, plan)
        n += s->role == TY_ROLE_TRAINER;
    if (n < 2 || !job->trainer || ty_json_text(plan->arena, job->trainer).n <= TY_SPEC_MAX / n)
        return 0;
    return ty_fail(err, -E2BIG,
                   "spec.trainer, copied into %zu jobs: the JobSet would become too large", n);
}

int ty_plan_check_size(const struct ty_plan *plan, struct ty_err *err)
{
    if (!ty_arena_full(plan->arena))
        return 0;
    return ty_fail(err, -EFBIG, "the TrainJob and its runtime are too large to be rendered");
}

int ty_plan_init(struct ty_arena *a, const struct ty_trainjob *job, const struct ty_plan_in *in,
                 struct ty_plan *ret_plan, struct ty_err *err)
{
    struct ty_plan plan = { .arena = a,
                            .pipeline = in->pipeline,
                            .settings = in->settings ? in->settings : &ty_settings_default,
                            .view = in->view,
                            .entropy = in->entropy };

    plan.runtime = ty_schema_normalize(a, &ty_schema_TrainingRuntime, in->runtime);
    plan.runtime_name = ty_json_str_at(plan.runtime, "metadata.name");
    plan.ml = ty_json_at(plan.runtime, "spec.mlPolicy");
    plan.gang = ty_json_at(plan.runtime, "spec.podGroupPolicy");
    plan.base = ty_json_at(plan.runtime, "spec.template.spec");
    if (!ty_json_is(plan.base, TY_JSON_OBJECT))
        plan.base = ty_json_object(a);
    plan.labels = ty_json_object(a);
    plan.annotations = ty_json_object(a);
    plan.pod_labels = ty_json_object(a);
    plan.pod_annotations = ty_json_object(a);
    plan.command = job->command;
    plan.args = job->args;
    int r = ty_plan_check_size(&plan, err);
    if (r == 0)
        r = check_jobs(&plan, plan.base, err);
    if (r == 0)
        r = ty_runtime_patches_apply(&plan, job, err);
    if (r == 0)
        r = check_jobs(&plan, plan.spec, err); /* a patch may add jobs */
    if (r == 0)
        r = make_sets(&plan, err);
    if (r < 0)
        return r;
    give_roles(&plan);
    r = check_size(&plan, job, err);
    if (r < 0)
        return r;
    count_pods(&plan);
    apply_resources(&plan, job);
    ty_gang_mark(&plan);
    *ret_plan = plan;
    return ty_plan_check_size(&plan, err);
}

struct ty_podset *ty_plan_find_podset(const struct ty_plan *plan, struct ty_str name)
{
    ty_each_set (s, plan)
        if (ty_str_eq(s->name, name))
            return s;
    return NULL;
}

struct ty_json *ty_plan_podset_container(const struct ty_podset *set, struct ty_str name)
{
    return ty_json_find_item(ty_json_get(set->pod, "containers"), "name", name, NULL);
}

struct ty_json *ty_plan_podset_any_container(const struct ty_podset *set, struct ty_str name)
{
    struct ty_json *c = ty_plan_podset_container(set, name);
    return c ? c : ty_json_find_item(ty_json_get(set->pod, "initContainers"), "name", name, NULL);
}

struct ty_json *ty_plan_main_container(const struct ty_plan *plan)
{
    return plan->trainer ? ty_plan_podset_container(plan->trainer, TY_LIT(TY_NODE)) : NULL;
}

const struct ty_json *ty_plan_policy(const struct ty_plan *plan, const char *name)
{
    return ty_json_get(plan->ml, name);
}

const struct ty_json *ty_plan_live_object(const struct ty_plan *plan, const struct ty_kind *kind,
                                          struct ty_str ns, const char *name)
{
    return ty_plan_view_get(plan->view, kind, ns, ty_str(name));
}

/* Counts come from the template and are only bounded by its schema: saturate instead of
 * overflowing. */
int64_t ty_plan_podset_pods(const struct ty_podset *set)
{
    int64_t n = 0;

    if (set->count <= 0 || set->replicas <= 0)
        return 0;
    return __builtin_mul_overflow(set->count, set->replicas, &n) ? INT64_MAX : n;
}

void ty_plan_podset_scale(struct ty_podset *set, int64_t count)
{
    set->count = count;
}
