/* Checks for labels and annotations of templates: the TrainJob's CRD and v2.3.0 accept any, but the
 * JobSet, or the Job that its controller creates, is refused, and the TrainJob does not show it. */
#include "api/object_meta.h"
#include "trainer/validate.h"

#define ERRS_MAX 16 /* reported errors of one object */

/* The webhook's warnings omit values, so the detail names the key or value. */
static void name_values(struct ty_errs *errs)
{
    for (struct ty_field_err *e = errs->first; e; e = e->next) {
        struct ty_str value = ty_str_head(ty_str(e->value ? e->value : ""), TY_VALIDATE_NAME_MAX);
        if (e->value)
            e->detail = ty_arena_printf(errs->arena, "%.*s%s: %s", TY_ARG(value),
                                        e->value[value.n] ? "…\"" : "", e->detail);
        e->value = NULL;
        e->warn_only = true;
    }
}

static void check_meta(const struct ty_json *meta, const struct ty_field_path *at,
                       struct ty_errs *errs)
{
    if (errs->n < ERRS_MAX)
        ty_object_meta_check(meta, at, errs);
}

/* A JobSet template: of the JobSet itself, of its Jobs and of their pods. */
static void check_template(const struct ty_json *template, const struct ty_field_path *at,
                           struct ty_errs *errs)
{
    const struct ty_json *jobs = ty_json_at(template, "spec.replicatedJobs");
    const struct ty_field_path *list = TY_KEY(TY_KEY(at, "spec"), "replicatedJobs");

    check_meta(ty_json_get(template, "metadata"), TY_KEY(at, "metadata"), errs);
    ty_each_item (j, jobs) {
        const struct ty_field_path *job = TY_KEY(TY_IDX(list, j - jobs->items), "template");
        const struct ty_field_path *pod = TY_KEY(TY_KEY(job, "spec"), "template");
        check_meta(ty_json_at(*j, "template.metadata"), TY_KEY(job, "metadata"), errs);
        check_meta(ty_json_at(*j, "template.spec.template.metadata"), TY_KEY(pod, "metadata"),
                   errs);
    }
}

void ty_validate_runtime_labels(const struct ty_json *runtime, struct ty_errs *errs)
{
    struct ty_errs mine = { .arena = errs->arena };

    check_template(ty_json_at(runtime, "spec.template"), TY_KEY(TY_KEY(NULL, "spec"), "template"),
                   &mine);
    name_values(&mine);
    ty_errs_join(errs, &mine);
}

void ty_validate_labels(const struct ty_trainjob *job, struct ty_errs *errs)
{
    const struct ty_field_path *patches = TY_KEY(&ty_trainjob_spec_path, "runtimePatches");
    const struct ty_field_path *overrides = TY_KEY(&ty_trainjob_spec_path, "podTemplateOverrides");
    struct ty_errs mine = { .arena = errs->arena };

    /* v2.0 had the JobSet's labels and annotations in spec itself. */
    check_meta(ty_json_get(job->obj, "spec"), &ty_trainjob_spec_path, &mine);
    ty_each_item (p, job->patches) {
        const struct ty_field_path *at =
            TY_KEY(TY_IDX(patches, p - job->patches->items), "trainingRuntimeSpec");
        check_template(ty_json_at(*p, "trainingRuntimeSpec.template"), TY_KEY(at, "template"),
                       &mine);
    }
    ty_each_item (o, job->pod_template_overrides)
        check_meta(ty_json_get(*o, "metadata"),
                   TY_KEY(TY_IDX(overrides, o - job->pod_template_overrides->items), "metadata"),
                   &mine);
    name_values(&mine);
    ty_errs_join(errs, &mine);
}
