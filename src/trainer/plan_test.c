#include <errno.h>

#include "trainer/testing.h"

#define NODE_WITH(resources) RUNTIME("{'numNodes':1}", ",'resources':" resources)

static struct ty_podset *set_of(struct fixture *f, const char *name)
{
    struct ty_podset *set = ty_plan_find_podset(&f->plan, ty_str(name));

    assert_non_null(set);
    return set;
}

static int try_plan(struct fixture *f, const char *runtime, const char *job)
{
    struct ty_plan_in in = { .pipeline = &f->pipeline, .runtime = fx_json(f->arena, runtime) };

    ty_trainjob_parse(&f->job, fx_json(f->arena, job));
    return ty_plan_init(f->arena, &f->job, &in, &f->plan, &f->err);
}

/* ---- roles ---- */

static void test_roles_by_label(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS(
                "{}", STEP_JOB("d", "dataset-initializer", "c", "") "," STEP_JOB(
                          "m", "model-initializer", "c",
                          "") "," STEP_JOB("t", "trainer", "node",
                                           "") "," STEP_JOB("o", "other", "c",
                                                            "") "," PLAIN_JOB("node", "2",
                                                                              "{'name':'node'}")),
            JOB(""));
    assert_int_equal(set_of(f, "d")->role, TY_ROLE_DATASET);
    assert_int_equal(set_of(f, "m")->role, TY_ROLE_MODEL);
    assert_int_equal(set_of(f, "t")->role, TY_ROLE_TRAINER);
    assert_int_equal(set_of(f, "o")->role, TY_ROLE_NONE);
    assert_int_equal(set_of(f, "node")->role, TY_ROLE_NONE);
    assert_ptr_equal(f->plan.trainer, set_of(f, "t"));
    assert_false(f->plan.implicit_trainer);
}

/* B28. */
static void test_trainer_without_label(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{'torch':{}}", PLAIN_JOB("other", "1", "{'name':'node'}") "," PLAIN_JOB(
                                             "node", "1", "{'name':'node'}")),
            JOB(""));
    assert_true(f->plan.implicit_trainer);
    assert_ptr_equal(f->plan.trainer, set_of(f, "node"));
    assert_int_equal(set_of(f, "other")->role, TY_ROLE_NONE);
}

static void test_no_trainer_without_container(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, RUNTIME_JOBS("{}", PLAIN_JOB("node", "1", "{'name':'main'}")), JOB(""));
    assert_false(f->plan.implicit_trainer);
    assert_null(f->plan.trainer);
    assert_null(ty_plan_main_container(&f->plan));
}

/* Any label at all says that the author knew of labels. */
static void test_other_label_forbids_guessing(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{}", STEP_JOB("x", "other", "c", "") "," PLAIN_JOB("node", "1",
                                                                             "{'name':'node'}")),
            JOB(""));
    assert_false(f->plan.implicit_trainer);
    assert_null(f->plan.trainer);
}

/* Under mpi training starts from the launcher. */
static void test_launcher_without_label(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{'mpi':{}}", PLAIN_JOB("launcher", "1", "{'name':'node'}") "," PLAIN_JOB(
                                           "node", "1", "{'name':'node'}")),
            JOB(""));
    assert_true(f->plan.implicit_trainer);
    assert_ptr_equal(f->plan.trainer, set_of(f, "launcher"));
    fx_plan(f, RUNTIME_JOBS("{'mpi':{}}", PLAIN_JOB("node", "1", "{'name':'node'}")), JOB(""));
    assert_ptr_equal(f->plan.trainer, set_of(f, "node"));
}

static void test_first_of_two_trainers(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, RUNTIME_JOBS("{'numNodes':3}", TRAINER_JOB("one", "") "," TRAINER_JOB("two", "")),
            JOB(""));
    assert_ptr_equal(f->plan.trainer, set_of(f, "one"));
    assert_int_equal(set_of(f, "two")->count, 3);
}

/* ---- counts ---- */

static void test_counts(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{'numNodes':100}",
                         TRAINER_JOB("node", "") "," PLAIN_JOB("plain", "4", "") "," PLAIN_JOB(
                             "zero", "0", "") "," PLAIN_JOB("less", "-1", "") ",{'name':'bare'}"),
            JOB(""));
    assert_int_equal(set_of(f, "node")->count, 100);
    assert_int_equal(set_of(f, "plain")->count, 4);
    assert_int_equal(set_of(f, "zero")->count, 1);
    assert_int_equal(set_of(f, "less")->count, 1);
    assert_int_equal(set_of(f, "bare")->count, 1);
}

