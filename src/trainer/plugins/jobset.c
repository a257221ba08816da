/* The owner of the template: writes counts, initializers and trainer settings into the JobSet, and
 * derives conditions and jobsStatus from the live one (docs/spec/trainer.md 6.10). */
#include "trainer/plugin.h"
#include "trainer/trainjob_reconcile.h"
#include "trainer/validate.h"

static void jobset_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                            const struct ty_trainjob *old, struct ty_errs *errs,
                            struct ty_warnings *warnings)
{
    ty_validate_initializers(plan, job, errs);
    ty_validate_patch_changes(plan, job, old, errs);
    ty_validate_patches(plan, job, errs);
    ty_validate_overrides(plan, job, old, errs);
    if (!old)
        ty_validate_names(plan, job, errs);
    ty_validate_labels(job, errs);
    ty_validate_counts(plan, job, errs);
    ty_validate_requests(plan, job, errs);
    ty_validate_trainer(plan, job, errs);
    if (plan->implicit_trainer)
        ty_warnings_add(warnings,
                        "runtime \"%.*s\" labels no job with " TY_LABEL_ANCESTOR
                        "; job \"%.*s\" is taken as the trainer",
                        TY_ARG(plan->runtime_name), TY_ARG(plan->trainer->name));
}

/* Sets parallelism and completions of every job, including initializers, to its count. */
static int jobset_pre_build(struct ty_plan *plan, const struct ty_trainjob *job TY_UNUSED,
                            struct ty_err *err TY_UNUSED)
{
    static const char *const fields[] = { "parallelism", "completions" };

    ty_each_set (s, plan) {
        for (size_t i = 0; i < 2; i++) {
            int64_t had = -1;
            if (ty_json_int_at(s->job, fields[i], &had) && had == s->count)
                continue; /* keeps the origin of what was right already */
            struct ty_json *n = ty_json_int(plan->arena, s->count);
            n->origin = plan->origin;
            ty_json_set(plan->arena, s->job, fields[i], n);
        }
    }
    return 0;
}

static void set_one_replica(struct ty_plan *plan, struct ty_podset *set)
{
    int64_t had = 0;

    if (ty_json_int_at(set->rjob, "replicas", &had) && had == 1)
        return;
    struct ty_json *one = ty_json_int(plan->arena, 1);
    one->origin = plan->origin;
    ty_json_set(plan->arena, set->rjob, "replicas", one);
}

/* v2.3.0 leaves apiVersion out of an initializer's field references. v1 is what absent means, so
 * ours equals it here; a trainer's references keep what the user wrote (B7). */
static struct ty_json *plain_field_refs(struct ty_plan *plan, const struct ty_json *env)
{
    struct ty_json *copy = env ? ty_json_copy(plan->arena, env, 0) : NULL;

    ty_each_item (e, copy) {
        struct ty_json *ref = ty_json_at(*e, "valueFrom.fieldRef");
        if (ty_str_is(ty_json_str_at(ref, "apiVersion"), "v1"))
            ty_json_del(ref, TY_LIT("apiVersion"));
    }
    return copy;
}

static void fill_initializer(struct ty_plan *plan, struct ty_podset *set,
                             const struct ty_json *init, const char *name)
{
    struct ty_json *c = ty_plan_podset_container(set, ty_str(name));
    const struct ty_json *uri = ty_json_get(init, "storageUri");
    const struct ty_json *secret = ty_json_get(init, "secretRef");

    set_one_replica(plan, set);
    if (!init || !c)
        return;
    ty_plan_origin(plan, "spec.initializer");
    if (uri) {
        struct ty_str text = ty_json_as_str(uri);
        ty_plan_env(plan, c, "STORAGE_URI", "%.*s", TY_ARG(text));
    }
    /* may override STORAGE_URI */
    ty_plan_env_list(plan, c, plain_field_refs(plan, ty_json_get(init, "env")));
    if (secret) {
        struct ty_json *from = ty_json_object(plan->arena), *ref = ty_json_object(plan->arena);
        ty_json_set(plan->arena, ref, "name",
                    ty_json_str(plan->arena, ty_json_str_at(secret, "name")));
        ty_json_set(plan->arena, from, "secretRef", ref);
        ty_json_set_origin(from, plan->origin);
        ty_json_push(plan->arena, ty_json_ensure_array(plan->arena, c, "envFrom"), from);
    }
}

/* An empty list clears the template's. */
static void replace_list(struct ty_plan *plan, struct ty_json *c, const char *key,
                         const struct ty_json *list)
{
    if (!list)
        return;
    if (list->n == 0)
        ty_json_del(c, ty_str(key));
    else
        ty_json_set(plan->arena, c, key, ty_json_copy(plan->arena, list, plan->origin));
}

static void fill_trainer(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_podset *set)
{
    struct ty_json *c = ty_plan_podset_container(set, TY_LIT(TY_NODE));

    set_one_replica(plan, set);
    if (!c)
        return;
    ty_plan_origin(plan, "spec.trainer");
    if (job->image)
        ty_json_set(plan->arena, c, "image", ty_json_copy(plan->arena, job->image, plan->origin));
    if (plan->command == job->command)
        replace_list(plan, c, "command", job->command);
    if (plan->args == job->args)
        replace_list(plan, c, "args", job->args);
    if (plan->command != job->command) { /* a plugin wrote its own: torchtune, flux */
        ty_plan_origin(plan, "spec.trainer.command, rewritten by a plugin");
        replace_list(plan, c, "command", plan->command);
    }
    if (plan->args != job->args)
        replace_list(plan, c, "args", plan->args);
}

