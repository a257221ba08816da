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

/* Upstream creates the JobSet and then fails for ever to create its Jobs; we say it at once. Names
 * that are wrong have been reported by now. */
static void check_templates(struct ty_jobset_check *c, const struct ty_field_path *list)
{
    const struct ty_jobset_observed in = { .jobset = c->obj };
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
    size_t before = c->errs->n;

    ty_each_item (it, c->rjobs) {
        size_t place = (size_t)(it - c->rjobs->items);
        const struct ty_field_path *at = TY_IDX(list, place);
        check_size(c, *it, at);
        check_names(c, *it, at);
        check_dependencies(c, place, at);
    }
    if (c->errs->n == before)
        check_templates(c, list);
}
