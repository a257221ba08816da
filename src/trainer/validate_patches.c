/* Checks of runtimePatches and of the older overrides. An error about a name lists the names that
 * exist, at the position of the wrong one. */
#include "api/name.h"
#include "base/time.h"
#include "trainer/plugins/ml.h"
#include "trainer/validate.h"

#define RESERVED   "dataset-initializer, model-initializer, node"
#define ERRS_MAX   100 /* reported errors for one list; each may have a long text */
#define HINTS_MAX  16  /* finding the nearest name takes time */
#define NAMES_MAX  20  /* names in one message */
#define NAME_SHOWN 64  /* bytes of each; no valid name is longer */
#define NEAR_MAX   256 /* candidates for the nearest name */

/* "a, b, c": the names in a list of objects, at most NAMES_MAX. */
static char *names_in(struct ty_arena *a, const struct ty_json *list)
{
    ty_auto_buf out = { 0 };

    ty_each_item (it, list) {
        size_t at = (size_t)(it - list->items);
        if (at == NAMES_MAX) {
            ty_buf_printf(&out, " and %zu more", ty_json_len(list) - at);
            break;
        }
        struct ty_str name = ty_str_head(ty_json_str_at(*it, "name"), NAME_SHOWN);
        ty_buf_printf(&out, "%s%.*s", at ? ", " : "", TY_ARG(name));
    }
    return out.n ? ty_arena_cstr(a, ty_buf_str(&out)) : ty_arena_printf(a, "none");
}

static const char *nearest_in(struct ty_arena *a, struct ty_str typed, const struct ty_json *list)
{
    const char *names[NEAR_MAX];
    size_t n = 0;

    ty_each_item (it, list) {
        struct ty_str s = ty_json_str_at(*it, "name");
        if (n == NEAR_MAX)
            break;
        if (s.n && s.n <= NAME_SHOWN)
            names[n++] = ty_arena_cstr(a, s);
    }
    const char *near = ty_str_nearest(typed, names, n);
    return near ? ty_arena_printf(a, "did you mean \"%s\"?", near) : NULL;
}

/* The context of the checks of one list. */
struct patch_check {
    const struct ty_plan *plan;
    const struct ty_field_path *list; /* spec.runtimePatches, … */
    const char *whole;                /* its text, printed as the bad value; computed on demand */
    const struct ty_json *typed;
    struct ty_errs *errs;
    size_t room;          /* errors that may still be reported */
    size_t warnings_room; /* separate, so that warnings do not displace errors */
};

static bool take_room(size_t *room)
{
    if (*room == 0)
        return false;
    (*room)--;
    return true;
}

static void check_known(struct patch_check *c, const struct ty_json *named,
                        const struct ty_json *list, const char *what, const char *owner,
                        const struct ty_field_path *at)
{
    const struct ty_plan *plan = c->plan;
    struct ty_errs *errs = c->errs;
    struct ty_str name = ty_json_str_at(named, "name");

    if (ty_json_find_item(list, "name", name, NULL) || !take_room(&c->warnings_room))
        return;
    name = ty_str_head(name, NAME_SHOWN);
    struct ty_field_err *e =
        ty_errs_add(errs, TY_KEY(at, "name"), TY_INVALID, ty_ml_quoted(plan->arena, name),
                    "%s has no %s \"%.*s\"; it has: %s", owner, what, TY_ARG(name),
                    names_in(plan->arena, list));
    if (c->warnings_room >= ERRS_MAX - HINTS_MAX)
        e->hint = nearest_in(plan->arena, name, list);
    const struct ty_json *place = ty_json_get(named, "name");
    e->at = place ? place : named;
    e->warn_only = true;
}

static bool is_reserved(struct ty_str name)
{
    return ty_str_is(name, TY_NODE) || ty_str_is(name, TY_DATASET_INIT) ||
           ty_str_is(name, TY_MODEL_INIT);
}

/* Variables of these containers must be set in their own field of the TrainJob. */
static void check_env(struct patch_check *c, const struct ty_json *container)
{
    const struct ty_json *env = ty_json_get(container, "env");

    if (ty_json_len(env) == 0 || !is_reserved(ty_json_str_at(container, "name")) ||
        !take_room(&c->room))
        return;
    if (!c->whole)
        c->whole = ty_json_text(c->plan->arena, c->typed).p;
    struct ty_field_err *e = ty_errs_add(c->errs, c->list, TY_INVALID, c->whole,
                                         "must not have envs for the " RESERVED " containers");
    e->at = env;
    e->hint = "set the trainer's variables in spec.trainer.env, an initializer's in "
              "spec.initializer";
}

