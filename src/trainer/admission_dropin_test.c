/* What v2.3.0 accepts is accepted: the webhook warns, and only `validate` (lint) refuses. What was
 * stored may be updated. */
#include "trainer/testing.h"

#define NAME63 "a23456789b123456789c123456789d123456789e123456789f123456789g123"
#define JOB_NAMED(name, spec)                                                                      \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{'name':'" name    \
    "','namespace':'ns'},'spec':{'runtimeRef':{'name':'rt','kind':'ClusterTrainingRuntime'}" spec  \
    "}}"
#define OURS(spec) JOB_NAMED("j", spec)
#define RT(kind, spec)                                                                             \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'" kind                                  \
    "','metadata':{'name':'rt','namespace':'ns'},'spec':{" spec "}}"
#define TEMPLATE(jobs) "'template':{'spec':{'replicatedJobs':[" jobs "]}}"
#define CONTAINERS                                                                                 \
    "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers: must contain "   \
    "the required container for the ancestor: dataset-initializer"

static struct ty_admission_response admit(struct fixture *f, const char *text, const char *old,
                                          bool lint)
{
    struct ty_admission_request in = { .pipeline = &f->pipeline,
                                       .settings = &f->settings,
                                       .view = &f->view,
                                       .op = old ? TY_ADMISSION_UPDATE : TY_ADMISSION_CREATE,
                                       .obj = fx_json(f->arena, text),
                                       .now_s = CORE_NOW,
                                       .all = lint,
                                       .lint = lint };
    struct ty_admission_response v;

    if (old) { /* what is stored has its defaults */
        struct ty_json *stored = fx_json(f->arena, old);
        ty_schema_default(f->arena, ty_kind_of(stored)->schema, stored);
        in.old = stored;
    }
    ty_admission_handle(f->arena, &in, &v);
    return v;
}

/* Accepted with this one warning; refused by validate in the same words. */
static void warns(struct fixture *f, const char *text, const char *old, const char *warning)
{
    struct ty_admission_response v = admit(f, text, old, false);

    assert_null(v.message);
    assert_int_equal(v.code, old ? 200 : 201);
    assert_int_equal(v.errs.n, 0);
    assert_int_equal(v.warnings.n, 1);
    assert_string_equal(v.warnings.v[0], warning);
    v = admit(f, text, old, true);
    assert_true(v.code >= 400 && v.errs.n == 1 && v.warnings.n == 0);
    assert_string_equal(
        ty_arena_printf(f->arena, "%s: %s", v.errs.first->path, v.errs.first->detail), warning);
}

/* B25: JobSet's own admission may or may not refuse its JobSet. */
static void test_name_of_63_characters(void **state)
{
    struct fixture *f = *state;

    core_put(f, RUNTIME("{}", ""));
    warns(f, JOB_NAMED(NAME63, ""), NULL,
          "metadata.name: the longest name of its jobs and pods would be \"" NAME63
          "-node-0-0-abcde\", 78 characters of at most 63: shorten the name by 15");
}

/* B20: the cluster's runtimes are checked on update, as v2.3.0 does. */
static void test_update_of_a_runtime(void **state)
{
    struct fixture *f = *state;
#define FULL(kind)                                                                                 \
    RT(kind, TEMPLATE(STEP_JOB("d", "dataset-initializer", "dataset-initializer", "")))
#define EMPTY(kind) RT(kind, TEMPLATE(STEP_JOB("d", "dataset-initializer", "other", "")))

    warns(f, EMPTY("TrainingRuntime"), FULL("TrainingRuntime"), CONTAINERS);
    warns(f, EMPTY("TrainingRuntime"), EMPTY("TrainingRuntime"), CONTAINERS);
    assert_int_equal(admit(f, EMPTY("TrainingRuntime"), NULL, false).code, 403);
    assert_int_equal(
        admit(f, EMPTY("ClusterTrainingRuntime"), FULL("ClusterTrainingRuntime"), false).code, 403);
}

