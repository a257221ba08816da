/* Second step: merges the TrainJob's patches into the runtime's template (docs/spec/trainer.md
 * 4.5). The older overrides are converted to patches of the same form first. */
#include "trainer/runtime_patches.h"

#include <errno.h>

static void overlay_metadata(struct ty_plan *plan, const struct ty_json *meta)
{
    ty_json_put_all(plan->arena, plan->labels, ty_json_get(meta, "labels"), plan->origin);
    ty_json_put_all(plan->arena, plan->annotations, ty_json_get(meta, "annotations"), plan->origin);
}

static int merge_into_spec(struct ty_plan *plan, const struct ty_json *patch, struct ty_err *err)
{
    return ty_patch_strategic(plan->arena, plan->spec, patch, &ty_schema_patch_meta,
                              &ty_schema_JobSetSpec, plan->origin, &plan->spec, err);
}

/* {name, template: {spec: {template: POD}}}: an override of the older API as a patch of one job. */
static struct ty_json *patch_of_job(struct ty_arena *a, const struct ty_json *target,
                                    struct ty_json *pod)
{
    struct ty_json *job_spec = ty_json_object(a), *job = ty_json_object(a);
    struct ty_json *rjob = ty_json_object(a);

    ty_json_set(a, job_spec, "template", pod);
    ty_json_set(a, job, "spec", job_spec);
    ty_json_set(a, rjob, "name", ty_json_copy(a, ty_json_get(target, "name"), 0));
    ty_json_set(a, rjob, "template", job);
    return rjob;
}

/* Only labels and annotations of an override's metadata were ever applied. */
static struct ty_json *pod_of_override(struct ty_arena *a, const struct ty_json *override,
                                       bool flat)
{
    static const char *const meta_keys[] = { "labels", "annotations" };
    struct ty_json *pod = ty_json_object(a), *meta = ty_json_object(a), *spec = NULL;

    if (flat) {
        spec = ty_json_copy(a, override, 0);
        ty_json_del(spec, TY_LIT("targetJobs"));
    } else {
        const struct ty_json *given = ty_json_get(override, "spec");
        spec = given ? ty_json_copy(a, given, 0) : NULL;
        for (size_t i = 0; i < 2; i++) {
            struct ty_json *v = ty_json_at(ty_json_get(override, "metadata"), meta_keys[i]);
            if (v)
                ty_json_set(a, meta, meta_keys[i], v);
        }
    }
    if (meta->n)
        ty_json_set(a, pod, "metadata", meta);
    if (spec)
        ty_json_set(a, pod, "spec", spec);
    return pod;
}

/* Applies one override to all jobs that it names, in one merge, because each merge walks all jobs
 * of the runtime (up to thousands). Jobs that do not exist are skipped, because merging would
 * create them; admission only warns about such overrides. */
static int apply_override(struct ty_plan *plan, const struct ty_json *override, bool flat,
                          size_t *budget, struct ty_err *err)
{
    const struct ty_json *base = ty_json_get(plan->base, "replicatedJobs");
    const struct ty_json *targets = ty_json_get(override, "targetJobs");
    bool *done = ty_new_n(plan->arena, bool, ty_json_len(base) + 1);
    struct ty_json *pod = pod_of_override(plan->arena, override, flat);
    struct ty_json *patch = ty_json_object(plan->arena);
    size_t bytes = ty_json_text(plan->arena, pod).n, at = 0;

    ty_each_item (t, targets) {
        if (!ty_json_find_item(base, "name", ty_json_str_at(*t, "name"), &at) || done[at])
            continue;
        if (bytes > *budget)
            return ty_fail(err, -E2BIG, "the JobSet would become too large");
        *budget -= bytes;
        done[at] = true;
        ty_json_push(plan->arena, ty_json_ensure_array(plan->arena, patch, "replicatedJobs"),
                     patch_of_job(plan->arena, *t, pod));
    }
    return patch->n ? merge_into_spec(plan, patch, err) : 0;
}

