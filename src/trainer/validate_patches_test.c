#include "trainer/testing.h"
#include "trainer/validate.h"

#define SPEC_OF(more)   JOB_OF("rt", more)
#define PATCHES(list)   SPEC_OF(",'runtimePatches':[" list "]")
#define OVERRIDES(list) SPEC_OF(",'podTemplateOverrides':[" list "]")
#define BASE                                                                                       \
    RUNTIME_JOBS("{}", "{'name':'node','template':{'spec':{'template':{'spec':{'initContainers':[" \
                       "{'name':'setup'}],'containers':[{'name':'node'},{'name':'side'}]}}}}},"    \
                       "{'name':'launcher'}")

static const char *check(struct fixture *f, const char *runtime, const char *job)
{
    fx_plan(f, runtime, job);
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_patches(&f->plan, &f->job, &f->errs);
    ty_validate_overrides(&f->plan, &f->job, NULL, &f->errs);
    return ty_errs_text(f->arena, &f->errs);
}

static void test_good_patch(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(check(f, BASE, JOB("")), "");
    assert_string_equal(
        check(f, BASE,
              PATCHES(POD_PATCH("acme.io/foo", "node",
                                "'initContainers':[{'name':'setup','env':[{'name':'A'}]}],"
                                "'containers':[{'name':'side','env':[{'name':'A'}]},{'name':'node',"
                                "'env':[],'volumeMounts':[]}]"))),
        "");
    assert_string_equal(check(f, BASE, PATCHES("{'manager':'acme.io/foo'}")), "");
}

/* B2, a warning: against the runtime's own template, at the place, with a hint. */
static void test_unknown_job(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(check(f, BASE, PATCHES(POD_PATCH("a.io/b", "nodes", ""))),
                        "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"
                        ".name: Invalid value: \"nodes\": runtime \"rt\" has no job \"nodes\"; it "
                        "has: node, launcher");
    assert_string_equal(f->errs.first->hint, "did you mean \"node\"?");
    assert_true(ty_str_is(ty_json_as_str(f->errs.first->at), "nodes"));
}

static void test_unknown_containers(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        check(f, BASE,
              PATCHES(POD_PATCH("a.io/b", "node",
                                "'initContainers':[{'name':'node'}],'containers':[{'name':'side'},"
                                "{'name':'zzz'}]"))),
        "[spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec"
        ".template.spec.initContainers[0].name: Invalid value: \"node\": job \"node\" of runtime "
        "\"rt\" has no init container \"node\"; it has: setup, spec.runtimePatches[0]"
        ".trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec"
        ".containers[1].name: Invalid value: \"zzz\": job \"node\" of runtime \"rt\" has no "
        "container \"zzz\"; it has: node, side]");
    assert_null(f->errs.last->hint);
}

static void test_none_to_choose_from(void **state)
{
    struct fixture *f = *state;

    check(f, BASE, PATCHES(POD_PATCH("a.io/b", "launcher", "'containers':[{'name':'c'},{}]")));
    assert_int_equal(f->errs.n, 2);
    assert_string_equal(f->errs.first->detail,
                        "job \"launcher\" of runtime \"rt\" has no container \"c\"; it has: none");
    assert_string_equal(f->errs.last->value, "\"\"");
}

/* A job that another patch made is no job of the runtime. */
static void test_job_of_another_patch(void **state)
{
    struct fixture *f = *state;

    check(f, BASE, PATCHES(POD_PATCH("a.io/1", "new", "") "," POD_PATCH("a.io/2", "new", "")));
    assert_int_equal(f->errs.n, 2);
}

static void test_reserved_env(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        check(f, BASE,
              PATCHES(POD_PATCH("a.io/b", "node",
                                "'containers':[{'name':'node','env':[{'name':'A'}"
                                "]}]"))),
        "spec.runtimePatches: Invalid value: [{\"manager\":\"a.io/b\",\"trainingRuntimeSpec\":{"
        "\"template\":{\"spec\":{\"replicatedJobs\":[{\"name\":\"node\",\"template\":{\"spec\":{"
        "\"template\":{\"spec\":{\"containers\":[{\"name\":\"node\",\"env\":[{\"name\":\"A\"}]}]}}}"
        "}}]}}}}]: must not have envs for the dataset-initializer, model-initializer, node "
        "containers");
}

/* A manager is domain/path; an empty path is refused. */
static void test_managers(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(check(f, BASE, PATCHES("{'manager':'kueue'}")),
                        "spec.runtimePatches.manager: Invalid value: \"kueue\": must be a "
                        "domain-prefixed path (such as \"acme.io/foo\")");
    check(f, BASE, PATCHES("{'manager':'kueue.k8s.io/'}"));
    assert_int_equal(f->errs.n, 1);
    check(f, BASE, PATCHES("{'manager':'UPPER.io/foo'},{'manager':'a.io/\xc3\xa4'},{}"));
    assert_int_equal(f->errs.n, 3);
}