/* B24. */
static void test_no_mpi_implementation(void **state)
{
    struct fixture *f = *state;
#define MPI                                                                                        \
    RT("ClusterTrainingRuntime",                                                                   \
       "'mlPolicy':{'numNodes':1,'mpi':{'mpiImplementation':''}}," TEMPLATE(                       \
           TRAINER_JOB("node", "")))

    warns(f, MPI, NULL,
          "spec.mlPolicy.mpi.mpiImplementation: must be one of OpenMPI, IntelMPI, MPICH");
    warns(f, MPI, MPI,
          "spec.mlPolicy.mpi.mpiImplementation: must be one of OpenMPI, IntelMPI, MPICH");
    core_put(f, MPI);
    warns(f, OURS(""), NULL,
          "spec.runtimeRef: spec.mlPolicy.mpi.mpiImplementation must be one of OpenMPI, IntelMPI, "
          "MPICH in the runtime");
}

/* B2. */
#define PATCHES(list) OURS(",'runtimePatches':[" list "]")
#define PLACE         "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"

static void test_patch_for_nobody(void **state)
{
    struct fixture *f = *state;
    static const char job[] = PATCHES(POD_PATCH("a.io/b", "worker", "'nodeSelector':{'a':'b'}"));

    core_put(f, RUNTIME("{}", ""));
    warns(f, job, NULL, PLACE ".name: runtime \"rt\" has no job \"worker\"; it has: node");
    warns(f, job, job, PLACE ".name: runtime \"rt\" has no job \"worker\"; it has: node");
}

/* What v2.3.0 does refuse is refused, however many warnings stand before it. */
static void test_warnings_hide_nothing(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf jobs = { 0 };

    for (int i = 0; i < 99; i++)
        ty_buf_printf(&jobs, "{'name':'nobody%d'},", i);
    core_put(f, RUNTIME("{}", ""));
    const char *text = ty_arena_printf(
        f->arena,
        PATCHES("{'manager':'a.io/b','trainingRuntimeSpec':{'template':{'spec':{'replicatedJobs':["
                "%.*s{'name':'worker','template':{'spec':{'template':{'spec':{'containers':[{"
                "'name':'node','env':[{'name':'A','value':'1'}]}]}}}}}]}}}}"),
        TY_ARG(ty_buf_str(&jobs)));
    struct ty_admission_response v = admit(f, text, NULL, false);
    if (v.code != 403)
        fail_msg("%s", v.message);
    assert_has(v.message,
               "must not have envs for the dataset-initializer, model-initializer, node");
    assert_int_equal(v.errs.n, 1);
    assert_int_equal(v.warnings.n, 16);
    assert_string_equal(v.warnings.v[0],
                        "spec.runtimePatches: set the trainer's variables in spec.trainer.env, an "
                        "initializer's in spec.initializer");
    assert_string_equal(v.warnings.v[15], "and 86 more of this kind");
}

/* The API server truncates longer ones. */
static void test_long_warning(void **state)
{
    struct fixture *f = *state;
#define LONG "a-name-that-is-itself-quite-as-long-as-any-name-may-well-be-"

    core_put(f, RUNTIME_JOBS("{}", PLAIN_JOB(LONG "1", "1", "{'name':'c'}") "," PLAIN_JOB(
                                       LONG "2", "1", "{'name':'c'}")));
    struct ty_admission_response v =
        admit(f, PATCHES(POD_PATCH("a.io/b", LONG "0", "")), NULL, false);
    assert_null(v.message);
    assert_true(v.warnings.n >= 1);
    assert_int_equal(strlen(v.warnings.v[0]), 256);
    assert_string_equal(v.warnings.v[0] + 253, "...");
}