static void check_envs(struct patch_check *c, const struct ty_json *containers)
{
    ty_each_item (it, containers)
        check_env(c, *it);
}

static void check_pod(struct patch_check *c, const struct ty_json *pod,
                      const struct ty_json *base_job, const struct ty_field_path *at)
{
    static const char *const lists[] = { "initContainers", "containers" };
    static const char *const whats[] = { "init container", "container" };
    const struct ty_json *base = ty_json_at(base_job, "template.spec.template.spec");
    struct ty_str job = ty_json_str_at(base_job, "name");
    char *owner = ty_arena_printf(c->plan->arena, "job \"%.*s\" of runtime \"%.*s\"", TY_ARG(job),
                                  TY_ARG(c->plan->runtime_name));

    for (size_t k = 0; k < 2; k++) {
        const struct ty_json *list = ty_json_get(pod, lists[k]);
        ty_each_item (it, list)
            check_known(c, *it, ty_json_get(base, lists[k]), whats[k], owner,
                        TY_IDX(TY_KEY(at, lists[k]), it - list->items));
    }
    check_envs(c, ty_json_get(pod, "containers"));
}

static void check_manager(struct patch_check *c, const struct ty_json *patch)
{
    struct ty_str manager = ty_json_str_at(patch, "manager"), blamed = { 0 };
    const char *problem = NULL;

    for (unsigned n = 0; (problem = ty_name_domain_path_problem(manager, n, &blamed)); n++) {
        if (!take_room(&c->room))
            return;
        struct ty_field_err *e = ty_errs_add(c->errs, TY_KEY(c->list, "manager"), TY_INVALID,
                                             ty_ml_quoted(c->plan->arena, blamed), "%s", problem);
        e->at = ty_json_get(patch, "manager");
    }
}

/* The patches as typed clients print them: times in UTC. */
static struct ty_json *typed_patches(struct ty_arena *a, const struct ty_json *patches)
{
    struct ty_json *list = ty_json_array(a);
    int64_t t = 0;

    ty_each_item (p, patches) {
        struct ty_json *typed = ty_schema_normalize(a, &ty_schema_RuntimePatch, *p);
        if (ty_time_parse(ty_json_str_at(typed, "time"), &t))
            ty_json_set(a, typed, "time", ty_json_str(a, ty_time_text(a, t)));
        ty_json_push(a, list, typed);
    }
    return list;
}

static void check_patch(struct patch_check *c, const struct ty_json *patch,
                        const struct ty_field_path *at, const char *owner)
{
    const struct ty_json *jobs =
        ty_json_at(patch, "trainingRuntimeSpec.template.spec.replicatedJobs");
    const struct ty_json *base = ty_json_get(c->plan->base, "replicatedJobs");
    const struct ty_field_path *list = TY_KEY(
        TY_KEY(TY_KEY(TY_KEY(at, "trainingRuntimeSpec"), "template"), "spec"), "replicatedJobs");

    check_manager(c, patch);
    ty_each_item (j, jobs) {
        const struct ty_field_path *here = TY_IDX(list, j - jobs->items);
        const struct ty_json *known =
            ty_json_find_item(base, "name", ty_json_str_at(*j, "name"), NULL);
        const struct ty_json *pod = ty_json_at(*j, "template.spec.template.spec");
        check_known(c, *j, base, "job", owner, here);
        if (known)
            check_pod(c, pod, known,
                      TY_KEY(TY_KEY(TY_KEY(TY_KEY(here, "template"), "spec"), "template"), "spec"));
        else
            check_envs(c, ty_json_get(pod, "containers"));
    }
}

static const char *owner_of(const struct ty_plan *plan)
{
    return ty_arena_printf(plan->arena, "runtime \"%.*s\"", TY_ARG(plan->runtime_name));
}

void ty_validate_patches(const struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_errs *errs)
{
    struct patch_check c = { .plan = plan,
                             .list = TY_KEY(&ty_trainjob_spec_path, "runtimePatches"),
                             .errs = errs,
                             .room = ERRS_MAX,
                             .warnings_room = ERRS_MAX };

    if (ty_json_len(job->patches) == 0)
        return;
    c.typed = typed_patches(plan->arena, job->patches);
    const char *owner = owner_of(plan);
    ty_each_item (p, job->patches)
        if (!ty_arena_full(plan->arena))
            check_patch(&c, *p, TY_IDX(c.list, p - job->patches->items), owner);
}

