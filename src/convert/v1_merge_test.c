#include "convert/convert_testing.h"

#define TWO(master, worker)                                                                        \
    HEAD("PyTorchJob")                                                                             \
    "  pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {" master "}}}, "              \
    "Worker: {replicas: 2, template: {spec: {" worker "}}}}\n"
#define MAIN(more) "containers: [{name: pytorch, image: x" more "}]"
#define WORKER     "spec.pytorchReplicaSpecs.Worker.template.spec"

static void test_equal(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, TWO(MAIN(", resources: {limits: {cpu: 1}}"), MAIN(", resources: {limits: {cpu: 1}}")));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numNodes"), "3");
    assert_null(done.warnings);
}

static void test_first_difference_is_named(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *path;
        bool hint; /* --split-script would help */
    } rows[] = {
        { TWO(MAIN(""), MAIN(", command: [a]")), WORKER ".containers[0].command", true },
        { TWO(MAIN(", args: [a]"), MAIN(", args: [b]")), WORKER ".containers[0].args[0]", true },
        { TWO(MAIN(", command: [a]"), MAIN(", command: [b]")), WORKER ".containers[0].command[0]",
          true },
        { TWO(MAIN(", command: [a], args: [b]"), MAIN(", command: [a], args: [b, c]")),
          WORKER ".containers[0].args", true },
        { TWO(MAIN(", command: [a]"), "hostNetwork: true, " MAIN(", command: [b]")),
          WORKER ".hostNetwork", false },
        { TWO("hostNetwork: true, " MAIN(""), MAIN("")), WORKER ".hostNetwork", false },
        { TWO(MAIN(""), "containers: [{name: side, image: x}, {name: pytorch, image: x}]"),
          WORKER ".containers", false },
        { TWO(MAIN(", env: [{name: A, value: b}]"), MAIN(", env: [{name: A, value: c}]")),
          WORKER ".containers[0].env[0].value", false },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done;
        assert_int_equal(convert_with(a, rows[i].text, (struct ty_convert_opts){ 0 }, &done),
                         -EINVAL);
        assert_string_equal(done.bad->path, rows[i].path);
        assert_true((strstr(done.bad->text, "--split-script") != NULL) == rows[i].hint);
    }
}

/* What an image starts by itself is not known here. */
static void test_no_command_to_split(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    assert_int_equal(convert_with(a, TWO(MAIN(", args: [a]"), MAIN(", args: [b]")),
                                  (struct ty_convert_opts){ .split_script = true }, &done),
                     -EINVAL);
    assert_has(done.bad->text, "write the image's command into both");
}

static void test_split_script(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_opts opts = { .split_script = true };
    struct ty_convert_result done;
    assert_int_equal(
        convert_with(a,
                     TWO(MAIN(", command: [a, \"it's\"], resources: {requests: {memory: "
                              "2Gi}, limits: {cpu: 500m}}"),
                         MAIN(", command: [b], args: ['']"
                              ", resources: {limits: {cpu: 1}}")),
                     opts, &done),
        0);
    assert_string_equal(json_at(a, done.job, "spec.trainer.command"), "[\"sh\",\"-c\"]");
    assert_string_equal(
        json_at(a, done.job, "spec.trainer.args"),
        "[\"if [ \\\"$TY_INDEX\\\" = 0 ]; then exec 'a' 'it'\\\\''s'; fi; exec 'b' ''\"]");
    assert_string_equal(json_at(a, done.job, "spec.trainer.resourcesPerNode.requests.memory"),
                        "\"2Gi\"");
    assert_string_equal(json_at(a, done.job, "spec.trainer.resourcesPerNode.limits.cpu"), "1");
    /* More than commands cannot be split. */
    assert_int_equal(
        convert_with(a, TWO(MAIN(", command: [a]"), "nodeName: n, " MAIN(", command: [b]")), opts,
                     &done),
        -EINVAL);
}

static void test_what_only_the_master_has(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a,
        HEAD(
            "PyTorchJob") "  pytorchReplicaSpecs:\n    Master: {restartPolicy: Never, template: "
                          "{metadata: {labels: {a: b}}, spec: {containers: [{name: pytorch, image: "
                          "x, ports: [{name: web, containerPort: 80}, {name: pytorchjob-port, "
                          "containerPort: 1}, {containerPort: 5}]}]}}}\n"
                          "    Worker: {template: {spec: {containers: [{name: pytorch, image: x, "
                          "ports: [{containerPort: 5}]}]}}}\n");
#define MASTER "spec.pytorchReplicaSpecs.Master"
    assert_true(warned(&done, MASTER ".template.metadata.labels"));
    assert_true(warned(&done, MASTER ".restartPolicy"));
    assert_true(warned(&done, MASTER ".template.spec.containers[0].ports[0]"));
    assert_true(warned(&done, MASTER ".template.spec.containers[0].ports[1]"));
    assert_false(warned(&done, MASTER ".template.spec.containers[0].ports[2]"));
}

static void test_one_role_alone(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, HEAD("XGBoostJob") "  xgbReplicaSpecs: {Master: {template: " POD("xgboost") "}}\n");
    assert_string_equal(json_at(a, done.job, "spec.trainer.numNodes"), "1");
    assert_true(trainer_env(&done, "WORKER_ADDRS").n == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_first_difference_is_named),
        cmocka_unit_test(test_no_command_to_split),
        cmocka_unit_test(test_split_script),
        cmocka_unit_test(test_what_only_the_master_has),
        cmocka_unit_test(test_one_role_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