/* ---- overrides of v2.0 and v2.1 ---- */

static void test_good_override(void **state)
{
    assert_string_equal(
        check(
            *state, BASE,
            OVERRIDES("{'targetJobs':[{'name':'node'}],'spec':{'containers':[{'name':'side','env':"
                      "[{'name':'A'}]}]}},{'targetJobs':[{'name':'launcher'}]},{}")),
        "");
}

static void test_override_of_unknown_job(void **state)
{
    assert_string_equal(
        check(*state, BASE, OVERRIDES("{'targetJobs':[{'name':'node'},{'name':'x'}]}")),
        "spec.podTemplateOverrides[0].targetJobs[1].name: Invalid value: \"x\": "
        "runtime \"rt\" has no job \"x\"; it has: node, launcher");
}

static void test_override_of_unknown_container(void **state)
{
    assert_string_equal(
        check(*state, BASE,
              SPEC_OF(",'podSpecOverrides':[{'targetJobs':[{'name':'node'}],'containers':[{'name':"
                      "'x'}]}]")),
        "spec.podSpecOverrides[0].containers[0].name: Invalid value: \"x\": job \"node\" of "
        "runtime "
        "\"rt\" has no container \"x\"; it has: node, side");
}

static void test_override_of_reserved_env(void **state)
{
    assert_string_equal(
        check(*state, BASE,
              OVERRIDES("{'targetJobs':[{'name':'node'},{'name':'node'}],'spec':{'containers':["
                        "{'name':'node','env':[{'name':'A','value':'1'}]}]}}")),
        "spec.podTemplateOverrides: Invalid value: [{\"targetJobs\":[{\"name\":\"node\"},{\"name\":"
        "\"node\"}],\"spec\":{\"containers\":[{\"name\":\"node\",\"env\":[{\"name\":\"A\","
        "\"value\":\"1\"}]}]}}]: must not have envs for the dataset-initializer, "
        "model-initializer, node containers");
}

/* ---- very many mistakes ---- */

static void test_few_of_many_names(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf jobs = { 0 };

    for (int i = 0; i < 100; i++)
        ty_buf_printf(&jobs, "%s{'name':'j%d'}", i ? "," : "", i);
    check(f,
          ty_arena_printf(f->arena,
                          "{'metadata':{'name':'rt'},'spec':{'template':{'spec':{"
                          "'replicatedJobs':[%.*s]}}}}",
                          TY_ARG(ty_buf_str(&jobs))),
          PATCHES(POD_PATCH("a.io/b", "x", "")));
    assert_string_equal(f->errs.first->detail,
                        "runtime \"rt\" has no job \"x\"; it has: j0, j1, j2, j3, j4, j5, j6, j7, "
                        "j8, j9, j10, j11, j12, j13, j14, j15, j16, j17, j18, j19 and 80 more");
}

/* Thousands of wrong containers, each answered with the whole list, would fill any memory. */
static void test_a_hundred_mistakes_are_enough(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf jobs = { 0 };

    for (int i = 0; i < 3000; i++)
        ty_buf_printf(&jobs,
                      "%s{'name':'node','template':{'spec':{'template':{'spec':{'containers':[{"
                      "'name':'node','env':[{'name':'A'}]}]}}}}}",
                      i ? "," : "");
    check(f, BASE,
          ty_arena_printf(f->arena,
                          "{'metadata':{'name':'j'},'spec':{'runtimePatches':[{'manager':'a.io/b',"
                          "'trainingRuntimeSpec':{'template':{'spec':{'replicatedJobs':[%.*s]}}}}]"
                          "}}",
                          TY_ARG(ty_buf_str(&jobs))));
    assert_int_equal(f->errs.n, 100);
    assert_ptr_equal(f->errs.first->value, f->errs.last->value); /* one text for all */
}

/* ---- changes ---- */

#define SUSPENDED(more) SPEC_OF(",'suspend':true" more)
#define PATCH_A         ",'runtimePatches':[{'manager':'a.io/b','time':'t1'}]"
#define PATCH_B         ",'runtimePatches':[{'manager':'a.io/c'}]"
#define FORBIDDEN_PATCHES                                                                          \
    "spec.runtimePatches: Forbidden: RuntimePatches can only be modified when the TrainJob is "    \
    "suspended before or after the update"

static const char *change(struct fixture *f, const char *from, const char *to)
{
    struct ty_trainjob old;

    fx_plan(f, BASE, to);
    ty_trainjob_parse(&old, fx_json(f->arena, from));
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_patch_changes(&f->plan, &f->job, &old, &f->errs);
    return ty_errs_text(f->arena, &f->errs);
}

