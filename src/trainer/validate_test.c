#include "trainer/testing.h"
#include "trainer/validate.h"

#define MOUNT ",'volumeMounts':[{'name':'initializer','mountPath':'/w'}]"
#define INIT_JOB(name, list, container)                                                            \
    "{'name':'" name "','template':{'spec':{'template':{'spec':{'" list "':[" container "]}}}}}"
#define REF_ERR(text)                                                                              \
    "spec.runtimeRef: Invalid value: {\"name\":\"rt\",\"apiGroup\":\"trainer.kubeflow.org\","      \
    "\"kind\":\"ClusterTrainingRuntime\"}: " text
#define WITH(init) JOB_OF("rt", ",'initializer':{" init "}")

static const char *initializers(struct fixture *f, const char *runtime, const char *job)
{
    fx_plan(f, runtime, job);
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_initializers(&f->plan, &f->job, &f->errs);
    return ty_errs_text(f->arena, &f->errs);
}

/* An initializer that the TrainJob configures must be a job of the runtime. */
static void test_initializer_without_job(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        initializers(f, RUNTIME("{}", ""), WITH("'dataset':{}")),
        REF_ERR("must have dataset-initializer job when trainJob is configured with input "
                "datasetConfig"));
    assert_string_equal(
        initializers(f, RUNTIME("{}", ""), WITH("'model':{}")),
        REF_ERR("must have model-initializer job when trainJob is configured with input "
                "modelConfig"));
    assert_ptr_equal(f->errs.first->at, f->job.ref);
}

static void test_initializer_without_container(void **state)
{
    assert_string_equal(
        initializers(*state,
                     RUNTIME_JOBS("{}", INIT_JOB("dataset-initializer", "containers",
                                                 "{'name':'other'" MOUNT "}")),
                     WITH("'dataset':{}")),
        REF_ERR("must have container with name - dataset-initializer in the dataset-initializer "
                "job"));
}

static void test_initializer_without_mount(void **state)
{
    static const char text[] = REF_ERR("must have volumeMount with name - initializer in container "
                                       "model-initializer of the model-initializer job");

    assert_string_equal(
        initializers(*state,
                     RUNTIME_JOBS("{}", INIT_JOB("model-initializer", "containers",
                                                 "{'name':'model-initializer','volumeMounts':[{"
                                                 "'name':'x','mountPath':'/w'}]}")),
                     WITH("'model':{}")),
        text);
    /* an init container counts as a container, but its mount does not */
    assert_string_equal(
        initializers(*state,
                     RUNTIME_JOBS("{}", INIT_JOB("model-initializer", "initContainers",
                                                 "{'name':'model-initializer'" MOUNT "}")),
                     WITH("'model':{}")),
        text);
}

static void test_initializers_in_order(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        initializers(
            f,
            RUNTIME_JOBS("{}",
                         INIT_JOB("model-initializer", "containers",
                                  "{'name':'model-initializer'" MOUNT
                                  "}") "," INIT_JOB("dataset-initializer", "containers",
                                                    "{'name':'dataset-initializer'" MOUNT "}")),
            WITH("'model':{},'dataset':{}")),
        "");
    initializers(f, RUNTIME("{}", ""), WITH("'model':{},'dataset':{}"));
    assert_int_equal(f->errs.n, 2);
    assert_string_equal(initializers(f, RUNTIME("{}", ""), JOB("")), "");
}

/* ---- names ---- */

