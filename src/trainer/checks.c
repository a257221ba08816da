/* Checks of initializers and names; those of patches are in checks_patches.c. */
#include "trainer/checks.h"

#define HOST_MAX 63

static const struct ty_path *ref_path(void)
{
    static const struct ty_path spec = { NULL, { "spec", 4 }, -1, false };
    static const struct ty_path ref = { &spec, { "runtimeRef", 10 }, -1, false };

    return &ref;
}

static void blame_ref(const struct ty_plan *plan, const struct ty_trainjob *job,
                      struct ty_errs *errs, const char *text)
{
    struct ty_json *ref = ty_schema_normal(plan->arena, &ty_schema_RuntimeRef, job->ref);
    struct ty_field_err *e =
        ty_errs_add(errs, ref_path(), TY_INVALID, ty_json_text(plan->arena, ref).p, "%s", text);
    e->at = job->ref;
}

static bool has_mount(const struct ty_json *container, const char *volume)
{
    return ty_json_by(ty_json_get(container, "volumeMounts"), "name", ty_str(volume), NULL) != NULL;
}

static void check_initializer(const struct ty_plan *plan, const struct ty_trainjob *job,
                              const char *name, const char *config, struct ty_errs *errs)
{
    struct ty_podset *set = ty_plan_set(plan, ty_str(name));
    struct ty_json *c = set ? ty_podset_any_container(set, ty_str(name)) : NULL;
    const char *text = NULL;

    if (!set)
        text = ty_arena_printf(plan->arena,
                               "must have %s job when trainJob is configured with input %s", name,
                               config);
    else if (!c)
        text = ty_arena_printf(plan->arena, "must have container with name - %s in the %s job",
                               name, name);
    else if (!has_mount(ty_podset_container(set, ty_str(name)), "initializer"))
        text = ty_arena_printf(plan->arena,
                               "must have volumeMount with name - initializer in container %s of "
                               "the %s job",
                               name, name);
    if (text)
        blame_ref(plan, job, errs, text);
}

void ty_check_initializers(const struct ty_plan *plan, const struct ty_trainjob *job,
                           struct ty_errs *errs)
{
    if (job->dataset)
        check_initializer(plan, job, TY_DATASET_INIT, "datasetConfig", errs);
    if (job->model)
        check_initializer(plan, job, TY_MODEL_INIT, "modelConfig", errs);
}

void ty_check_names(const struct ty_plan *plan, const struct ty_trainjob *job, struct ty_errs *errs)
{
    ty_each_set (s, plan) {
        int64_t pods = s->count;
        if (s->role == TY_ROLE_TRAINER && job->num_nodes.set)
            pods = job->num_nodes.v;
        if (pods < 1 || s->replicas < 1)
            continue;
        char *host =
            ty_arena_printf(plan->arena, "%.*s-%.*s-%lld-%lld", TY_ARG(job->name), TY_ARG(s->name),
                            (long long)(s->replicas - 1), (long long)(pods - 1));
        size_t n = strlen(host);
        if (n <= HOST_MAX)
            continue;
        ty_errs_add(errs, TY_KEY(TY_KEY(NULL, "metadata"), "name"), TY_INVALID,
                    ty_arena_printf(plan->arena, "\"%.*s\"", TY_ARG(job->name)),
                    "the host name of a pod would be \"%s\", %zu characters of at most %d: shorten "
                    "the name by %zu",
                    host, n, HOST_MAX, n - HOST_MAX);
        return; /* one job's name is enough to say it */
    }
}
