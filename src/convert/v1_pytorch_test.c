#include "convert/convert_testing.h"

#define JOB(fields, pod)                                                                           \
    HEAD("PyTorchJob")                                                                             \
    fields "  pytorchReplicaSpecs: {Worker: {replicas: 2, template: " pod "}}"                     \
           "\n"
#define RUN(words)      "{spec: {containers: [{name: pytorch, image: x, command: [" words "]}]}}"
#define TORCHRUN        RUN("torchrun, train.py")
#define ELASTIC(fields) JOB("  elasticPolicy: {" fields "}\n", TORCHRUN)
#define POLICY          "spec.elasticPolicy"

static void test_processes(void **state TY_UNUSED)
{
    static const struct {
        const char *value, *limits, *procs, *world;
    } rows[] = {
        { "auto", "", "null", "2" },   { "gpu", "", "null", "2" },
        { "'4'", "", "4", "8" },       { "4", "", "4", "8" },
        { "cpu", "cpu: 6", "6", "2" }, { "cpu", "cpu: 2500m", "3", "2" },
        { "cpu", "", "null", "2" },    { "~", "", "null", "2" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        char *text = ty_arena_printf(
            a,
            HEAD(
                "PyTorchJob") "  nprocPerNode: %s\n  pytorchReplicaSpecs: {Worker: {replicas: 2, "
                              "template: {spec: {containers: [{name: pytorch, image: x, resources: "
                              "{limits: {%s}}}]}}}}\n",
            rows[i].value, rows[i].limits);
        struct ty_convert_result done = convert(a, text);
        assert_string_equal(json_at(a, done.job, "spec.trainer.numProcPerNode"), rows[i].procs);
        assert_true(ty_str_is(trainer_env(&done, "WORLD_SIZE"), rows[i].world));
    }
}

static void test_bad_processes(void **state TY_UNUSED)
{
    static const char *const values[] = { "0", "-1", "many", "'0'", "'99999999999'", "1.5", "[1]" };
    for (size_t i = 0; i < TY_COUNT(values); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        refuse(a, ty_arena_printf(a, JOB("  nprocPerNode: %s\n", POD("pytorch")), values[i]),
               "spec.nprocPerNode", "must be");
    }
}

static void test_range(void **state TY_UNUSED)
{
    static const struct {
        const char *fields, *flag;
    } rows[] = {
        { "minReplicas: 1, maxReplicas: 3", "\"--nnodes=1:3\"" },
        { "minReplicas: 4", "\"--nnodes=4:4\"" }, /* as V1's defaults have it */
        { "maxReplicas: 4, minReplicas: ~", "\"--nnodes=4:4\"" },
        { "rdzvId: a", NULL },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done =
            convert(a, ty_arena_printf(a, ELASTIC("%s"), rows[i].fields));
        const char *words = json_at(a, done.job, "spec.trainer.command");
        assert_true(rows[i].flag ? strstr(words, rows[i].flag) != NULL
                                 : strstr(words, "nnodes") == NULL);
        assert_string_equal(json_at(a, done.job, "spec.trainer.numNodes"), "2");
    }
}

static void test_where_the_range_goes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define BOTH "  elasticPolicy: {minReplicas: 1, maxReplicas: 2}\n"
    struct ty_convert_result done =
        convert(a, JOB(BOTH, RUN("python, -m, torch.distributed.run, t.py")));
    assert_string_equal(json_at(a, done.job, "spec.trainer.command"),
                        "[\"python\",\"-m\",\"torch.distributed.run\",\"--nnodes=1:2\",\"t.py\"]");
    done = convert(a, JOB(BOTH, RUN("torchrun, --nnodes=5, t.py")));
    assert_has(warning(&done, POLICY), "an --nnodes of its own");
    assert_null(strstr(json_at(a, done.job, "spec.trainer.command"), "1:2"));
    done = convert(a, JOB(BOTH, RUN("sh, -c, torchrun t.py")));
    assert_has(warning(&done, POLICY), "no word torchrun");
    assert_has(json_at(a, done.job, "metadata.annotations"), "1:2");
}

