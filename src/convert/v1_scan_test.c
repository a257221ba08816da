#include "convert/convert_testing.h"

#define ARG "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].args[0]"

/* How often a text is warned about. */
static size_t count_warnings(const char *text, const char *ports, const char *words)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, ty_arena_printf(a,
                                   HEAD("PyTorchJob") "  pytorchReplicaSpecs: {Worker: {template: "
                                                      "{spec: {containers: [{name: pytorch, image: "
                                                      "x, %s args: [\"%s\"]}]}}}}\n",
                                   ports, text));
    size_t n = 0;
    for (const struct ty_convert_note *w = done.warnings; w; w = w->next)
        n += strcmp(w->path, ARG) == 0 && strstr(w->text, words);
    return n;
}

static void test_hosts(void **state TY_UNUSED)
{
    assert_int_equal(count_warnings("j-worker-0", "", "j-node-0-<index>.j"), 1);
    assert_int_equal(count_warnings("tcp://j-master-0:1,j-worker-1:1", "", "V1 host name"), 1);
    assert_int_equal(count_warnings("J=j-worker-12.team.svc", "", "V1 host name"), 1);
    assert_int_equal(count_warnings("obj-worker-0", "", "V1 host name"), 0); /* another job's */
    assert_int_equal(count_warnings("a-j-worker-0", "", "V1 host name"), 0);
    assert_int_equal(count_warnings("j-ps-0", "", "V1 host name"), 0); /* no role of a PyTorchJob */
    assert_int_equal(count_warnings("j-worker", "", "V1 host name"), 0);
}

static void test_ports(void **state TY_UNUSED)
{
    static const char own[] = "ports: [{name: pytorchjob-port, containerPort: 4321}],";
    assert_int_equal(count_warnings("--port=23456", "", "V1's port 23456: rank 0 listens on 29500"),
                     1);
    assert_int_equal(count_warnings("234567 123456", "", "V1's port"), 0);
    assert_int_equal(count_warnings("--port=23456", own, "V1's port"), 0);
    assert_int_equal(count_warnings("host:4321", own, "V1's port 4321"), 1);
    assert_int_equal(count_warnings("4321", own, "V1's port 4321"), 1);
    assert_int_equal(count_warnings("--steps 4321", own, "V1's port"),
                     0); /* a number like others */
    assert_int_equal(count_warnings("host:43210", own, "V1's port"), 0);
}

static void test_labels(void **state TY_UNUSED)
{
    assert_int_equal(count_warnings("-l training.kubeflow.org/job-name=j", "", "jobset-name"), 1);
    assert_int_equal(
        count_warnings("training.kubeflow.org/replica-index", "", "job-completion-index"), 1);
    assert_int_equal(count_warnings("training.kubeflow.org/other", "", "no pod has the label"), 0);
}

static void test_keys_are_scanned(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, HEAD("JAXJob") "  jaxReplicaSpecs: {Worker: {template: {metadata: {labels: "
                          "{training.kubeflow.org/job-name: j}}, spec: {topologySpreadConstraints: "
                          "[{maxSkew: 1, topologyKey: k, whenUnsatisfiable: DoNotSchedule, "
                          "labelSelector: {matchLabels: {training.kubeflow.org/job-name: j}}}], "
                          "containers: [{name: jax, image: x}]}}}}\n");
    assert_true(warned(&done, "spec.jaxReplicaSpecs.Worker.template.spec.topologySpreadConstraints"
                              "[0].labelSelector.matchLabels.training.kubeflow.org/job-name"));
    /* A label that the template itself sets is there. */
    assert_int_equal(done.warnings->next == NULL, true);
}

static void test_mpi(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a,
        HEAD2 "  mpiReplicaSpecs:\n    Launcher: {template: {spec: {containers: [{name: c, image: "
              "x, args: [/etc/mpi/discover_hosts.sh, --mca plm_rsh_agent /etc/mpi/kubexec.sh, "
              "j-worker-0, j-launcher]}]}}}\n"
              "    Worker: {replicas: 1, template: " POD("c") "}\n");
#define LAUNCHER "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].args"
    assert_has(warning(&done, LAUNCHER "[0]"), "elastic Horovod");
    assert_has(warning(&done, LAUNCHER "[1]"), "no kubexec.sh");
    assert_has(warning(&done, LAUNCHER "[2]"), "j-node-0-<index>.j");
    assert_false(warned(&done, LAUNCHER "[3]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),  cmocka_unit_test(test_ports),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_keys_are_scanned),
        cmocka_unit_test(test_mpi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