/* The name's length for which names are still accepted, by trying. */
static size_t longest(struct fixture *f, const char *runtime, const char *spec)
{
    static const char name[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    size_t n = 0;

    for (n = 1; n < sizeof(name); n++) {
        fx_plan(f, runtime,
                ty_arena_printf(f->arena, "{'metadata':{'name':'%.*s'},'spec':{%s}}", (int)n, name,
                                spec));
        f->errs = (struct ty_errs){ .arena = f->arena };
        ty_validate_names(&f->plan, &f->job, &f->errs);
        if (f->errs.n)
            break;
    }
    return n - 1;
}

/* JobSet's webhook: "<name>-node-0-0-abcde" of at most 63 characters. */
static void test_pod_names(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(longest(f, RUNTIME("{}", ""), ""), 63 - strlen("-node-0-0-abcde"));
    assert_string_equal(
        ty_errs_text(f->arena, &f->errs),
        "metadata.name: Invalid value: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": the "
        "longest name of its jobs and pods would be "
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-node-0-0-abcde\", 64 characters of at "
        "most 63: shorten the name by 1");
    assert_ptr_equal(f->errs.first->at, ty_json_at(f->job.obj, "metadata.name"));
}

static void test_pod_names_grow_with_counts(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(longest(f, RUNTIME("{'numNodes':11}", ""), ""),
                     63 - strlen("-node-0-10-abcde"));
    assert_int_equal(longest(f, RUNTIME("{'numNodes':11}", ""), "'trainer':{'numNodes':10}"),
                     63 - strlen("-node-0-9-abcde"));
    assert_int_equal(longest(f, RUNTIME("{}", ""), "'trainer':{'numNodes':1001}"),
                     63 - strlen("-node-0-1000-abcde"));
    assert_int_equal(
        longest(f, RUNTIME_JOBS("{}", "{'name':'w','replicas':11}"), "'trainer':{'numNodes':1001}"),
        63 - strlen("-w-10-0-abcde"));
}

/* All jobs are looked at, the longest name is told. */
static void test_the_worst_name(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        longest(f,
                RUNTIME_JOBS("{}", TRAINER_JOB("node", "") "," PLAIN_JOB("a-long-name", "1", "")),
                ""),
        63 - strlen("-a-long-name-0-0-abcde"));
}

/* No pods, or pods without an index: the Job's own name remains. */
static void test_job_names(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(longest(f, RUNTIME("{}", ""), "'trainer':{'numNodes':0}"),
                     63 - strlen("-node-0"));
    assert_int_equal(longest(f,
                             RUNTIME_JOBS("{}", "{'name':'w','template':{'spec':{'completionMode':"
                                                "'NonIndexed'}}}"),
                             ""),
                     63 - strlen("-w-0"));
    assert_int_equal(longest(f, RUNTIME_JOBS("{}", "{'name':'w','replicas':-1}"), ""), 64);
}

/* Under mpi numNodes counts job `node`, not the launcher that carries the trainer's label. */
static void test_mpi_names(void **state)
{
    struct fixture *f = *state;
#define MPI(policy)                                                                                \
    RUNTIME_JOBS("{'numNodes':1000001,'mpi':{" policy "}}",                                        \
                 TRAINER_JOB("launcher", "") "," PLAIN_JOB("node", "1", "{'name':'node'}"))

    assert_int_equal(longest(f, MPI(""), ""), 63 - strlen("-node-0-1000000-abcde"));
    assert_int_equal(longest(f, MPI("'runLauncherAsNode':true"), ""),
                     63 - strlen("-node-0-999999-abcde"));
    assert_int_equal(longest(f, MPI(""), "'trainer':{'numNodes':10}"),
                     63 - strlen("-launcher-0-0-abcde"));
    assert_int_equal(longest(f, MPI(""), "'trainer':{'numNodes':100001}"),
                     63 - strlen("-node-0-100000-abcde"));
}

static void test_no_jobs_no_names(void **state)
{
    assert_int_equal(longest(*state, "{}", ""), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_initializer_without_job),
        core_test(test_initializer_without_container),
        core_test(test_initializer_without_mount),
        core_test(test_initializers_in_order),
        core_test(test_pod_names),
        core_test(test_pod_names_grow_with_counts),
        core_test(test_the_worst_name),
        core_test(test_job_names),
        core_test(test_mpi_names),
        core_test(test_no_jobs_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