static void test_endpoint(void **state TY_UNUSED)
{
    static const struct {
        const char *fields, *endpoint, *backend;
    } rows[] = {
        { "maxRestarts: 1", "j-node-0-0.j:29500", "c10d" },
        { "rdzvBackend: ''", "j-node-0-0.j:29500", "c10d" },
        { "rdzvHost: h, rdzvPort: 5", "h:5", "c10d" },
        { "rdzvHost: j-worker-1", "j-node-0-1.j:29500", "c10d" },
        { "rdzvHost: j-worker-x", "j-worker-x:29500", "c10d" },
        { "rdzvHost: ~, rdzvPort: ~", "j-node-0-0.j:29500", "c10d" },
        { "rdzvBackend: etcd-v2, rdzvHost: etcd, rdzvPort: 2379", "j-node-0-0.j:29500", "c10d" },
        { "rdzvBackend: static", "j-node-0-0.j:29500", "static" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done =
            convert(a, ty_arena_printf(a, ELASTIC("%s"), rows[i].fields));
        assert_true(ty_str_is(trainer_env(&done, "PET_RDZV_ENDPOINT"), rows[i].endpoint));
        assert_true(ty_str_is(trainer_env(&done, "PET_RDZV_BACKEND"), rows[i].backend));
    }
}

/* Worker 1 is node 2 where there is a master. */
static void test_endpoint_beside_a_master(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, HEAD("PyTorchJob") "  elasticPolicy: {rdzvHost: j-worker-1}\n  pytorchReplicaSpecs: "
                              "{Master: {template: " TORCHRUN
                              "}, Worker: {replicas: 2, template: " TORCHRUN "}}\n");
    assert_true(ty_str_is(trainer_env(&done, "PET_RDZV_ENDPOINT"), "j-node-0-2.j:29500"));
}

static void test_bad_elastic(void **state TY_UNUSED)
{
    static const struct {
        const char *fields, *path, *words;
    } rows[] = {
        { "minReplicas: 3, maxReplicas: 2", POLICY ".minReplicas", "more than maxReplicas 2" },
        { "minReplicas: 0", POLICY ".minReplicas", "must be a whole number from 1" },
        { "maxReplicas: 99999999999", POLICY ".maxReplicas", "must be a whole number from 1" },
        { "rdzvPort: 0", POLICY ".rdzvPort", "must be a whole number from 1 to 65535" },
        { "rdzvPort: http", POLICY ".rdzvPort", "must be a whole number" },
        { "rdzvHost: 5", POLICY ".rdzvHost", "must be a text" },
        { "rdzvBackend: [c10d]", POLICY ".rdzvBackend", "must be a text" },
        { "rdzvConf: {a: b}", POLICY ".rdzvConf", "must be a list of key and value" },
        { "rdzvConf: [{key: a, value: 1}]", POLICY ".rdzvConf[0].value", "must be a text" },
        { "rdzvConf: [a]", POLICY ".rdzvConf[0]", "must be an object" },
        { "standalone: 1", POLICY ".standalone", "must be true or false" },
        { "maxRestarts: -1", POLICY ".maxRestarts", "must be a whole number from 0" },
        { "nProcPerNode: auto", POLICY ".nProcPerNode", "must be a whole number from 1" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        refuse(a, ty_arena_printf(a, ELASTIC("%s"), rows[i].fields), rows[i].path, rows[i].words);
    }
}

static void test_two_numbers_of_processes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, JOB("  nprocPerNode: auto\n  elasticPolicy: {nProcPerNode: 4}\n", TORCHRUN));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numProcPerNode"), "null");
    assert_has(warning(&done, POLICY ".nProcPerNode"), "spec.nprocPerNode counts");
    done = convert(a, ELASTIC("nProcPerNode: 4"));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numProcPerNode"), "4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes),   cmocka_unit_test(test_bad_processes),
        cmocka_unit_test(test_range),       cmocka_unit_test(test_where_the_range_goes),
        cmocka_unit_test(test_endpoint),    cmocka_unit_test(test_endpoint_beside_a_master),
        cmocka_unit_test(test_bad_elastic), cmocka_unit_test(test_two_numbers_of_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
