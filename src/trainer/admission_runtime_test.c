#include "trainer/testing.h"

#define RT(kind, jobs) RT_LABELLED(kind, "", jobs)
#define RT_LABELLED(kind, labels, jobs)                                                            \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'" kind "','metadata':{'name':'rt',"     \
    "'namespace':'ns','labels':{" labels "}},'spec':{'template':{'spec':{'replicatedJobs':[" jobs  \
    "]}}}}"
#define CLUSTER    "ClusterTrainingRuntime"
#define DEPRECATED "'trainer.kubeflow.org/support':'deprecated'"
#define JOBS       "spec.template.spec.replicatedJobs"

static struct ty_admission_response admit(struct fixture *f, enum ty_admission_op op,
                                          const char *text)
{
    struct ty_json *obj = fx_json(f->arena, text);

    return core_admit(f, op, obj,
                      op == TY_ADMISSION_UPDATE ? ty_json_copy(f->arena, obj, 0) : NULL);
}

static void test_good_runtime(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v =
        admit(f, TY_ADMISSION_CREATE, RT(CLUSTER, TRAINER_JOB("node", "")));

    assert_int_equal(v.code, 201);
    assert_true(!v.message && v.warnings.n == 0);
}

/* A job with a known ancestor label must have one replica; other labels and jobs without one are
 * not checked. */
static void test_replicas(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = admit(
        f, TY_ADMISSION_CREATE,
        RT(CLUSTER,
           "{'name':'launcher','replicas':3,'template':{}}," STEP_JOB(
               "d", "dataset-initializer", "dataset-initializer",
               ",'replicas':2") "," STEP_JOB("o", "something", "x",
                                             ",'replicas':2") "," STEP_JOB("n", "trainer", "node",
                                                                           ",'replicas':0")));

    assert_int_equal(v.code, 403);
    assert_string_equal(
        v.message,
        "admission webhook \"validator.clustertrainingruntime.trainer.kubeflow.org\" denied the "
        "request: [" JOBS "[1].replicas: Invalid value: 2: always must be 1, " JOBS
        "[3].replicas: Invalid value: 0: always must be 1]");
}

/* A job with a known ancestor label must have the container of that step. */
static void test_containers(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v =
        admit(f, TY_ADMISSION_CREATE,
              RT("TrainingRuntime", STEP_JOB("n", "trainer", "main", "") "," STEP_JOB(
                                        "m", "model-initializer", "node", "")));

    assert_int_equal(v.code, 403);
    assert_int_equal(v.errs.n, 2);
    assert_string_equal(v.errs.first->path, JOBS "[0].template.spec.template.spec.containers");
    assert_string_equal(v.errs.first->value,
                        "[{\"name\":\"main\",\"image\":\"i\",\"resources\":{}}]");
    assert_string_equal(v.errs.first->detail,
                        "must contain the required container for the ancestor: trainer");
    assert_string_equal(v.errs.first->hint, "name the main container \"node\"");
    assert_string_equal(v.errs.last->detail,
                        "must contain the required container for the ancestor: model-initializer");
    assert_has(v.message, "validator.trainingruntime.trainer.kubeflow.org");
}

/* An init container is not enough. */
static void test_init_container_of_that_name(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v =
        admit(f, TY_ADMISSION_CREATE,
              RT(CLUSTER, "{'name':'n','template':{'metadata':{'labels':{'" TY_LABEL_ANCESTOR
                          "':'trainer'}},'spec':{'template':{'spec':{'initContainers':[{'name':"
                          "'node'}],'containers':[]}}}}}"));

    assert_int_equal(v.code, 403);
    assert_int_equal(v.errs.n, 1);
}

/* Of a TrainingRuntime: admission_dropin_test.c (B20). */
static void test_updates(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        admit(f, TY_ADMISSION_UPDATE, RT(CLUSTER, STEP_JOB("n", "trainer", "main", ""))).code, 403);
    assert_int_equal(
        admit(f, TY_ADMISSION_UPDATE, RT(CLUSTER, STEP_JOB("n", "trainer", "node", ""))).code, 200);
}