/* Each job is checked once for each override, even if it is named several times. */
static void check_override(struct patch_check *c, const struct ty_json *override, bool flat,
                           const struct ty_field_path *at)
{
    const struct ty_json *base = ty_json_get(c->plan->base, "replicatedJobs");
    const struct ty_json *targets = ty_json_get(override, "targetJobs");
    const struct ty_json *pod = flat ? override : ty_json_get(override, "spec");
    bool *seen = ty_new_n(c->plan->arena, bool, ty_json_len(base) + 1);
    const char *owner = owner_of(c->plan);

    ty_each_item (t, targets) {
        size_t n = 0;
        const struct ty_json *known =
            ty_json_find_item(base, "name", ty_json_str_at(*t, "name"), &n);
        check_known(c, *t, base, "job", owner,
                    TY_IDX(TY_KEY(at, "targetJobs"), t - targets->items));
        if (!known || seen[n])
            continue;
        seen[n] = true;
        check_pod(c, pod, known, flat ? at : TY_KEY(at, "spec"));
    }
}

/* Equal lists; absent and empty are equal. */
static bool equal_lists(const struct ty_json *a, const struct ty_json *b)
{
    return ty_json_len(a) == 0 ? ty_json_len(b) == 0 : ty_json_eq(a, b);
}

/* The list in a job's spec. Patches are normalized, because a typed client may have stored another
 * spelling than the manifest's. */
static const struct ty_json *list_of(struct ty_arena *a, const struct ty_trainjob *job,
                                     const char *field)
{
    const struct ty_json *list = ty_json_get(ty_json_get(job->obj, "spec"), field);

    return strcmp(field, "runtimePatches") == 0 ? typed_patches(a, list) : list;
}

static void check_override_list(const struct ty_plan *plan, const struct ty_trainjob *job,
                                const struct ty_trainjob *old, const char *field, bool flat,
                                struct ty_errs *errs)
{
    const struct ty_json *list = list_of(plan->arena, job, field);
    struct patch_check c = { .plan = plan,
                             .list = TY_KEY(&ty_trainjob_spec_path, field),
                             .typed = list,
                             .errs = errs,
                             .room = ERRS_MAX,
                             .warnings_room = ERRS_MAX };

    if (old && equal_lists(list, list_of(plan->arena, old, field)))
        return;
    ty_each_item (o, list)
        check_override(&c, *o, flat, TY_IDX(c.list, o - list->items));
}

void ty_validate_overrides(const struct ty_plan *plan, const struct ty_trainjob *job,
                           const struct ty_trainjob *old, struct ty_errs *errs)
{
    check_override_list(plan, job, old, "podTemplateOverrides", false, errs);
    check_override_list(plan, job, old, "podSpecOverrides", true, errs);
}

static void check_active(const struct ty_plan *plan, const struct ty_trainjob *job,
                         const struct ty_field_path *at, const char *what, struct ty_errs *errs)
{
    const char *name = ty_arena_cstr(plan->arena, job->name);
    const struct ty_json *live = ty_plan_live_object(plan, &ty_kind_jobset, job->ns, name);
    const struct ty_json *list = ty_json_at(live, "status.replicatedJobsStatus");

    ty_each_item (s, list) {
        int64_t active = 0;
        if (ty_json_int_at(*s, "active", &active) && active > 0)
            ty_errs_add(
                errs, at, TY_FORBIDDEN, NULL,
                "%s cannot be modified when the JobSet's ReplicatedJob %.*s is still active", what,
                TY_ARG(ty_json_str_at(*s, "name")))
                ->hint = "keep spec.suspend true, and try again when its pods are gone";
    }
}

static void check_change(const struct ty_plan *plan, const struct ty_trainjob *job,
                         const struct ty_trainjob *old, const char *field, const char *what,
                         const char *when, struct ty_errs *errs)
{
    const struct ty_field_path *at = TY_KEY(&ty_trainjob_spec_path, field);

    if (equal_lists(list_of(plan->arena, job, field), list_of(plan->arena, old, field)))
        return;
    if (job->suspended || old->suspended)
        check_active(plan, job, at, what, errs);
    else
        ty_errs_add(errs, at, TY_FORBIDDEN, NULL,
                    "%s can only be modified when the TrainJob is suspended%s", what, when)
            ->hint = "set spec.suspend to true first, and wait until its pods are gone";
}

void ty_validate_patch_changes(const struct ty_plan *plan, const struct ty_trainjob *job,
                               const struct ty_trainjob *old, struct ty_errs *errs)
{
    if (!old)
        return;
    check_change(plan, job, old, "runtimePatches", "RuntimePatches", " before or after the update",
                 errs);
    check_change(plan, job, old, "podTemplateOverrides", "PodTemplateOverrides", "", errs);
    check_change(plan, job, old, "podSpecOverrides", "PodSpecOverrides", "", errs);
}
