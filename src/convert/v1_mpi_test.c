#include "convert/convert_testing.h"

#define ONE POD("mpi")
#define V1(more, worker)                                                                           \
    HEAD("MPIJob")                                                                                 \
    more "  mpiReplicaSpecs: {Launcher: {template: " ONE "}, Worker: {" worker "}}"                \
         "\n"
#define V2(more, worker)                                                                           \
    HEAD2 more "  mpiReplicaSpecs: {Launcher: {template: " ONE "}, Worker: {" worker "}}\n"
#define WORKERS "replicas: 2, template: " ONE
#define POLICY  "spec.mlPolicy.mpi"

static const struct ty_json *node_of(const struct ty_convert_result *done)
{
    return ty_json_item(ty_json_get(rjob_pod(done, "node"), "containers"), 0);
}

static void test_slots(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(a, V1("", WORKERS));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numProcPerNode"), "1");
    done = convert(a, V2("  slotsPerWorker: 8\n", WORKERS));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numProcPerNode"), "8");
    assert_string_equal(json_at(a, done.runtime, POLICY ".numProcPerNode"), "8");
    refuse(a, V2("  slotsPerWorker: 0\n", WORKERS), "spec.slotsPerWorker", "from 1");
    refuse(a, V2("  slotsPerWorker: '2'\n", WORKERS), "spec.slotsPerWorker", "from 1");
}

/* Replicas of workers that are not given are none. */
static void test_roles_needed(void **state TY_UNUSED)
{
    static const char *const texts[] = {
        V1("", "template: " ONE),
        V2("", "template: " ONE),
        V2("", "replicas: 0, template: " ONE),
        HEAD2 "  mpiReplicaSpecs: {Worker: {" WORKERS "}}\n",
        HEAD2 "  mpiReplicaSpecs: {Launcher: {template: " ONE "}}\n",
    };
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        refuse(a, texts[i], "spec.mpiReplicaSpecs", "a Launcher and at least one Worker");
    }
}

static void test_launcher_that_works(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(a, V2("  runLauncherAsWorker: true\n", WORKERS));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numNodes"), "3");
    assert_string_equal(json_at(a, done.runtime, POLICY ".runLauncherAsNode"), "true");
    done = convert(a, V2("  runLauncherAsWorker: false\n", WORKERS));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numNodes"), "2");
    refuse(a, V2("  runLauncherAsWorker: 1\n", WORKERS), "spec.runLauncherAsWorker",
           "must be true or false");
}

static void test_sshd(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define WITH(fields)                                                                               \
    "replicas: 1, template: {spec: {containers: [{name: mpi, image: x, " fields "}]}}"
    struct ty_convert_result done = convert(a, V2("", WITH("tty: true")));
    assert_string_equal(json_at(a, node_of(&done), "command"), "[\"/usr/sbin/sshd\",\"-De\"]");
    assert_string_equal(json_at(a, node_of(&done), "readinessProbe.tcpSocket.port"), "22");
    done = convert(a, V2("", WITH("readinessProbe: {exec: {command: [a]}}")));
    assert_string_equal(json_at(a, node_of(&done), "readinessProbe.tcpSocket"), "null");
    done = convert(a, V2("", WITH("args: [-x]"))); /* for the image's own entrypoint */
    assert_string_equal(json_at(a, node_of(&done), "command"), "null");
    assert_string_equal(json_at(a, node_of(&done), "args"), "[\"-x\"]");
    done = convert(a, V1("", WITH("command: [sleep], args: [inf]")));
    assert_string_equal(json_at(a, node_of(&done), "command"), "[\"/usr/sbin/sshd\",\"-De\"]");
    assert_string_equal(json_at(a, node_of(&done), "args"), "null");
#define WORKER "spec.mpiReplicaSpecs.Worker.template.spec.containers[0]"
    assert_true(warned(&done, WORKER ".command") && warned(&done, WORKER ".args"));
    assert_has(warning(&done, WORKER ".image"), "/usr/sbin/sshd");
}