static void test_policy_without_numnodes_is_one(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{'torch':{}}",
                         "{'name':'node','template':{'metadata':{'labels':{'" TY_LABEL_ANCESTOR
                         "':'trainer'}},'spec':{'parallelism':7}}}"),
            JOB(""));
    assert_int_equal(set_of(f, "node")->count, 1);
}

/* Without mlPolicy the template's own parallelism is kept. */
static void test_no_policy_keeps_parallelism(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("null",
                         "{'name':'node','template':{'metadata':{'labels':{'" TY_LABEL_ANCESTOR
                         "':'trainer'}},'spec':{'parallelism':4}}}"),
            JOB(""));
    assert_null(f->plan.ml);
    assert_int_equal(set_of(f, "node")->count, 4);
}

/* B27. */
static void test_mpi_never_scales_the_launcher(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{'numNodes':5,'mpi':{}}",
                         TRAINER_JOB("launcher", "") "," PLAIN_JOB("node", "2", "{'name':'node'}")),
            JOB(""));
    assert_int_equal(set_of(f, "launcher")->count, 1);
    assert_int_equal(set_of(f, "node")->count, 2); /* the plugin's to change */
}

static void test_replicas(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{}", STEP_JOB("t", "trainer", "node", ",'replicas':3") "," STEP_JOB(
                                   "o", "other", "c", ",'replicas':3") ",{'name':'bare'}"),
            JOB(""));
    assert_int_equal(set_of(f, "t")->replicas, 1);
    assert_int_equal(set_of(f, "o")->replicas, 3);
    assert_int_equal(set_of(f, "bare")->replicas, 1);
}

/* ---- resourcesPerNode ---- */

/* Requests and limits are merged by resource name; the TrainJob's value wins. */
static void test_resources_merge(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, NODE_WITH("{'requests':{'cpu':'1','memory':'1Gi'},'limits':{'cpu':'4'}}"),
            JOB("'resourcesPerNode':{'requests':{'cpu':2.5},'limits':{'nvidia.com/gpu':4}}"));
    assert_string_equal(fx_member(f, "node", "node", "resources"),
                        "{'limits':{'cpu':'4','nvidia.com/gpu':'4'},"
                        "'requests':{'cpu':'2500m','memory':'1Gi'}}");
}

static void test_empty_resources_change_nothing(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, NODE_WITH("{'requests':{'cpu':'1'}}"),
            JOB("'resourcesPerNode':{'limits':{},'requests':null}"));
    assert_string_equal(fx_member(f, "node", "node", "resources"), "{'requests':{'cpu':'1'}}");
}

/* B7. */
static void test_claims_merge_by_name(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, NODE_WITH("{'claims':[{'name':'a','request':'old'},{'name':'b'}]}"),
            JOB("'resourcesPerNode':{'claims':[{'name':'c'},{'name':'a','request':'new'}]}"));
    assert_string_equal(fx_member(f, "node", "node", "resources"),
                        "{'claims':[{'name':'a','request':'new'},{'name':'b'},{'name':'c'}]}");
}

/* B9. */
static void test_resources_without_policy(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, RUNTIME("null", ""), JOB("'resourcesPerNode':{'limits':{'cpu':1}}"));
    assert_string_equal(fx_member(f, "node", "node", "resources"), "{'limits':{'cpu':'1'}}");
}

static void test_resources_only_for_the_trainer(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{'mpi':{}}",
                         TRAINER_JOB("launcher", "") "," PLAIN_JOB("node", "1", "{'name':'node'}")),
            JOB("'resourcesPerNode':{'limits':{'cpu':1}}"));
    assert_string_equal(fx_member(f, "launcher", "node", "resources"), "{'limits':{'cpu':'1'}}");
    assert_string_equal(fx_member(f, "node", "node", "resources"), "{}");
}

static void test_resources_for_every_node(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS(
                "{'mpi':{'runLauncherAsNode':true}}",
                TRAINER_JOB("launcher", "") "," PLAIN_JOB(
                    "node", "1", "{'name':'node'}") "," PLAIN_JOB("third", "1", "{'name':'node'}")),
            JOB("'resourcesPerNode':{'limits':{'cpu':1}}"));
    assert_string_equal(fx_member(f, "launcher", "node", "resources"), "{'limits':{'cpu':'1'}}");
    assert_string_equal(fx_member(f, "node", "node", "resources"), "{'limits':{'cpu':'1'}}");
    assert_string_equal(fx_member(f, "third", "node", "resources"), "{}");
}

