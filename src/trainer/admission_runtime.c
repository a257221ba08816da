/* The validating webhook of runtimes: what a job with an ancestor label must have
 * (docs/spec/trainer.md 8.3). v2.3.0 does not validate updates of a TrainingRuntime, so errors
 * there are only warnings (B20). */
#include "trainer/admission.h"

#include "trainer/registry.h"
#include "trainer/validate.h"

/* The container that a job with this ancestor must have; NULL: any. */
static const char *required_container(struct ty_str ancestor)
{
    if (ty_str_is(ancestor, "trainer"))
        return TY_NODE;
    if (ty_str_is(ancestor, TY_DATASET_INIT))
        return TY_DATASET_INIT;
    if (ty_str_is(ancestor, TY_MODEL_INIT))
        return TY_MODEL_INIT;
    return NULL;
}

static void check_policies(const struct ty_json *ml, struct ty_errs *errs)
{
    const struct ty_field_path *at = TY_KEY(TY_KEY(NULL, "spec"), "mlPolicy");

    for (size_t i = 0; ty_plugins[i]; i++) {
        const struct ty_plugin *p = ty_plugins[i];
        const struct ty_json *policy = p->policy ? ty_json_get(ml, p->policy) : NULL;
        if (policy && p->validate_runtime)
            p->validate_runtime(policy, TY_KEY(at, p->policy), errs);
    }
}

static void check_job(struct ty_arena *a, const struct ty_json *job, const struct ty_field_path *at,
                      struct ty_errs *errs)
{
    const struct ty_json *label =
        ty_json_find(ty_json_at(job, "template.metadata.labels"), TY_LIT(TY_LABEL_ANCESTOR));
    struct ty_str ancestor = ty_json_as_str(label);
    const char *need = required_container(ancestor);
    const struct ty_json *containers = ty_json_at(job, "template.spec.template.spec.containers");
    int64_t replicas = 0; /* absent: v2.3.0 reads the typed zero, but the schema defaults it to 1 */

    if (!need)
        return;
    ty_json_int_at(job, "replicas", &replicas);
    if (replicas != 1)
        ty_errs_add(errs, TY_KEY(at, "replicas"), TY_INVALID,
                    ty_arena_printf(a, "%lld", (long long)replicas), "always must be 1")
            ->at = ty_json_get(job, "replicas");
    if (ty_json_find_item(containers, "name", ty_str(need), NULL))
        return;
    const struct ty_field_path *spec =
        TY_KEY(TY_KEY(TY_KEY(TY_KEY(at, "template"), "spec"), "template"), "spec");
    struct ty_field_err *e =
        ty_errs_add(errs, TY_KEY(spec, "containers"), TY_INVALID,
                    containers ? ty_json_text(a, containers).p : "null",
                    "must contain the required container for the ancestor: %.*s", TY_ARG(ancestor));
    e->at = containers;
    e->hint = ty_arena_printf(a, "name the main container \"%s\"", need);
}

static bool has_step(const struct ty_json *job, const char *step)
{
    const struct ty_json *labels = ty_json_at(job, "template.metadata.labels");

    return ty_str_is(ty_json_as_str(ty_json_find(labels, TY_LIT(TY_LABEL_ANCESTOR))), step);
}

/* Warns if no job takes spec.trainer of the TrainJobs (B37). This can be intended, so it is a
 * warning for `validate`, too. */
static void warn_no_trainer(const struct ty_json *jobs, struct ty_warnings *warnings)
{
    struct ty_str found = { 0 };
    size_t free = 0;

    ty_each_item (j, jobs) {
        if (has_step(*j, "trainer"))
            return;
        if (has_step(*j, TY_DATASET_INIT) || has_step(*j, TY_MODEL_INIT))
            continue;
        free++;
        found = ty_str_head(ty_json_str_at(*j, "name"), TY_VALIDATE_NAME_MAX);
    }
    if (free == 0)
        return; /* it has no container that could train */
    const char *who = free == 1 ? ty_arena_printf(warnings->arena, "job \"%.*s\"", TY_ARG(found))
                                : "the job that trains";
    ty_warnings_add(warnings,
                    "spec.template.spec.replicatedJobs: no job has label " TY_LABEL_ANCESTOR
                    ": trainer, so TrainJobs' spec.trainer will be ignored; add it to "
                    "template.metadata.labels of %s",
                    who);
}

void ty_admission_validate_runtime(struct ty_arena *a, const struct ty_admission_request *in,
                                   struct ty_admission_response *ret)
{
    const struct ty_kind *kind = ty_kind_of(in->obj);
    struct ty_json *typed = ty_schema_normalize(a, kind->schema, in->obj);
    const struct ty_json *jobs = ty_json_at(typed, "spec.template.spec.replicatedJobs");
    const struct ty_json *labels = ty_json_at(in->obj, "metadata.labels");
    const struct ty_json *taken =
        ty_plan_unlabeled_trainer(jobs, ty_json_at(typed, "spec.mlPolicy"));
    struct ty_str name = ty_json_str_at(in->obj, "metadata.name");
    const struct ty_field_path *list =
        TY_KEY(TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "template"), "spec"), "replicatedJobs");
    struct ty_errs mine = { .arena = a };

    ty_each_item (j, jobs)
        if (!ty_arena_full(a)) /* each error may print all containers */
            check_job(a, *j, TY_IDX(list, j - jobs->items), &mine);
    if (in->op == TY_ADMISSION_UPDATE && kind == &ty_kind_trainingruntime)
        for (struct ty_field_err *e = mine.first; e; e = e->next)
            e->warn_only = true;
    ty_validate_runtime_labels(in->obj, &mine);
    check_policies(ty_json_at(in->obj, "spec.mlPolicy"), &mine);
    ty_admission_warn(in, &mine, ret);
    if (taken) /* B28: warn while the runtime can still be changed */
        ty_warnings_add(&ret->warnings,
                        "runtime \"%.*s\" labels no job with " TY_LABEL_ANCESTOR
                        "; job \"%.*s\" will be taken as the trainer",
                        TY_ARG(name), TY_ARG(ty_json_str_at(taken, "name")));
    else
        warn_no_trainer(jobs, &ret->warnings);
    if (in->op == TY_ADMISSION_CREATE &&
        ty_str_is(ty_json_as_str(ty_json_find(labels, TY_LIT("trainer.kubeflow.org/support"))),
                  "deprecated"))
        ty_warnings_add(&ret->warnings, "%s \"%.*s\" " TY_ADMISSION_DEPRECATED, kind->kind,
                        TY_ARG(name));
    if (mine.n && !ret->message) {
        ret->code = 403;
        ret->message = ty_arena_printf(a,
                                       "admission webhook \"validator.%s.trainer.kubeflow.org\" "
                                       "denied the request: %s",
                                       kind->singular, ty_errs_text(a, &mine));
    }
    ty_errs_join(&ret->errs, &mine);
}
