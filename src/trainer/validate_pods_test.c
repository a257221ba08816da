/* TrainJobs that get no pods, or whose trainer nobody takes: each is a warning with its place. */
#include "trainer/testing.h"
#include "trainer/validate.h"

typedef void check_fn(const struct ty_plan *, const struct ty_trainjob *, struct ty_errs *);

/* "path: detail" of all that a check says, one a line; each of them only warns. */
static const char *said(struct fixture *f, check_fn *check, const char *runtime, const char *job)
{
    ty_auto_buf out = { 0 };

    fx_plan(f, runtime, job);
    f->errs = (struct ty_errs){ .arena = f->arena };
    check(&f->plan, &f->job, &f->errs);
    for (const struct ty_field_err *e = f->errs.first; e; e = e->next) {
        assert_true(e->warn_only);
        assert_non_null(e->at);
        ty_buf_printf(&out, "%s%s: %s", out.n ? "\n" : "", e->path, e->detail);
    }
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

#define COUNTS(f, runtime, job) said(f, ty_validate_counts, runtime, job)

static void test_counts_that_no_job_can_have(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(COUNTS(f, RUNTIME("{}", ""), JOB("'numNodes':0")),
                        "spec.trainer.numNodes: job \"node\" gets no pods: numNodes is 0: it is "
                        "over at once, without a pod; use 1 or more");
    assert_ptr_equal(f->errs.first->at, ty_json_at(f->job.obj, "spec.trainer.numNodes"));
    assert_string_equal(f->errs.first->value, "0");
    assert_string_equal(COUNTS(f, RUNTIME("{}", ""), JOB("'numNodes':-3")),
                        "spec.trainer.numNodes: job \"node\" gets no pods: numNodes is -3: a Job "
                        "cannot have fewer than 0 pods; use 1 or more");
    assert_string_equal(COUNTS(f, RUNTIME("{}", ""), JOB("'numNodes':2147483647")),
                        "spec.trainer.numNodes: job \"node\" has too many pods: numNodes is "
                        "2147483647: an indexed Job can have at most 100000 pods");
}

static void test_counts_that_are_fine(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(COUNTS(f, RUNTIME("{}", ""), JOB("")), "");
    assert_string_equal(COUNTS(f, RUNTIME("{}", ""), JOB("'numNodes':1")), "");
    assert_string_equal(COUNTS(f, RUNTIME("{}", ""), JOB("'numNodes':100000")), "");
    assert_string_equal(COUNTS(f, RUNTIME("{'numNodes':0}", ""), JOB("")), ""); /* counts as 1 */
    /* pods without an index may be as many as there is room for */
    assert_string_equal(
        COUNTS(f,
               RUNTIME_JOBS("{}", "{'name':'w','template':{'spec':{'completionMode':'NonIndexed',"
                                  "'parallelism':200000}}}"),
               JOB("")),
        "");
}

static void test_counts_of_the_runtime(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(COUNTS(f, RUNTIME("{'numNodes':100001}", ""), JOB("")),
                        "spec.runtimeRef: job \"node\" has too many pods: runtime \"rt\" asks for "
                        "100001: an indexed Job can have at most 100000 pods");
    assert_string_equal(COUNTS(f, RUNTIME("{'numNodes':100001}", ""), JOB("'numNodes':2")), "");
}

/* The launcher is one of the nodes, and job `node` keeps a pod. */
static void test_counts_under_mpi(void **state)
{
    struct fixture *f = *state;
#define MPI(policy)                                                                                \
    RUNTIME_JOBS("{'mpi':{" policy "}}",                                                           \
                 TRAINER_JOB("launcher", "") "," PLAIN_JOB("node", "1", "{'name':'node'}"))

    assert_string_equal(COUNTS(f, MPI("'runLauncherAsNode':true"), JOB("'numNodes':0")), "");
    assert_string_equal(COUNTS(f, MPI("'runLauncherAsNode':true"), JOB("'numNodes':100001")), "");
    assert_string_equal(COUNTS(f, MPI(""), JOB("'numNodes':0")),
                        "spec.trainer.numNodes: job \"node\" gets no pods: numNodes is 0: it is "
                        "over at once, without a pod; use 1 or more");
    fx_run(f, MPI("'runLauncherAsNode':true"), JOB("'numNodes':0"));
    assert_int_equal(ty_plan_find_podset(&f->plan, TY_LIT("node"))->count,
                     1); /* as it was foreseen */
}

#define REQUESTS(f, runtime, job) said(f, ty_validate_requests, runtime, job)

static void test_requests_above_own_limits(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        REQUESTS(f, RUNTIME("{}", ""),
                 JOB("'resourcesPerNode':{'requests':{'cpu':8},'limits':{'cpu':'4'}}")),
        "spec.trainer.resourcesPerNode.requests.cpu: job \"node\" gets no pods: cpu request 8 of "
        "container \"node\" is above the limit 4; set resourcesPerNode.limits.cpu to 8 or more, or "
        "lower the request");
    assert_ptr_equal(f->errs.first->at,
                     ty_json_at(f->job.obj, "spec.trainer.resourcesPerNode.requests.cpu"));
    assert_string_equal(REQUESTS(f, RUNTIME("{}", ""),
                                 JOB("'resourcesPerNode':{'requests':{'cpu':'1500m','memory':"
                                     "'1Gi'},'limits':{'cpu':2,'memory':'1024Mi'}}")),
                        "");
}