/* Writes the user's variables again: they override all that are not reserved. */
static void fill_env(struct ty_plan *plan, const struct ty_trainjob *job)
{
    bool nodes_too = ty_json_true_at(plan->ml, "mpi.runLauncherAsNode");

    ty_plan_origin(plan, "spec.trainer.env");
    ty_each_set (s, plan) {
        struct ty_json *c = ty_plan_podset_container(s, TY_LIT(TY_NODE));
        if (c && (s->role == TY_ROLE_TRAINER || (nodes_too && ty_str_is(s->name, TY_NODE))))
            ty_plan_env_list(plan, c, job->env);
    }
}

static void add_to_metadata(struct ty_plan *plan, struct ty_json *meta, const char *key,
                            const struct ty_json *more)
{
    if (ty_json_len(more) == 0)
        return;
    ty_json_put_all(plan->arena, ty_json_ensure_object(plan->arena, meta, key), more, 0);
}

/* v2.3.0 writes the JobSet of a job only while one of the two is suspended. */
static bool is_frozen(const struct ty_plan *plan, const struct ty_trainjob *job, const char *name)
{
    const struct ty_json *live = ty_plan_live_object(plan, &ty_kind_jobset, job->ns, name);

    return live && !job->suspended && !ty_json_true_at(live, "spec.suspend");
}

static void fill_jobs(struct ty_plan *plan, const struct ty_trainjob *job)
{
    ty_each_set (s, plan) {
        if (s->role == TY_ROLE_DATASET)
            fill_initializer(plan, s, job->dataset, TY_DATASET_INIT);
        else if (s->role == TY_ROLE_MODEL)
            fill_initializer(plan, s, job->model, TY_MODEL_INIT);
        else if (s->role == TY_ROLE_TRAINER)
            fill_trainer(plan, job, s);
        if (!s->gang)
            continue;
        add_to_metadata(plan, s->pod_meta, "labels", plan->pod_labels);
        add_to_metadata(plan, s->pod_meta, "annotations", plan->pod_annotations);
    }
    fill_env(plan, job);
}

static int jobset_build(struct ty_plan *plan, const struct ty_trainjob *job,
                        struct ty_err *err TY_UNUSED)
{
    const char *name = ty_arena_cstr(plan->arena, job->name);

    if (is_frozen(plan, job, name))
        return 0;
    struct ty_json *obj = ty_plan_child(plan, job, &ty_kind_jobset, name);
    struct ty_json *meta = ty_json_get(obj, "metadata");
    fill_jobs(plan, job);
    add_to_metadata(plan, meta, "labels", plan->labels);
    add_to_metadata(plan, meta, "annotations", plan->annotations);
    ty_json_del(plan->spec, TY_LIT("suspend"));
    if (job->suspend_set) {
        struct ty_json *suspend = ty_json_bool(plan->arena, job->suspended);
        suspend->origin = ty_plan_origin(plan, "spec.suspend");
        ty_json_set(plan->arena, plan->spec, "suspend", suspend);
    }
    ty_json_set(plan->arena, obj, "spec", plan->spec);
    return 0;
}

static void mirror_condition(struct ty_arena *a, const struct ty_json *jobset, const char *theirs,
                             const char *ours, struct ty_json *status)
{
    const struct ty_json *c = ty_condition_find(ty_json_get(jobset, "status"), theirs);

    if (!c || !ty_str_is(ty_json_str_at(c, "status"), "True"))
        return;
    ty_condition_set(a, status, ours, "True", ty_json_str_at(c, "reason"),
                     ty_json_str_at(c, "message"), ty_json_str_at(c, "lastTransitionTime"));
    int64_t generation = 0;
    if (ty_json_int_at(c, "observedGeneration", &generation)) {
        struct ty_json *mine =
            ty_json_find_item(ty_json_get(status, "conditions"), "type", ty_str(ours), NULL);
        ty_json_set(a, mine, "observedGeneration", ty_json_int(a, generation));
    }
}

static struct ty_json *mirror_counts(struct ty_arena *a, const struct ty_json *theirs)
{
    static const char *const counts[] = { "ready", "succeeded", "failed", "active", "suspended" };
    struct ty_json *list = ty_json_array(a);

    ty_each_item (t, theirs) {
        struct ty_json *j = ty_json_object(a);
        ty_json_set(a, j, "name", ty_json_str(a, ty_json_str_at(*t, "name")));
        for (size_t i = 0; i < TY_COUNT(counts); i++) {
            int64_t n = 0;
            ty_json_int_at(*t, counts[i], &n);
            ty_json_set(a, j, counts[i], ty_json_int(a, n));
        }
        ty_json_push(a, list, j);
    }
    return list;
}

static void jobset_status(struct ty_arena *a, const struct ty_trainjob *job,
                          const struct ty_view *view, struct ty_json *status)
{
    const struct ty_json *live = ty_plan_view_get(view, &ty_kind_jobset, job->ns, job->name);

    if (!live)
        return; /* not created yet, or deleted after the end: keep the last state */
    mirror_condition(a, live, "Completed", "Complete", status);
    mirror_condition(a, live, "Failed", "Failed", status);
    struct ty_json *counts = mirror_counts(a, ty_json_at(live, "status.replicatedJobsStatus"));
    if (counts->n)
        ty_json_set(a, status, "jobsStatus", counts);
    else
        ty_json_del(status, TY_LIT("jobsStatus"));
}

const struct ty_plugin ty_plugin_jobset = {
    .name = "JobSet",
    .about = "the JobSet itself: counts, initializers, trainer settings; status back",
    .required = true,
    .validate = jobset_validate,
    .pre_build = jobset_pre_build,
    .build = jobset_build,
    .status = jobset_status,
    .watches = true,
};
