/* Validates an update of a JobSet: most fields are immutable. Fields that CEL rules of the schema
 * protect are not checked here. */
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_validate.h"
#include "trainer/trainjob_reconcile.h" /* conditions */

static const char *const templates_may[] = { "labels", "annotations" };
static const char *const pods_may[] = { "nodeSelector", "tolerations", "schedulingGates" };
static const char *const scales[] = { "parallelism", "completions" };

/* obj.key becomes what it was in old, absence included. */
static void put_back(struct ty_arena *a, struct ty_json *obj, const struct ty_json *old,
                     const char *key)
{
    struct ty_json *was = ty_json_get(old, key);

    if (was)
        ty_json_set(a, obj, key, was);
    else
        (void)ty_json_del(obj, ty_str(key));
}

static bool same_value(const struct ty_json *x, const struct ty_json *y)
{
    return x && y ? ty_json_eq(x, y) : x == y;
}

static bool was_finished(const struct ty_json *old)
{
    const struct ty_json *status = ty_json_get(old, "status");

    return ty_str_is(ty_json_str_at(ty_condition_find(status, "Completed"), "status"), "True") ||
           ty_str_is(ty_json_str_at(ty_condition_find(status, "Failed"), "status"), "True");
}

static void check_scale(struct ty_jobset_check *c, const struct ty_json *new,
                        const struct ty_json *old, const struct ty_field_path *at)
{
    int64_t v, both[2];
    bool have[2];

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *now = ty_json_get(new, scales[i]);
        have[i] = ty_json_int_at(new, scales[i], &both[i]);
        if (!same_value(now, ty_json_get(old, scales[i])) && ty_json_int_at(new, scales[i], &v) &&
            v < 1)
            ty_errs_add(c->errs, TY_KEY(at, scales[i]), TY_INVALID, ty_jobset_value(c->arena, now),
                        "%s must be >= 1", scales[i]);
    }
    if (have[0] && have[1] && both[0] != both[1])
        ty_errs_add(c->errs, TY_KEY(at, "completions"), TY_INVALID,
                    ty_jobset_value(c->arena, ty_json_get(new, "completions")),
                    "completions must be equal to parallelism for Elastic Indexed Jobs");
}

/* Gate ElasticJobSet: an Indexed Job may grow and shrink until the JobSet has ended. */
static void allow_scaling(struct ty_jobset_check *c, struct ty_json *rjob,
                          const struct ty_json *old, bool finished, const struct ty_field_path *at)
{
    struct ty_json *new = ty_json_at(rjob, "template.spec");
    const struct ty_json *was = ty_json_at(old, "template.spec");

    if (!ty_str_is(ty_json_str_at(new, "completionMode"), "Indexed"))
        return;
    if (!same_value(ty_json_get(new, scales[0]), ty_json_get(was, scales[0])) ||
        !same_value(ty_json_get(new, scales[1]), ty_json_get(was, scales[1]))) {
        if (finished)
            ty_errs_add(c->errs, at, TY_FORBIDDEN, NULL,
                        "Cannot mutate parallelism or completions when JobSet is in a terminal "
                        "state (Completed or Failed)");
        else
            check_scale(c, new, was, at);
    }
    put_back(c->arena, new, was, scales[0]);
    put_back(c->arena, new, was, scales[1]);
}

/* While suspended, where the pods may run can be changed (Kueue does it). */
static void allow_placement(struct ty_jobset_check *c, struct ty_json *rjob,
                            const struct ty_json *old)
{
    struct ty_json *new = ty_json_at(rjob, "template.spec.template");
    const struct ty_json *was = ty_json_at(old, "template.spec.template");
    struct ty_json *metadata, *pod;

    if (!ty_json_is(new, TY_JSON_OBJECT))
        return;
    metadata = ty_json_ensure_object(c->arena, new, "metadata");
    for (size_t i = 0; i < 2; i++)
        put_back(c->arena, metadata, ty_json_get(was, "metadata"), templates_may[i]);
    pod = ty_json_ensure_object(c->arena, new, "spec");
    for (size_t i = 0; i < 3; i++)
        put_back(c->arena, pod, ty_json_get(was, "spec"), pods_may[i]);
}

/* In the form of typed clients, so that {} and absence are the same. */
static struct ty_json *typed_rjobs(struct ty_arena *a, const struct ty_json *jobset)
{
    const struct ty_json *spec = ty_json_get(jobset, "spec");
    struct ty_json *typed = spec ? ty_schema_normalize(a, &ty_schema_JobSetSpec, spec) : NULL;
    struct ty_json *list = ty_json_get(typed, "replicatedJobs");

    return list ? list : ty_json_array(a);
}

void ty_jobset_check_update(struct ty_jobset_check *c, const struct ty_json *old)
{
    struct ty_json *new = typed_rjobs(c->arena, c->obj);
    const struct ty_json *was = typed_rjobs(c->arena, old);
    const struct ty_field_path *spec = TY_KEY(NULL, "spec"), *list = TY_KEY(spec, "replicatedJobs");
    bool suspended = ty_json_true_at(old, "spec.suspend") || ty_json_true_at(c->spec, "suspend");
    const struct ty_json *manager = ty_json_get(c->spec, "managedBy");

    ty_each_item (it, new) {
        const struct ty_field_path *at = TY_IDX(list, it - new->items);
        const struct ty_json *twin =
            ty_json_find_item(was, "name", ty_json_str_at(*it, "name"), NULL);
        if (twin && (c->gates & TY_GATE_ELASTIC))
            allow_scaling(c, *it, twin, was_finished(old), TY_KEY(TY_KEY(at, "template"), "spec"));
        if (twin && suspended)
            allow_placement(c, *it, twin);
    }
    if (!ty_json_eq(new, was))
        ty_errs_add(c->errs, list, TY_INVALID, ty_jobset_value(c->arena, new),
                    "field is immutable");
    if (!same_value(manager, ty_json_at(old, "spec.managedBy")))
        ty_errs_add(c->errs, TY_KEY(spec, "managedBy"), TY_INVALID,
                    ty_jobset_value(c->arena, manager), "field is immutable");
}
