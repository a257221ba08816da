/* mlPolicy.torch: the PET_* environment of torchrun, in the trainer's main container and in those
 * that envInjection names. With elasticPolicy, nodes find each other by rendezvous instead of by
 * rank. */
#include "trainer/plugins/torch.h"

#include <errno.h>
#include <inttypes.h>

#include "api/schema.h"
#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

/* mlPolicy.torch.elasticPolicy, parsed. */
struct elastic {
    bool on, has_restarts;
    int64_t min, max, restarts;
};

/* The values of the PET_* variables. */
struct pet {
    struct ty_plan *plan;
    const struct ty_trainjob *job;
    struct elastic elastic;
    int64_t nodes;
    const char *procs;
};

struct ty_numproc ty_torch_numproc(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    struct ty_numproc p = job->num_proc;

    if (p.kind == TY_NUMPROC_UNSET)
        p = ty_trainjob_parse_numproc(ty_json_get(ty_plan_policy(plan, "torch"), "numProcPerNode"));
    if (p.kind == TY_NUMPROC_UNSET)
        p.kind = TY_NUMPROC_AUTO;
    return p;
}

struct ty_numproc ty_torch_procs(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    struct ty_numproc p = ty_torch_numproc(plan, job);
    bool by_cpu =
        p.kind == TY_NUMPROC_CPU || (p.kind == TY_NUMPROC_AUTO && ty_plan_gpus(plan) == 0);

    if (!by_cpu)
        return p;
    int64_t cpus = ty_plan_cpus(plan);
    if (cpus < 1)
        cpus = 1;
    return (struct ty_numproc){ TY_NUMPROC_INT, cpus > INT32_MAX ? INT32_MAX : (int32_t)cpus };
}

const char *ty_torch_procs_text(struct ty_arena *a, struct ty_numproc p)
{
    if (p.kind == TY_NUMPROC_INT)
        return ty_arena_printf(a, "%" PRId32, p.v);
    return p.kind == TY_NUMPROC_GPU ? "gpu" : "auto";
}

bool ty_torch_tunes(const struct ty_json *command)
{
    return ty_json_len(command) == 2 &&
           ty_str_is(ty_json_as_str(ty_json_item(command, 0)), "tune") &&
           ty_str_is(ty_json_as_str(ty_json_item(command, 1)), "run");
}

/* Bounds that the policy omits default to the node count. */
static struct elastic elastic_read(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    const struct ty_json *p = ty_json_get(ty_plan_policy(plan, "torch"), "elasticPolicy");
    struct elastic e = { .on = ty_json_is(p, TY_JSON_OBJECT) };

    if (!e.on)
        return e;
    e.max = job->num_nodes.set ? job->num_nodes.v : plan->trainer ? plan->trainer->count : 1;
    ty_json_int_at(p, "maxNodes", &e.max);
    e.min = e.max;
    ty_json_int_at(p, "minNodes", &e.min);
    e.has_restarts = ty_json_int_at(p, "maxRestarts", &e.restarts);
    return e;
}

/* ---- validation ---- */

static const char *const reserved[] = { "PET_NNODES",      "PET_NPROC_PER_NODE", "PET_NODE_RANK",
                                        "PET_MASTER_ADDR", "PET_MASTER_PORT",    NULL };
static const char *const reserved_elastic[] = { "PET_NNODES",        "PET_NPROC_PER_NODE",
                                                "PET_NODE_RANK",     "PET_MASTER_ADDR",
                                                "PET_MASTER_PORT",   "PET_RDZV_BACKEND",
                                                "PET_RDZV_ENDPOINT", "PET_RDZV_ID",
                                                "PET_MAX_RESTARTS",  NULL };

static struct ty_json *target_container(const struct ty_plan *plan, const struct ty_json *target,
                                        const struct ty_json *container,
                                        const struct ty_podset **ret_set)
{
    *ret_set = ty_plan_find_podset(plan, ty_json_str_at(target, "jobName"));
    return *ret_set ? ty_plan_podset_any_container(*ret_set, ty_json_as_str(container)) : NULL;
}

/* The target as Go prints its struct: jobName, then containerNames. */
static const char *target_text(struct ty_arena *a, const struct ty_json *target)
{
    struct ty_json *v = ty_json_object(a);
    struct ty_json *names = ty_json_get(target, "containerNames");

    ty_json_set(a, v, "jobName", ty_json_str(a, ty_json_str_at(target, "jobName")));
    ty_json_set(a, v, "containerNames", names ? names : ty_json_null(a));
    return ty_json_text(a, v).p;
}

static void validate_targets(const struct ty_plan *plan, struct ty_errs *errs)
{
    const struct ty_json *torch = ty_plan_policy(plan, "torch");
    const struct ty_podset *set;

    ty_each_item (target, ty_json_at(torch, "envInjection.targets")) {
        ty_each_item (name, ty_json_get(*target, "containerNames")) {
            if (target_container(plan, *target, *name, &set))
                continue;
            ty_errs_add(errs, &ty_trainjob_ref_path, TY_INVALID, target_text(errs->arena, *target),
                        "envInjection target podSet \"%.*s\" container \"%.*s\" not found in "
                        "runtime template",
                        TY_ARG(ty_json_str_at(*target, "jobName")), TY_ARG(ty_json_as_str(*name)));
        }
    }
}

