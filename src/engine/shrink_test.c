/* What --shrink makes of jobs that were written for a cluster. */
#include "engine/pod/pod_testing.h"
#include "engine/preflight/preflight.h"
#include "engine/shrink.h"

#define LABEL "'metadata':{'labels':{'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}}"
/* A runtime with this mlPolicy, members of its job `node`, of the pod's spec and of the container.
 */
#define RUNTIME(policy, rjob, pod, container)                                                      \
    "{'kind':'ClusterTrainingRuntime','metadata':{'name':'rt'},'spec':{'mlPolicy':{" policy        \
    "},'template':{'spec':{'replicatedJobs':[{'name':'node'" rjob ",'template':{" LABEL            \
    ",'spec':{'template':{'spec':{" pod "'containers':[{'name':'node','image':'i'" container       \
    "}]}}}}}]}}}}"
#define JOB(members)                                                                               \
    "{'kind':'TrainJob','metadata':{'name':'j'},'spec':{'runtimeRef':{'name':'rt'}" members "}}"
#define GPUS(n) "'limits':{'nvidia.com/gpu':'" n "'}"

static struct ty_host host_of(int64_t cpus)
{
    return (struct ty_host){ .cpus = cpus, .memory = (int64_t)16 << 30 };
}

static const char *shrunk(struct fixture *f, const char *job, const char *runtime, int64_t cpus)
{
    struct ty_host host = host_of(cpus);
    const struct ty_json *j = parse(f->a, job), *rt = parse(f->a, runtime);
    struct ty_shrink_size before, after;

    assert_true(ty_shrink_measure(f->a, j, rt, &before));
    assert_true(ty_shrink_measure(f->a, ty_shrink_trainjob(f->a, j, &before, &host),
                                  ty_shrink_runtime(f->a, rt, &host), &after));
    return ty_shrink_text(f->a, &before, &after);
}

static void sizes(void **state)
{
    static const struct {
        const char *job, *runtime, *want;
        int64_t cpus;
    } rows[] = {
        { JOB(",'trainer':{'numNodes':8,'resourcesPerNode':{" GPUS("8") "}}"),
          RUNTIME("'torch':{'numProcPerNode':'auto'}", "", "", ""), "8 nodes x 8 → 2 x 2, no GPUs",
          4 },
        { JOB(",'trainer':{'numNodes':8,'resourcesPerNode':{" GPUS("8") "}}"),
          RUNTIME("'torch':{}", "", "", ""), "8 nodes x 8 → 2 x 1, no GPUs", 1 },
        { JOB(""), RUNTIME("'numNodes':4,'torch':{}", "", "", ",'resources':{" GPUS("1") "}"),
          "4 nodes → 2, no GPUs", 4 },
        { JOB(",'trainer':{'numNodes':1,'resourcesPerNode':{" GPUS("1") "}}"),
          RUNTIME("'torch':{}", "", "", ""), "1 node, no GPUs", 4 },
        { JOB(",'trainer':{'numProcPerNode':16}"), RUNTIME("'numNodes':3,'mpi':{}", "", "", ""),
          "3 nodes x 16 → 2 x 2", 4 },
        { JOB(""), RUNTIME("'numNodes':3,'mpi':{'numProcPerNode':4}", "", "", ""),
          "3 nodes x 4 → 2 x 2", 4 },
        { JOB(""), RUNTIME("'torch':{}", "", "", ",'resources':{'requests':{'cpu':'6'}}"),
          "1 node x 6 → 1 x 2", 4 },
        { JOB(""), RUNTIME("'numNodes':3", "", "", ",'resources':{'limits':{'rdma/hca':'1'}}"),
          "3 nodes → 2, no devices", 4 },
        { JOB(",'trainer':{'numNodes':8,'resourcesPerNode':{" GPUS("8") "}}"),
          RUNTIME("'jax':{}", "", "", ""), "8 nodes → 2, no GPUs", 4 }, /* one process a node */
        { JOB(""), RUNTIME("'numNodes':2", "", "", ""), "2 nodes, as it is", 4 },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(shrunk(*state, rows[i].job, rows[i].runtime, rows[i].cpus),
                            rows[i].want);
}

static void fields(void **state)
{
    struct fixture *f = *state;
    struct ty_host host = host_of(4);
    const struct ty_json *before = parse(
        f->a,
        RUNTIME("'numNodes':8,'torch':{'elasticPolicy':{'minNodes':4,'maxNodes':16}}",
                ",'replicas':4", "'nodeSelector':{'gpu':'a100'},'runtimeClassName':'nvidia',",
                ",'resources':{'requests':{'cpu':'500m','memory':'1Ti','rdma/hca':1},"
                "'limits':{'cpu':'96','memory':'1Ti','nvidia.com/gpu':8,'hugepages-2Mi':'4Mi',"
                "'ephemeral-storage':'1Ti'}}"));
    const struct ty_json *after =
        parse(f->a, RUNTIME("'numNodes':2,'torch':{'elasticPolicy':{'minNodes':2,'maxNodes':2}}",
                            ",'replicas':2", "",
                            ",'resources':{'requests':{'cpu':'500m','memory':17179869184},"
                            "'limits':{'cpu':4,'memory':17179869184,'ephemeral-storage':'1Ti'}}"));
    struct ty_str untouched = ty_json_text(f->a, before);

    struct ty_json *small = ty_shrink_runtime(f->a, before, &host);
    assert_string_equal(ty_json_text(f->a, small).p, ty_json_text(f->a, after).p);
    assert_string_equal(ty_json_text(f->a, before).p, untouched.p); /* a copy was changed */
    small = ty_shrink_runtime(f->a, small, &host);                  /* a shared runtime: twice */
    assert_string_equal(ty_json_text(f->a, small).p, ty_json_text(f->a, after).p);
}

/* A patch is a place for resources, too; labels of anybody's names stay. */
static void patches(void **state)
{
    struct fixture *f = *state;
    struct ty_host host = host_of(4);
    struct ty_shrink_size before = { .nodes = 8, .procs = 1 };
    const struct ty_json *job =
        parse(f->a, JOB(",'podTemplateOverrides':[{'metadata':{'labels':{'nodeSelector':'x'}},"
                        "'spec':{'nodeSelector':{'gpu':'a100'},'containers':[{'name':'c',"
                        "'resources':{" GPUS("8") "}}]}}]"));
    const struct ty_json *want =
        parse(f->a, JOB(",'podTemplateOverrides':[{'metadata':{'labels':{'nodeSelector':'x'}},"
                        "'spec':{'containers':[{'name':'c','resources':{'limits':{}}}]}}]"));

    assert_string_equal(ty_json_text(f->a, ty_shrink_trainjob(f->a, job, &before, &host)).p,
                        ty_json_text(f->a, want).p);
}

static void offers(void **state)
{
    struct fixture *f = *state;
    struct ty_host host = host_of(4);
    const struct ty_json *job = parse(f->a, JOB(",'trainer':{'numNodes':8,'numProcPerNode':8}"));

    assert_string_equal(
        ty_shrink_offer(f->a, job, parse(f->a, RUNTIME("'torch':{}", "", "", "")), &host),
        "2 nodes x 2");
    assert_null(ty_shrink_offer(f->a, job, NULL, &host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(fields, setup, teardown),
        cmocka_unit_test_setup_teardown(patches, setup, teardown),
        cmocka_unit_test_setup_teardown(offers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