/* Creating a deprecated runtime returns a warning, updating it does not. */
static void test_deprecation(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v =
        admit(f, TY_ADMISSION_CREATE, RT_LABELLED(CLUSTER, DEPRECATED, TRAINER_JOB("node", "")));

    assert_int_equal(v.warnings.n, 1);
    assert_string_equal(
        v.warnings.v[0],
        "ClusterTrainingRuntime \"rt\" is deprecated and will be removed in a future release of "
        "Kubeflow Trainer. See runtime deprecation policy: https://trainer.kubeflow.org/en/latest/"
        "operator-guides/runtime.html#runtime-deprecation-policy");
    v = admit(f, TY_ADMISSION_UPDATE, RT_LABELLED(CLUSTER, DEPRECATED, TRAINER_JOB("node", "")));
    assert_int_equal(v.warnings.n, 0);
}

/* ---- B28, B37 ---- */

static const char *warning(struct fixture *f, const char *policy, const char *jobs)
{
    struct ty_admission_response v = admit(
        f, TY_ADMISSION_CREATE,
        ty_arena_printf(f->arena,
                        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'" CLUSTER
                        "','metadata':{'name':'rt'},'spec':{'mlPolicy':%s,'template':{'spec':{"
                        "'replicatedJobs':[%s]}}}}",
                        policy, jobs));
    assert_null(v.message);
    return v.warnings.n ? v.warnings.v[0] : "";
}

#define NODE_JOB     PLAIN_JOB("node", "1", "{'name':'node'}")
#define LAUNCHER_JOB PLAIN_JOB("launcher", "1", "{'name':'node'}")
#define TAKEN(name)                                                                                \
    "runtime \"rt\" labels no job with " TY_LABEL_ANCESTOR "; job \"" name                         \
    "\" will be taken as the trainer"

#define IGNORED(who) /* B37 */                                                                     \
    "spec.template.spec.replicatedJobs: no job has label " TY_LABEL_ANCESTOR                       \
    ": trainer, so TrainJobs' spec.trainer will be ignored; add it to template.metadata.labels "   \
    "of " who

static void test_unlabelled(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(warning(f, "{'torch':{}}", LAUNCHER_JOB "," NODE_JOB), TAKEN("node"));
    assert_string_equal(warning(f, "{}", NODE_JOB), TAKEN("node"));
    assert_string_equal(warning(f, "{}", NODE_JOB "," STEP_JOB("x", "other", "c", "")),
                        IGNORED("the job that trains"));
    assert_string_equal(warning(f, "{}", LAUNCHER_JOB), IGNORED("job \"launcher\""));
    assert_string_equal(
        warning(f, "{}", STEP_JOB("d", TY_DATASET_INIT, TY_DATASET_INIT, "") "," LAUNCHER_JOB),
        IGNORED("job \"launcher\""));
    assert_string_equal(warning(f, "{}", STEP_JOB("d", TY_DATASET_INIT, TY_DATASET_INIT, "")), "");
    assert_string_equal(warning(f, "{}", ""), "");
}

/* The plan takes the launcher under mpi, and none without a container `node`. */
static void test_unlabelled_as_the_plan_takes_it(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(warning(f, "{'mpi':{}}", LAUNCHER_JOB "," NODE_JOB), TAKEN("launcher"));
    assert_string_equal(warning(f, "{'mpi':{}}", NODE_JOB), TAKEN("node"));
    assert_string_equal(warning(f, "{}", PLAIN_JOB("node", "1", "{'name':'main'}")),
                        IGNORED("job \"node\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_good_runtime), core_test(test_replicas),
        core_test(test_containers),   core_test(test_init_container_of_that_name),
        core_test(test_updates),      core_test(test_deprecation),
        core_test(test_unlabelled),   core_test(test_unlabelled_as_the_plan_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
