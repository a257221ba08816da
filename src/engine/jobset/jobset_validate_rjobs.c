/* Checks of spec.replicatedJobs: names that will be made from it, dependencies, templates. */

#include "engine/changes.h"
#include "engine/job/job.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_children.h"
#include "engine/jobset/jobset_read.h"
#include "engine/jobset/jobset_validate.h"

static bool is_indexed(const struct ty_json *job_spec)
{
    return ty_str_is(ty_json_str_at(job_spec, "completionMode"), "Indexed");
}

/* The longest names stand for all: that of the last Job, and of its last pod. */
static void check_names(struct ty_jobset_check *c, const struct ty_json *rjob,
                        const struct ty_field_path *at)
{
    struct ty_str name = ty_json_str_at(rjob, "name"), group = ty_json_str_at(rjob, "groupName");
    const struct ty_json *spec = ty_json_at(rjob, "template.spec");
    int64_t last = ty_jobset_int_at(rjob, "replicas", 1) - 1, completions;
    struct ty_str job = ty_str(ty_jobset_job_name(c->arena, c->name, name, last));

    ty_jobset_check_label(
        c, TY_KEY(at, "groupName"), group, group,
        ".spec.replicatedJob[].groupName is too long, must be less than 63 characters");
    ty_jobset_check_label(
        c, TY_KEY(at, "name"), job, job,
        "JobSet name is too long, job names generated for this JobSet will exceed 63 "
        "characters");
    if (!is_indexed(spec) || !ty_json_int_at(spec, "completions", &completions))
        return;
    struct ty_str pod = ty_str(
        ty_arena_printf(c->arena, "%.*s-%lld-abcde", TY_ARG(job), (long long)(completions - 1)));
    ty_jobset_check_label(
        c, TY_KEY(at, "name"), pod, job,
        "JobSet name is too long, pod names generated for this JobSet will exceed 63 "
        "characters");
}

static void check_size(struct ty_jobset_check *c, const struct ty_json *rjob,
                       const struct ty_field_path *at)
{
    int64_t replicas = ty_jobset_int_at(rjob, "replicas", 1);
    int64_t pods = ty_jobset_int_at(rjob, "template.spec.parallelism", 1);

    if (replicas < 0)
        ty_errs_add(c->errs, TY_KEY(at, "replicas"), TY_INVALID,
                    ty_jobset_value(c->arena, ty_json_get(rjob, "replicas")),
                    "%s in body should be greater than or equal to 0",
                    ty_errs_path_text(c->arena, TY_KEY(at, "replicas")));
    if (replicas * pods > INT32_MAX)
        ty_jobset_internal_error(c,
                                 "the product of replicas and parallelism must not exceed %d for "
                                 "replicatedJob '%.*s'",
                                 INT32_MAX, TY_ARG(ty_json_str_at(rjob, "name")));
}

/* Only what is listed before can be waited for; upstream lets a job wait for itself, for ever. */
static void check_dependencies(struct ty_jobset_check *c, size_t place,
                               const struct ty_field_path *at)
{
    const struct ty_json *rjob = ty_json_item(c->rjobs, place);
    const struct ty_json *all = ty_json_get(rjob, "dependsOn");
    struct ty_str name = ty_json_str_at(rjob, "name");

    ty_each_item (it, all) {
        struct ty_str on = ty_json_str_at(*it, "name");
        size_t where = place + 1;
        (void)ty_json_find_item(c->rjobs, "name", on, &where);
        if (where > place)
            ty_jobset_internal_error(c, "replicatedJob: %.*s cannot depend on replicatedJob: %.*s",
                                     TY_ARG(name), TY_ARG(on));
        else if (where == place)
            ty_errs_add(c->errs, TY_KEY(TY_IDX(TY_KEY(at, "dependsOn"), it - all->items), "name"),
                        TY_INVALID, ty_jobset_quoted(c->arena, on),
                        "replicatedJob depends on itself and would never start");
    }
}