static int apply_overrides(struct ty_plan *plan, const struct ty_json *list, const char *field,
                           bool flat, struct ty_err *err)
{
    size_t budget = TY_SPEC_MAX;

    ty_each_item (o, list) {
        ty_plan_origin(plan, "spec.%s[%zu]", field, (size_t)(o - list->items));
        if (apply_override(plan, *o, flat, &budget, err) < 0 || ty_plan_check_size(plan, err) < 0)
            return ty_wrap(err, "spec.%s[%zu]", field, (size_t)(o - list->items));
    }
    return 0;
}

static int apply_patches(struct ty_plan *plan, const struct ty_json *patches, struct ty_err *err)
{
    ty_each_item (p, patches) {
        struct ty_str manager = ty_json_str_at(*p, "manager");
        /* Typed clients cannot express null or empty values, so a patch never deletes. */
        struct ty_json *typed = ty_schema_normalize(plan->arena, &ty_schema_RuntimePatch, *p);
        const struct ty_json *template = ty_json_at(typed, "trainingRuntimeSpec.template");
        const struct ty_json *spec = ty_json_get(template, "spec");

        ty_plan_origin(plan, "patch by %.*s", TY_ARG(manager));
        overlay_metadata(plan, ty_json_get(template, "metadata"));
        if ((spec && merge_into_spec(plan, spec, err) < 0) || ty_plan_check_size(plan, err) < 0)
            return ty_wrap(err, "runtime patch of %.*s", TY_ARG(manager));
    }
    return 0;
}

/* Merging puts new items first; this restores the order of jobs in the runtime (new names, then the
 * old ones). */
static void restore_job_order(struct ty_plan *plan)
{
    const struct ty_json *base = ty_json_get(plan->base, "replicatedJobs");
    struct ty_json *now = ty_json_get(plan->spec, "replicatedJobs");
    struct ty_json *sorted = ty_json_array(plan->arena);

    if (!now)
        return;
    ty_each_item (j, now)
        if (!ty_json_find_item(base, "name", ty_json_str_at(*j, "name"), NULL))
            ty_json_push(plan->arena, sorted, *j);
    ty_each_item (b, base) {
        struct ty_json *j = ty_json_find_item(now, "name", ty_json_str_at(*b, "name"), NULL);
        if (j)
            ty_json_push(plan->arena, sorted, j);
    }
    ty_json_set(plan->arena, plan->spec, "replicatedJobs", sorted);
}

int ty_runtime_patches_apply(struct ty_plan *plan, const struct ty_trainjob *job,
                             struct ty_err *err)
{
    const struct ty_json *meta = ty_json_at(plan->runtime, "spec.template.metadata");
    bool patched = ty_json_len(job->patches) || ty_json_len(job->pod_template_overrides) ||
                   ty_json_len(job->pod_spec_overrides);

    ty_plan_origin(plan, "runtime %.*s", TY_ARG(plan->runtime_name));
    plan->spec = ty_json_copy(plan->arena, plan->base, plan->origin);
    overlay_metadata(plan, meta);
    ty_plan_origin(plan, "TrainJob's spec.labels and spec.annotations");
    overlay_metadata(plan,
                     ty_json_get(job->obj, "spec")); /* v2.0 had labels and annotations in spec */
    if (!patched)
        return 0;
    int r = apply_overrides(plan, job->pod_spec_overrides, "podSpecOverrides", true, err);
    if (r == 0)
        r = apply_overrides(plan, job->pod_template_overrides, "podTemplateOverrides", false, err);
    if (r == 0)
        r = apply_patches(plan, job->patches, err);
    if (r < 0)
        return r;
    restore_job_order(plan);
    plan->spec = ty_schema_normalize(plan->arena, &ty_schema_JobSetSpec, plan->spec);
    return 0;
}