/* runtimePatches may change if the TrainJob is suspended before or after the update. */
static void test_changes(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(change(f, SPEC_OF(PATCH_A), SPEC_OF(PATCH_A)), "");
    assert_string_equal(change(f, SPEC_OF(PATCH_A), SPEC_OF(PATCH_B)), FORBIDDEN_PATCHES);
    assert_string_equal(change(f, SPEC_OF(""), SPEC_OF(PATCH_A)), FORBIDDEN_PATCHES);
    assert_string_equal(change(f, SPEC_OF(PATCH_A), SPEC_OF("")), FORBIDDEN_PATCHES);
    assert_string_equal(change(f, SUSPENDED(PATCH_A), SUSPENDED(PATCH_B)), "");
    assert_string_equal(change(f, SUSPENDED(PATCH_A), SPEC_OF(PATCH_B)), "");
    assert_string_equal(change(f, SPEC_OF(PATCH_A), SUSPENDED(PATCH_B)), "");
}

static void test_absent_and_empty_are_equal(void **state)
{
    assert_string_equal(change(*state, SPEC_OF(""), SPEC_OF(",'runtimePatches':[]")), "");
}

#define VOLUME_PATCH(size, more)                                                                   \
    ",'runtimePatches':[{'manager':'a.io/b'," more "'trainingRuntimeSpec':{'template':{'spec':"    \
    "{'replicatedJobs':[{'name':'node','template':{'spec':{'template':{'spec':{'volumes':[{"       \
    "'name':'v','emptyDir':{'sizeLimit':" size "}}]}}}}}]}}}}]"

/* A manifest is applied again to a running job, and says the same in other words. */
static void test_other_words_are_no_change(void **state)
{
    struct fixture *f = *state;
    const char *old = SPEC_OF(VOLUME_PATCH("'1Gi'", "'time':'2026-01-02T03:04:05Z',"));

    assert_string_equal(
        change(f, old, SPEC_OF(VOLUME_PATCH("'1024Mi'", "'time':'2026-01-02T04:04:05+01:00',"))),
        "");
    assert_string_equal(
        change(f, SPEC_OF(VOLUME_PATCH("'1'", "'time':null,")), SPEC_OF(VOLUME_PATCH("1", ""))),
        "");
    assert_string_equal(
        change(f, old, SPEC_OF(VOLUME_PATCH("'1025Mi'", "'time':'2026-01-02T03:04:05Z',"))),
        FORBIDDEN_PATCHES);
    assert_string_equal(
        change(f, old, SPEC_OF(VOLUME_PATCH("'1Gi'", "'time':'2026-01-02T03:04:06Z',"))),
        FORBIDDEN_PATCHES);
}

static void test_changes_of_overrides(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        change(f, SPEC_OF(""), SPEC_OF(",'podTemplateOverrides':[{}],'podSpecOverrides':[{}]")),
        "[spec.podTemplateOverrides: Forbidden: PodTemplateOverrides can only be modified when the "
        "TrainJob is suspended, spec.podSpecOverrides: Forbidden: PodSpecOverrides can only be "
        "modified when the TrainJob is suspended]");
}

static void test_creation_is_no_change(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, BASE, SPEC_OF(PATCH_A));
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_patch_changes(&f->plan, &f->job, NULL, &f->errs);
    assert_int_equal(f->errs.n, 0);
}

/* While suspended, a change is refused once for each replicated job that still has active pods. */
static void test_changes_while_active(void **state)
{
    struct fixture *f = *state;
    static const char live[] = "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet',"
                               "'metadata':{'name':'j','namespace':'ns'},'status':{"
                               "'replicatedJobsStatus':[{'name':'a','active':1},{'name':'b',"
                               "'active':0},{'name':'c','active':2},{'name':'d'}]}}";

    core_put(f, live);
    assert_string_equal(
        change(f, SUSPENDED(PATCH_A), SUSPENDED(PATCH_B)),
        "[spec.runtimePatches: Forbidden: RuntimePatches cannot be modified when the JobSet's "
        "ReplicatedJob a is still active, spec.runtimePatches: Forbidden: RuntimePatches cannot be "
        "modified when the JobSet's ReplicatedJob c is still active]");
    assert_string_equal(change(f, SUSPENDED(PATCH_A), SUSPENDED(PATCH_A)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_good_patch),
        core_test(test_unknown_job),
        core_test(test_unknown_containers),
        core_test(test_none_to_choose_from),
        core_test(test_job_of_another_patch),
        core_test(test_reserved_env),
        core_test(test_managers),
        core_test(test_good_override),
        core_test(test_override_of_unknown_job),
        core_test(test_override_of_unknown_container),
        core_test(test_override_of_reserved_env),
        core_test(test_few_of_many_names),
        core_test(test_a_hundred_mistakes_are_enough),
        core_test(test_changes),
        core_test(test_absent_and_empty_are_equal),
        core_test(test_other_words_are_no_change),
        core_test(test_changes_of_overrides),
        core_test(test_creation_is_no_change),
        core_test(test_changes_while_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