/* In-place restart leaves every retry to the JobSet: a Job must never give up on its own. */
static void check_in_place(struct ty_jobset_check *c, const struct ty_json *rjob,
                           const struct ty_field_path *at)
{
    const struct ty_json *spec = ty_json_at(rjob, "template.spec");
    const struct ty_field_path *here = TY_KEY(TY_KEY(at, "template"), "spec");
    struct ty_str name = ty_json_str_at(rjob, "name");
    const struct ty_json *policy = ty_json_get(spec, "podReplacementPolicy");
    const struct ty_json *completions = ty_json_get(spec, "completions");
    int64_t pods;

    if (ty_jobset_int_at(spec, "backoffLimit", -1) != INT32_MAX)
        ty_errs_add(c->errs, TY_KEY(here, "backoffLimit"), TY_INVALID,
                    ty_jobset_value(c->arena, ty_json_get(spec, "backoffLimit")),
                    "replicatedJob %.*s: must be set to %d (MaxInt32) when in-place restart is "
                    "enabled",
                    TY_ARG(name), INT32_MAX);
    if (!ty_str_is(ty_json_as_str(policy), "Failed"))
        ty_errs_add(c->errs, TY_KEY(here, "podReplacementPolicy"), TY_INVALID,
                    ty_jobset_value(c->arena, policy),
                    "replicatedJob %.*s: must be set to Failed when in-place restart is enabled",
                    TY_ARG(name));
    if (!completions || !ty_json_int_at(spec, "parallelism", &pods) ||
        ty_jobset_int_at(spec, "completions", -1) != pods)
        ty_errs_add(c->errs, TY_KEY(here, "completions"), TY_INVALID,
                    ty_jobset_value(c->arena, completions),
                    "replicatedJob %.*s: completions and parallelism must be set and equal to each "
                    "other when in-place restart is enabled",
                    TY_ARG(name));
    if (!ty_str_is(ty_json_str_at(spec, "template.spec.restartPolicy"), "Never"))
        ty_errs_add(c->errs, TY_KEY(TY_KEY(TY_KEY(here, "template"), "spec"), "restartPolicy"),
                    TY_INVALID,
                    ty_jobset_value(c->arena, ty_json_at(spec, "template.spec.restartPolicy")),
                    "replicatedJob %.*s: must be Never for in-place restart on this machine: a "
                    "container that restarts alone would leave the others behind",
                    TY_ARG(name));
}

/* Upstream creates the JobSet and then fails for ever to create its Jobs; we say it at once. Names
 * that are wrong have been reported by now. */
static void check_templates(struct ty_jobset_check *c, const struct ty_field_path *list)
{
    const struct ty_jobset_observed in = { .jobset = c->obj, .gates = c->gates };
    struct ty_changes none;
    struct ty_jobset_ctx js;

    ty_changes_init(&none, c->arena);
    ty_jobset_init(&js, c->arena, &in, &none);
    js.name = c->name;
    ty_jobset_each_rjob(r, &js) if (r->replicas > 0)
        ty_job_validate(c->arena, ty_jobset_make_job(&js, r, 0),
                        TY_KEY(TY_IDX(list, r - js.rjobs), "template"), c->errs);
}

void ty_jobset_check_rjobs(struct ty_jobset_check *c)
{
    const struct ty_field_path *list = TY_KEY(TY_KEY(NULL, "spec"), "replicatedJobs");
    struct ty_str strategy = ty_json_str_at(c->spec, "failurePolicy.restartStrategy");
    bool in_place = ty_str_is(strategy, "InPlaceRestart") && (c->gates & TY_GATE_IN_PLACE);
    size_t before = c->errs->n;

    ty_each_item (it, c->rjobs) {
        size_t place = (size_t)(it - c->rjobs->items);
        const struct ty_field_path *at = TY_IDX(list, place);
        check_size(c, *it, at);
        check_names(c, *it, at);
        check_dependencies(c, place, at);
        if (in_place)
            check_in_place(c, *it, at);
    }
    if (c->errs->n == before)
        check_templates(c, list);
}