static void test_origin_of_resources(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, NODE_WITH("{'limits':{'cpu':'4','memory':'1Gi'}}"),
            JOB("'resourcesPerNode':{'limits':{'cpu':8}}"));
    const struct ty_json *c = fx_container(f, "node", "node");
    assert_string_equal(core_origin(&f->plan, ty_json_at(c, "resources.limits.cpu")),
                        "spec.trainer.resourcesPerNode");
    assert_string_equal(core_origin(&f->plan, ty_json_at(c, "resources.limits.memory")),
                        "runtime rt");
}

/* ---- what can go wrong ---- */

/* Whoever calls need not have checked the runtime against its schema. */
static void test_template_of_wrong_types(void **state)
{
    struct fixture *f = *state;
    static const char *const harmless[] = {
        "{}",
        "{'spec':null}",
        "{'spec':7,'metadata':'x'}",
        "{'spec':{'template':'x','mlPolicy':'x','podGroupPolicy':1}}",
        "{'spec':{'template':{'spec':[]}}}",
        "{'spec':{'template':{'metadata':{'labels':'x','annotations':[1]},'spec':{}}}}",
        "{'spec':{'template':{'spec':{'replicatedJobs':{}}}}}",
        "{'spec':{'template':{'spec':{'replicatedJobs':'x'}}}}",
    };
    for (size_t i = 0; i < TY_COUNT(harmless); i++) {
        assert_int_equal(try_plan(f, harmless[i], JOB("'resourcesPerNode':{}")), 0);
        assert_int_equal(f->plan.n_sets, 0);
        assert_null(f->plan.trainer);
        assert_int_equal(ty_pipeline_run(&f->plan, &f->job, &f->err), 0);
    }
}

static void test_jobs_of_wrong_types(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(try_plan(f, RUNTIME_JOBS("{}", "{'name':'a'},'b'"), JOB("")), -EINVAL);
    assert_string_equal(f->err.text, "replicatedJobs[1] of runtime rt is not an object");
    fx_plan(f,
            RUNTIME_JOBS("{'numNodes':'x'}",
                         "{'name':7,'replicas':'x','template':'x'},"
                         "{'name':'node','template':{'metadata':[],'spec':{'parallelism':'x',"
                         "'template':{'metadata':1,'spec':{'containers':[1,{'name':2}]}}}}}"),
            JOB("'resourcesPerNode':{'limits':{'cpu':1}}"));
    assert_int_equal(f->plan.n_sets, 2);
    assert_int_equal(f->plan.sets[0].name.n, 0);
    assert_int_equal(f->plan.sets[0].replicas, 1);
    assert_int_equal(f->plan.sets[1].count, 1);
    assert_int_equal(f->plan.sets[1].pod_meta->type, TY_JSON_OBJECT);
}

static const char *many_jobs(struct fixture *f, int n)
{
    ty_auto_buf out = { 0 };

    ty_buf_cstr(&out, "{'metadata':{'name':'rt'},'spec':{'template':{'spec':{'replicatedJobs':[");
    for (int i = 0; i < n; i++)
        ty_buf_printf(&out, "%s{'name':'j%d'}", i ? "," : "", i);
    ty_buf_cstr(&out, "]}}}}");
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

static void test_too_many_jobs(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(try_plan(f, many_jobs(f, 4096), JOB("")), 0);
    assert_int_equal(f->plan.n_sets, 4096);
    assert_int_equal(try_plan(f, many_jobs(f, 4097), JOB("")), -E2BIG);
    assert_string_equal(f->err.text,
                        "runtime rt has 4097 replicatedJobs, at most 4096 can be planned");
}

/* The limit holds before patches are merged, which compares every name with every other. */
static void test_too_many_jobs_and_a_patch(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        try_plan(f, many_jobs(f, 60000),
                 JOB_OF("rt", ",'runtimePatches':[" POD_PATCH("a.io/1", "j1", "") "]")),
        -E2BIG);
}