static void test_requests_above_the_runtimes_limits(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        REQUESTS(f, RUNTIME("{}", ",'resources':{'limits':{'memory':'1Gi'}}"),
                 JOB("'resourcesPerNode':{'requests':{'memory':'2Gi'}}")),
        "spec.trainer.resourcesPerNode.requests.memory: job \"node\" gets no pods: memory request "
        "2Gi of container \"node\" is above the limit 1Gi; set resourcesPerNode.limits.memory to "
        "2Gi or more, or lower the request");
    assert_string_equal(
        REQUESTS(f, RUNTIME("{}", ",'resources':{'requests':{'memory':'2Gi'}}"),
                 JOB("'resourcesPerNode':{'limits':{'memory':'1Gi'}}")),
        "spec.trainer.resourcesPerNode.limits.memory: job \"node\" gets no pods: memory request "
        "2Gi of container \"node\" is above the limit 1Gi; set resourcesPerNode.limits.memory to "
        "2Gi or more, or lower the request");
}

static void test_requests_of_the_runtime(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        REQUESTS(f,
                 RUNTIME_JOBS("{}", PLAIN_JOB("side", "1",
                                              "{'name':'c','resources':{'requests':{'cpu':2},"
                                              "'limits':{'cpu':1}}}")),
                 JOB("'resourcesPerNode':{'requests':{'cpu':3}}")),
        "spec.runtimeRef: job \"side\" gets no pods: cpu request 2 of container \"c\" is above the "
        "limit 1; mend the runtime, or patch it in spec.runtimePatches");
    assert_ptr_equal(f->errs.first->at, f->job.ref);
}

/* Kubernetes: the limit must be there, and equal the request. */
static void test_devices_need_an_equal_limit(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(
        REQUESTS(f, RUNTIME("{}", ""), JOB("'resourcesPerNode':{'requests':{'nvidia.com/gpu':2}}")),
        "spec.trainer.resourcesPerNode.requests.nvidia.com/gpu: job \"node\" gets no pods: "
        "nvidia.com/gpu request 2 of container \"node\" needs an equal limit, there is none; set "
        "resourcesPerNode.limits.nvidia.com/gpu to 2");
    assert_string_equal(
        REQUESTS(f, RUNTIME("{}", ""),
                 JOB("'resourcesPerNode':{'requests':{'hugepages-2Mi':'2Mi'},'limits':{"
                     "'hugepages-2Mi':'4Mi'}}")),
        "spec.trainer.resourcesPerNode.requests.hugepages-2Mi: job \"node\" gets no pods: "
        "hugepages-2Mi request 2Mi of container \"node\" must equal the limit 4Mi; set "
        "resourcesPerNode.limits.hugepages-2Mi to 2Mi");
    assert_string_equal(
        REQUESTS(f, RUNTIME("{}", ""), JOB("'resourcesPerNode':{'limits':{'nvidia.com/gpu':2}}")),
        "");
    assert_string_equal(REQUESTS(f, RUNTIME("{}", ""),
                                 JOB("'resourcesPerNode':{'requests':{'nvidia.com/gpu':2},"
                                     "'limits':{'nvidia.com/gpu':'2'}}")),
                        "");
}

/* However many there are, sixteen are told. */
static void test_mistakes_are_bounded(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf list = { 0 };

    for (int i = 0; i < 40; i++)
        ty_buf_printf(&list, "%s'x.y/r%d':1", i ? "," : "", i);
    char *job = ty_arena_printf(f->arena, JOB("'resourcesPerNode':{'requests':{%.*s}}"),
                                TY_ARG(ty_buf_str(&list)));
    REQUESTS(f, RUNTIME("{}", ""), job);
    assert_int_equal(f->errs.n, 16);
}

#define TRAINER(f, runtime, job) said(f, ty_validate_trainer, runtime, job)
#define HEAD                                                                                       \
    "spec.trainer: ignored: no job of runtime \"rt\" has label " TY_LABEL_ANCESTOR                 \
    ": trainer; add it to template.metadata.labels of "

static void test_nobody_takes_the_trainer(void **state)
{
    struct fixture *f = *state;
#define WORKER PLAIN_JOB("worker", "1", "{'name':'node'}")

    assert_string_equal(TRAINER(f, RUNTIME_JOBS("{}", WORKER), JOB("'numNodes':4")),
                        HEAD "job \"worker\"");
    assert_string_equal(
        TRAINER(f,
                RUNTIME_JOBS("{}", STEP_JOB("d", TY_DATASET_INIT, TY_DATASET_INIT, "") "," WORKER),
                JOB("'numNodes':4")),
        HEAD "job \"worker\"");
    assert_string_equal(
        TRAINER(f, RUNTIME_JOBS("{}", WORKER "," PLAIN_JOB("other", "1", "{'name':'c'}")),
                JOB("'image':'x'")),
        HEAD "the job that trains");
}

static void test_somebody_takes_the_trainer(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(TRAINER(f, RUNTIME("{}", ""), JOB("'numNodes':4")), "");
    assert_string_equal(TRAINER(f, RUNTIME_JOBS("{}", WORKER), JOB("")), ""); /* asks for nothing */
    assert_string_equal(TRAINER(f, RUNTIME_JOBS("{}", PLAIN_JOB("node", "1", "{'name':'node'}")),
                                JOB("'numNodes':4")),
                        ""); /* B28 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_counts_that_no_job_can_have),
        core_test(test_counts_that_are_fine),
        core_test(test_counts_of_the_runtime),
        core_test(test_counts_under_mpi),
        core_test(test_requests_above_own_limits),
        core_test(test_requests_above_the_runtimes_limits),
        core_test(test_requests_of_the_runtime),
        core_test(test_devices_need_an_equal_limit),
        core_test(test_mistakes_are_bounded),
        core_test(test_nobody_takes_the_trainer),
        core_test(test_somebody_takes_the_trainer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