/* B17: v2.3.0 looks at no job after one with a system class. */
static void test_class_after_a_system_class(void **state)
{
    struct fixture *f = *state;
#define CLASS(name, class)                                                                         \
    "{'name':'" name                                                                               \
    "','template':{'spec':{'template':{'spec':{'priorityClassName':'" class "','containers':[]}}}" \
                                                                            "}}"
#define GANG(jobs) RT("ClusterTrainingRuntime", "'podGroupPolicy':{'volcano':{}}," TEMPLATE(jobs))
#define GONE                                                                                       \
    "spec.templateSpec.priorityClassName: PriorityClass \"gone\" doesn't exist: "                  \
    "PriorityClass.scheduling.k8s.io \"gone\" not found"

    core_put(f, GANG(CLASS("a", "system-node-critical") "," CLASS("b", "gone")));
    warns(f, OURS(""), NULL, GONE);
    core_put(f, GANG(CLASS("a", "gone") "," CLASS("b", "system-node-critical")));
    assert_int_equal(admit(f, OURS(""), NULL, false).code, 403);
}

/* ---- stored objects: what only ours refuses, an update does not ---- */

static void may_update(struct fixture *f, const char *spec)
{
    const char *was = ty_arena_printf(f->arena, OURS("%s"), spec);
    const char *now = ty_arena_printf(f->arena, OURS(",'suspend':true%s"), spec);

    assert_int_equal(admit(f, was, NULL, false).code, 403);
    struct ty_admission_response v = admit(f, now, was, false);
    if (v.message)
        fail_msg("%s", v.message);
}

static void test_disabled_plugin(void **state)
{
    struct fixture *f = *state;
    static const char *const off[] = { "Torch", NULL };

    assert_int_equal(ty_pipeline_init(&f->pipeline, NULL, off, NULL, &f->err), 0);
    core_put(f, RUNTIME("{'torch':{}}", ""));
    may_update(f, "");
}

static void test_runtime_too_large(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf jobs = { 0 };

    for (int i = 0; i < 4097; i++)
        ty_buf_printf(&jobs, "%s{'name':'j%d'}", i ? "," : "", i);
    core_put(f, ty_arena_printf(f->arena, RT("ClusterTrainingRuntime", TEMPLATE("%.*s")),
                                TY_ARG(ty_buf_str(&jobs))));
    may_update(f, "");
}

static void test_features_of_ours(void **state)
{
    struct fixture *f = *state;

    core_put(f, RUNTIME("{'torch':{'elasticPolicy':{'minNodes':2,'maxNodes':3}}}", ""));
    may_update(f, ",'trainer':{'numNodes':9}");
    may_update(f, ",'trainer':{'env':[{'name':'PET_MAX_RESTARTS','value':'1'}]}");
    core_put(f, RUNTIME("{'tensorflow':{}}", ""));
    may_update(f, ",'trainer':{'env':[{'name':'TF_CONFIG','value':'1'}]}");
    core_put(f, RUNTIME("{}", ""));
    may_update(f, ",'podTemplateOverrides':[{'targetJobs':[{'name':'node'}],'spec':{'containers':[{"
                  "'name':'node','env':[{'name':'A','value':'1'}]}]}}]");
}

/* As in v2.3.0: names that its own plugins reserve are refused on update, too. */
static void test_reserved_names_stay_refused(void **state)
{
    struct fixture *f = *state;
#define RANK OURS(",'trainer':{'env':[{'name':'PET_NODE_RANK','value':'1'}]}")

    core_put(f, RUNTIME("{'torch':{}}", ""));
    assert_int_equal(admit(f, RANK, RANK, false).code, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_name_of_63_characters),       core_test(test_update_of_a_runtime),
        core_test(test_no_mpi_implementation),       core_test(test_patch_for_nobody),
        core_test(test_warnings_hide_nothing),       core_test(test_long_warning),
        core_test(test_class_after_a_system_class),  core_test(test_disabled_plugin),
        core_test(test_runtime_too_large),           core_test(test_features_of_ours),
        core_test(test_reserved_names_stay_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