/* A patch's own jobs count too. */
static void test_too_many_jobs_by_a_patch(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        try_plan(f, many_jobs(f, 4096),
                 JOB_OF("rt", ",'runtimePatches':[" POD_PATCH("a.io/1", "more", "") "]")),
        -E2BIG);
}

/* Thousands of trainer jobs times a long command can never be stored. */
static void test_trainer_copied_too_often(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf out = { 0 };
    ty_auto_buf job = { 0 };

    ty_buf_cstr(&out, "{'metadata':{'name':'rt'},'spec':{'template':{'spec':{'replicatedJobs':[");
    for (int i = 0; i < 200; i++)
        ty_buf_printf(&out,
                      "%s{'name':'j%d','template':{'metadata':{'labels':{'" TY_LABEL_ANCESTOR
                      "':'trainer'}}}}",
                      i ? "," : "", i);
    ty_buf_cstr(&out, "]}}}}");
    ty_buf_cstr(&job, "{'spec':{'trainer':{'image':'");
    for (int i = 0; i < 10000; i++)
        ty_buf_cstr(&job, "0123456789");
    ty_buf_cstr(&job, "'}}}");
    assert_int_equal(try_plan(f, ty_arena_cstr(f->arena, ty_buf_str(&out)),
                              ty_arena_cstr(f->arena, ty_buf_str(&job))),
                     -E2BIG);
    assert_string_equal(f->err.text,
                        "spec.trainer, copied into 200 jobs: the JobSet would become too large");
}

static void test_result_untouched_on_failure(void **state)
{
    struct fixture *f = *state;

    f->plan.n_sets = 77;
    assert_int_equal(try_plan(f, many_jobs(f, 4097), JOB("")), -E2BIG);
    assert_int_equal(f->plan.n_sets, 77);
}

/* ---- looking ---- */

/* A regular container wins over an init container of the same name. */
static void test_container_lookup(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{}",
                         "{'name':'a','template':{'spec':{'template':{'spec':{'containers':["
                         "{'name':'c','image':'main'}],'initContainers':[{'name':'c','image':'i'},"
                         "{'name':'only-init','image':'i'}]}}}}}"),
            JOB(""));
    struct ty_podset *a = set_of(f, "a");
    assert_true(
        ty_str_is(ty_json_str_at(ty_plan_podset_any_container(a, TY_LIT("c")), "image"), "main"));
    assert_null(ty_plan_podset_container(a, TY_LIT("only-init")));
    assert_non_null(ty_plan_podset_any_container(a, TY_LIT("only-init")));
    assert_null(ty_plan_podset_any_container(a, TY_LIT("none")));
    assert_null(ty_plan_find_podset(&f->plan, TY_LIT("none")));
}

static void test_default_settings(void **state)
{
    struct fixture *f = *state;
    struct ty_plan_in in = { .pipeline = &f->pipeline, .runtime = fx_json(f->arena, "{}") };

    ty_trainjob_parse(&f->job, NULL);
    assert_int_equal(ty_plan_init(f->arena, &f->job, &in, &f->plan, &f->err), 0);
    assert_ptr_equal(f->plan.settings, &ty_settings_default);
    assert_null(ty_plan_live_object(&f->plan, &ty_kind_jobset, TY_LIT("ns"), "j"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_roles_by_label),
        core_test(test_trainer_without_label),
        core_test(test_no_trainer_without_container),
        core_test(test_other_label_forbids_guessing),
        core_test(test_launcher_without_label),
        core_test(test_first_of_two_trainers),
        core_test(test_counts),
        core_test(test_policy_without_numnodes_is_one),
        core_test(test_no_policy_keeps_parallelism),
        core_test(test_mpi_never_scales_the_launcher),
        core_test(test_replicas),
        core_test(test_resources_merge),
        core_test(test_empty_resources_change_nothing),
        core_test(test_claims_merge_by_name),
        core_test(test_resources_without_policy),
        core_test(test_resources_only_for_the_trainer),
        core_test(test_resources_for_every_node),
        core_test(test_origin_of_resources),
        core_test(test_template_of_wrong_types),
        core_test(test_jobs_of_wrong_types),
        core_test(test_too_many_jobs),
        core_test(test_too_many_jobs_and_a_patch),
        core_test(test_too_many_jobs_by_a_patch),
        core_test(test_trainer_copied_too_often),
        core_test(test_result_untouched_on_failure),
        core_test(test_container_lookup),
        core_test(test_default_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