static void test_main_container(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define TWO "{spec: {containers: [{name: a, image: one}, {name: b, image: two}]}}"
#define JOB(head, main)                                                                            \
    head main "  mpiReplicaSpecs: {Launcher: {template: " TWO                                      \
              "}, Worker: {replicas: 1, template: " TWO "}}\n"
    struct ty_convert_result done = convert(a, JOB(HEAD("MPIJob"), "  mainContainer: b\n"));
    assert_string_equal(json_at(a, node_of(&done), "image"), "\"two\"");
    done = convert(a, JOB(HEAD("MPIJob"), "")); /* none is called mpi: the first */
    assert_string_equal(json_at(a, node_of(&done), "image"), "\"one\"");
    done = convert(a, JOB(HEAD2, ""));
    assert_string_equal(json_at(a, node_of(&done), "image"), "\"one\"");
    refuse(a, JOB(HEAD("MPIJob"), "  mainContainer: c\n"),
           "spec.mpiReplicaSpecs.Launcher.template.spec.containers", "named c");
    refuse(a, JOB(HEAD("MPIJob"), "  mainContainer: 5\n"), "spec.mainContainer", "must be a text");
}

static void test_host_network(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define HOST(more)                                                                                 \
    "replicas: 1, template: {spec: {hostNetwork: true" more                                        \
    ", containers: [{name: mpi, image: x}]}}"
    struct ty_convert_result done = convert(a, V2("", HOST("")));
    assert_string_equal(json_at(a, rjob_pod(&done, "node"), "dnsPolicy"),
                        "\"ClusterFirstWithHostNet\"");
    assert_string_equal(json_at(a, rjob_pod(&done, "launcher"), "dnsPolicy"), "null");
    done = convert(a, V2("", HOST(", dnsPolicy: Default")));
    assert_string_equal(json_at(a, rjob_pod(&done, "node"), "dnsPolicy"), "\"Default\"");
    done = convert(a, V1("", HOST("")));
    assert_string_equal(json_at(a, rjob_pod(&done, "node"), "dnsPolicy"), "null");
}

static void test_words(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, V2("  mpiImplementation: ''\n  sshAuthMountPath: ''\n", WORKERS));
    assert_string_equal(json_at(a, done.runtime, POLICY ".mpiImplementation"), "\"OpenMPI\"");
    assert_string_equal(json_at(a, done.runtime, POLICY ".sshAuthMountPath"), "\"/root/.ssh\"");
    done = convert(a, V2("  mpiImplementation: Intel\n", WORKERS));
    assert_string_equal(json_at(a, done.runtime, POLICY ".mpiImplementation"), "\"IntelMPI\"");
    assert_true(warned(&done, "spec.mpiImplementation"));
    done = convert(a, V2("  launcherCreationPolicy: AtStartup\n", WORKERS));
    assert_true(warned(&done, "spec.launcherCreationPolicy"));
    refuse(a, V2("  mpiImplementation: LAM\n", WORKERS), "spec.mpiImplementation",
           "must be OpenMPI, Intel or MPICH");
    refuse(a, V2("  launcherCreationPolicy: Later\n", WORKERS), "spec.launcherCreationPolicy",
           "must be AtStartup or WaitForWorkersReady");
    refuse(a, V2("  sshAuthMountPath: 5\n", WORKERS), "spec.sshAuthMountPath", "must be a text");
    done = convert(a, V1("  sshAuthMountPath: /x\n", WORKERS)); /* v1 has no such field */
    assert_true(warned(&done, "spec.sshAuthMountPath"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_roles_needed),
        cmocka_unit_test(test_launcher_that_works),
        cmocka_unit_test(test_sshd),
        cmocka_unit_test(test_main_container),
        cmocka_unit_test(test_host_network),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