static void validate_elastic(const struct elastic *e, const struct ty_trainjob *job,
                             struct ty_errs *errs)
{
    if (e->min < 1 || e->min > e->max) {
        ty_errs_add(errs, &ty_trainjob_ref_path, TY_INVALID, ty_ml_ref_text(errs->arena, job),
                    "the runtime's elasticPolicy allows from %" PRId64 " to %" PRId64
                    " nodes, which no job can have",
                    e->min, e->max);
        return;
    }
    if (!job->num_nodes.set || (job->num_nodes.v >= e->min && job->num_nodes.v <= e->max))
        return;
    ty_errs_add(errs, TY_KEY(&ty_trainjob_trainer_path, "numNodes"), TY_INVALID,
                ty_arena_printf(errs->arena, "%" PRId32, job->num_nodes.v),
                "must be from %" PRId64 " to %" PRId64
                ", the bounds of the runtime's elasticPolicy",
                e->min, e->max);
}

static void torch_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                           const struct ty_trainjob *old, struct ty_errs *errs,
                           struct ty_warnings *warnings TY_UNUSED)
{
    struct elastic elastic = elastic_read(plan, job);

    validate_targets(plan, errs);
    if (elastic.on && !old) /* an extension, and spec.trainer is immutable: check only on create */
        validate_elastic(&elastic, job, errs);
}

static const char *const *torch_reserved(const struct ty_plan *plan, const struct ty_trainjob *old)
{
    const struct ty_json *elastic = ty_json_get(ty_plan_policy(plan, "torch"), "elasticPolicy");

    return ty_json_is(elastic, TY_JSON_OBJECT) && !old ? reserved_elastic : reserved;
}

/* ---- enforcement ---- */

static void pet_node(const struct pet *p, struct ty_json *container)
{
    struct ty_plan *plan = p->plan;

    if (p->elastic.on) /* torchrun accepts a number or a range */
        ty_plan_env(plan, container, "PET_NNODES", "%" PRId64 ":%" PRId64, p->elastic.min,
                    p->elastic.max);
    else
        ty_plan_env(plan, container, "PET_NNODES", "%" PRId64, p->nodes);
    ty_plan_env(plan, container, "PET_NPROC_PER_NODE", "%s", p->procs);
    if (!p->elastic.on)
        ty_plan_env_field(plan, container, "PET_NODE_RANK", TY_INDEX_FIELD);
    if (p->elastic.has_restarts)
        ty_plan_env(plan, container, "PET_MAX_RESTARTS", "%" PRId64, p->elastic.restarts);
}

/* The address of the rendezvous: pod 0 of the trainer, or of `home` in a runtime without a trainer.
 */
static void pet_master(const struct pet *p, struct ty_json *container, const struct ty_podset *home)
{
    struct ty_plan *plan = p->plan;
    const struct ty_podset *set = plan->trainer ? plan->trainer : home;
    const char *addr = ty_plan_endpoint(plan, p->job, set, 0, 0);

    if (p->elastic.on) {
        ty_plan_env(plan, container, "PET_RDZV_BACKEND", "c10d");
        ty_plan_env(plan, container, "PET_RDZV_ENDPOINT", "%s:%d", addr, TY_TRAINER_PORT);
        ty_plan_env(plan, container, "PET_RDZV_ID", "%.*s", TY_ARG(p->job->name));
        return;
    }
    ty_plan_env(plan, container, "PET_MASTER_ADDR", "%s", addr);
    ty_plan_env(plan, container, "PET_MASTER_PORT", "%d", TY_TRAINER_PORT);
}

static int pet_targets(const struct pet *p, struct ty_err *err)
{
    const struct ty_json *torch = ty_plan_policy(p->plan, "torch");
    const struct ty_podset *set;

    ty_each_item (target, ty_json_at(torch, "envInjection.targets")) {
        ty_each_item (name, ty_json_get(*target, "containerNames")) {
            struct ty_json *container = target_container(p->plan, *target, *name, &set);
            if (!container)
                return ty_fail(err, -EINVAL,
                               "envInjection target podSet \"%.*s\" container \"%.*s\" not found "
                               "in runtime template",
                               TY_ARG(ty_json_str_at(*target, "jobName")),
                               TY_ARG(ty_json_as_str(*name)));
            pet_node(p, container);
            pet_master(p, container, set);
        }
    }
    return 0;
}

static int torch_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    struct pet pet = { .plan = plan, .job = job, .elastic = elastic_read(plan, job) };
    struct ty_json *main = ty_plan_main_container(plan);

    ty_ml_scale(plan, job);
    if (plan->trainer && pet.elastic.on && !job->num_nodes.set)
        ty_plan_podset_scale(plan->trainer, pet.elastic.max);
    pet.nodes = plan->trainer ? plan->trainer->count : 1;
    pet.procs = ty_torch_procs_text(plan->arena, ty_torch_procs(plan, job));
    if (main) {
        ty_plan_env_list(plan, main, job->env);
        pet_node(&pet, main);
        if (!ty_torch_tunes(job->command)) /* otherwise torchtune's command has the address */
            pet_master(&pet, main, plan->trainer);
        ty_plan_port(plan, main, TY_TRAINER_PORT);
    }
    return pet_targets(&pet, err);
}

const struct ty_plugin ty_plugin_torch = {
    .name = "Torch",
    .about = "PET_* variables of torchrun for mlPolicy.torch, elastic jobs included",
    .policy = "torch",
    .reserved_in = torch_reserved,
    .validate = torch_validate,
    .enforce_ml = torch_enforce_ml,
};
