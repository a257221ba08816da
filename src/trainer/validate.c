/* Checks of initializers and names; validate_patches.c has those of patches, validate_pods.c those
 * of pods. */
#include "trainer/validate.h"

#include "trainer/plugins/ml.h"

#define NAME_MAX_LEN 63
/* Stands for the random suffix of a pod's name, as in JobSet's check. */
#define POD_SUFFIX "-abcde"

static void blame_ref(const struct ty_plan *plan, const struct ty_trainjob *job,
                      struct ty_errs *errs, const char *text, const char *hint)
{
    struct ty_field_err *e = ty_errs_add(errs, &ty_trainjob_ref_path, TY_INVALID,
                                         ty_ml_ref_text(plan->arena, job), "%s", text);
    e->at = job->ref;
    e->hint = hint;
}

static bool has_mount(const struct ty_json *container, const char *volume)
{
    return ty_json_find_item(ty_json_get(container, "volumeMounts"), "name", ty_str(volume),
                             NULL) != NULL;
}

static void check_initializer(const struct ty_plan *plan, const struct ty_trainjob *job,
                              const char *name, const char *config, struct ty_errs *errs)
{
    struct ty_podset *set = ty_plan_find_podset(plan, ty_str(name));
    struct ty_json *c = set ? ty_plan_podset_any_container(set, ty_str(name)) : NULL;
    const char *text = NULL;

    if (!set)
        text = ty_arena_printf(plan->arena,
                               "must have %s job when trainJob is configured with input %s", name,
                               config);
    else if (!c)
        text = ty_arena_printf(plan->arena, "must have container with name - %s in the %s job",
                               name, name);
    else if (!has_mount(ty_plan_podset_container(set, ty_str(name)), "initializer"))
        text = ty_arena_printf(plan->arena,
                               "must have volumeMount with name - initializer in container %s of "
                               "the %s job",
                               name, name);
    if (text)
        blame_ref(plan, job, errs, text,
                  ty_arena_printf(plan->arena,
                                  "use a runtime with such a job, or remove spec.initializer.%s",
                                  strcmp(name, TY_DATASET_INIT) == 0 ? "dataset" : "model"));
}

void ty_validate_initializers(const struct ty_plan *plan, const struct ty_trainjob *job,
                              struct ty_errs *errs)
{
    if (job->dataset)
        check_initializer(plan, job, TY_DATASET_INIT, "datasetConfig", errs);
    if (job->model)
        check_initializer(plan, job, TY_MODEL_INIT, "modelConfig", errs);
}

/* The longest name that the JobSet's webhook checks: of a pod, or of a Job whose pods have no
 * index. NULL: there is none. */
static char *longest_name(const struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_podset *set)
{
    int64_t pods = ty_validate_pod_count(plan, job, set);

    if (set->replicas < 1)
        return NULL;
    char *name = ty_arena_printf(plan->arena, "%.*s-%.*s-%lld", TY_ARG(job->name),
                                 TY_ARG(set->name), (long long)(set->replicas - 1));
    if (ty_str_is(ty_json_str_at(set->job, "completionMode"), "NonIndexed") || pods < 1)
        return name;
    return ty_arena_printf(plan->arena, "%s-%lld" POD_SUFFIX, name, (long long)(pods - 1));
}

void ty_validate_names(const struct ty_plan *plan, const struct ty_trainjob *job,
                       struct ty_errs *errs)
{
    const char *worst = "";
    size_t n = 0;

    ty_each_set (s, plan) {
        const char *name = longest_name(plan, job, s);
        if (name && strlen(name) > n) {
            worst = name;
            n = strlen(name);
        }
    }
    if (n <= NAME_MAX_LEN)
        return;
    struct ty_field_err *e =
        ty_errs_add(errs, TY_KEY(TY_KEY(NULL, "metadata"), "name"), TY_INVALID,
                    ty_arena_printf(plan->arena, "\"%.*s\"", TY_ARG(job->name)),
                    "the longest name of its jobs and pods would be \"%s\", %zu characters of at "
                    "most %d: shorten the name by %zu",
                    worst, n, NAME_MAX_LEN, n - NAME_MAX_LEN);
    e->at = ty_json_at(job->obj, "metadata.name");
    e->warn_only = true;
}
