#include "base/buf.h"
#include "config/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"

static void test_defaults(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    assert_int_equal(ty_config_read(a, NULL, NULL, &c, &err), 0);
    assert_false(c.settings.status_gate);
    assert_int_equal(c.settings.status_port, 10443);
    assert_int_equal(c.enabled.n + c.disabled.n, 0);
}

static void test_whole_file(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    static const char text[] =
        HEAD "webhook: {port: 9443, host: h}\n"
             "leaderElection: {leaderElect: true, leaseDuration: 15s}\n"
             "metrics: {bindAddress: ':8443', secureServing: true}\n"
             "controller: {groupKindConcurrency: {TrainJob.x: 5}}\n"
             "certManagement: {webhookServiceName: svc, webhookSecretName: sec}\n"
             "clientConnection: {qps: 50.5, burst: 100}\n"
             "statusServer: {port: 1234, qps: 5, burst: 10}\n"
             "featureGates: {TrainJobStatus: true}\n"
             "tls: {minVersion: '1.2', nextProtos: [h2]}\n"
             "plugins: {enabledPlugins: [Torch, JobSet], disabledPlugins: [MPI]}\n";
    int r = ty_config_parse(a, "c.yaml", ty_str(text), NULL, &c, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(r, 0);
    assert_true(c.settings.status_gate);
    assert_int_equal(c.settings.status_port, 1234);
    assert_string_equal(c.settings.webhook_service, "svc");
    assert_string_equal(c.settings.webhook_secret, "sec");
    assert_int_equal(c.enabled.n, 2);
    assert_string_equal(c.enabled.v[1], "JobSet");
    assert_string_equal(c.disabled.v[0], "MPI");
    /* the command line wins */
    assert_int_equal(ty_config_parse(a, "c.yaml", ty_str(text), "TrainJobStatus=false", &c, &err),
                     0);
    assert_false(c.settings.status_gate);
}

static void refused(const char *text, const char *gates, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c = { .settings.status_port = 42 };
    struct ty_err err = { 0 };
    assert_true(ty_config_parse(a, "c.yaml", ty_str(text), gates, &c, &err) < 0);
    assert_string_equal(err.text, want);
    assert_int_equal(c.settings.status_port, 42);
}

static void test_refusals(void **state)
{
    (void)state;
    refused(HEAD "statusServer:\n  prot: 1\n", NULL,
            "c.yaml:4:9: statusServer.prot: unknown field (did you mean statusServer.port?)");
    refused(HEAD "webhook: {port: 0}\n", NULL,
            "c.yaml:3:17: invalid configuration: webhook.port: Invalid value: 0: must be between 1 "
            "and 65535");
    refused(
        HEAD "featureGates: {TrainJobStats: true}\n", NULL,
        "c.yaml:3:31: unknown feature gate \"TrainJobStats\" (did you mean \"TrainJobStatus\"?)");
    refused("apiVersion: v1\nkind: Configuration\n", NULL,
            "c.yaml:1: apiVersion v1, kind Configuration: config.trainer.kubeflow.org/v1alpha1, "
            "Configuration was expected");
    refused("kind: 3\n", NULL,
            "c.yaml:1: apiVersion (none), kind (none): config.trainer.kubeflow.org/v1alpha1, "
            "Configuration was expected");
    refused("# empty\n", NULL, "c.yaml: one document was expected, not 0");
    refused(HEAD, "TrainJobStatus",
            "--feature-gates: \"TrainJobStatus\" is not NAME=true or NAME=false");
    refused(HEAD, "Nonsense=true", "--feature-gates: unknown feature gate \"Nonsense\"");
}

/* Unknown fields, wrong types, durations, gates and ranges are reported together. */
static void test_all_at_once(void **state)
{
    (void)state;
    refused(HEAD "webhook: {port: x, prot: 1}\n"
                 "leaderElection: {leaderElect: true, leaseDuration: 5, renewDeadline: soon}\n"
                 "featureGates: {Nope: true}\nstatusServer: {port: 0}\n"
                 "controller: {groupKindConcurrency: {a: b}}\nplugins: {enabledPlugins: [3]}\n",
            NULL,
            "c.yaml:3:17: webhook.port: Invalid value: \"string\": must be of type integer: "
            "\"string\" (write a number)\n"
            "c.yaml:4:52: leaderElection.leaseDuration: Invalid value: \"integer\": must be of "
            "type string: \"integer\" (did you mean \"5s\"?)\n"
            "c.yaml:7:40: controller.groupKindConcurrency.a: Invalid value: \"string\": must be "
            "of type integer: \"string\" (write a number)\n"
            "c.yaml:8:28: plugins.enabledPlugins[0]: Invalid value: \"integer\": must be of type "
            "string: \"integer\" (write \"3\" in quotes)\n"
            "c.yaml:3:26: webhook.prot: unknown field (did you mean webhook.port?)\n"
            "c.yaml:4:70: leaderElection.renewDeadline: Invalid value: \"soon\": a duration such "
            "as 15s or 1m30s was expected\n"
            "c.yaml:5:22: unknown feature gate \"Nope\"\n"
            "c.yaml:6:22: invalid configuration: statusServer.port: Invalid value: 0: must be "
            "between 1 and 65535");
}

static void test_durations_without_unit(void **state)
{
    (void)state;
    refused(
        HEAD "leaderElection: {retryPeriod: '2'}\n", NULL,
        "c.yaml:3:31: leaderElection.retryPeriod: Invalid value: \"2\": a duration needs a unit "
        "(did you mean \"2s\"?)");
    /* compared with the others as seconds: no second error */
    refused(
        HEAD "leaderElection: {leaderElect: true, leaseDuration: 60, renewDeadline: 30s}\n", NULL,
        "c.yaml:3:52: leaderElection.leaseDuration: Invalid value: \"integer\": must be of type "
        "string: \"integer\" (did you mean \"60s\"?)");
    refused(
        HEAD "leaderElection: {leaseDuration: -5}\n", NULL,
        "c.yaml:3:33: leaderElection.leaseDuration: Invalid value: \"integer\": must be of type "
        "string: \"integer\" (write \"-5\" in quotes)");
}

/* More errors than fit: whole lines, and how many are omitted. */
static void test_many_mistakes(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    ty_auto_buf text = { 0 };
    struct ty_config c;
    struct ty_err err = { 0 };
    int left = 0, lines = 0;

    ty_buf_cstr(&text, HEAD "featureGates:\n");
    for (int i = 0; i < 100; i++)
        ty_buf_printf(&text, "  Nope%d: true\n", i);
    assert_true(ty_config_parse(a, "c.yaml", ty_buf_str(&text), NULL, &c, &err) < 0);
    const char *last = strrchr(err.text, '\n');
    assert_non_null(last);
    assert_int_equal(sscanf(last, "\nand %d more", &left), 1);
    for (const char *p = err.text; (p = strchr(p, '\n')); p++)
        lines++;
    assert_int_equal(lines + left, 100);
}

static void test_missing_file(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    assert_true(ty_config_read(a, "/nonexistent.yaml", NULL, &c, &err) < 0);
    assert_string_equal(err.text, "/nonexistent.yaml: cannot open: No such file or directory");
}

/* The file that v2.3.0 ships. */
static const char shipped[] =
    HEAD "webhook:\n  port: 9443\n"
         "metrics:\n  bindAddress: ':8443'\n  secureServing: true\n"
         "health:\n  healthProbeBindAddress: ':8081'\n  readinessEndpointName: readyz\n"
         "  livenessEndpointName: healthz\n"
         "leaderElection:\n  leaderElect: true\n  resourceName: trainer.kubeflow.org\n"
         "  resourceNamespace: ''\n  leaseDuration: 15s\n  renewDeadline: 10s\n"
         "  retryPeriod: 2s\n"
         "controller:\n  groupKindConcurrency:\n    TrainJob.trainer.kubeflow.org: 5\n"
         "    TrainingRuntime.trainer.kubeflow.org: 1\n"
         "certManagement:\n  enable: true\n"
         "  webhookServiceName: kubeflow-trainer-controller-manager\n"
         "  webhookSecretName: kubeflow-trainer-webhook-cert\n";

static void test_shipped(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c, none;
    struct ty_config_change change;
    struct ty_err err = { 0 };
    assert_int_equal(ty_config_parse(a, "c.yaml", ty_str(shipped), NULL, &c, &err), 0);
    assert_true(c.elect);
    assert_int_equal(c.lease_ms, 15000);
    assert_int_equal(c.renew_ms, 10000);
    assert_int_equal(c.retry_ms, 2000);
    assert_null(c.lease_ns);
    assert_int_equal(ty_config_workers(&c, "TrainJob.trainer.kubeflow.org"), 5);
    assert_int_equal(ty_config_workers(&c, "Other"), 0);
    assert_true(c.certs);
    /* except for these two it equals the defaults */
    assert_int_equal(ty_config_parse(a, NULL, ty_str(""), NULL, &none, &err), 0);
    ty_config_compare(a, &none, &c, &change);
    assert_int_equal(change.live.n, 1);
    assert_string_equal(change.live.v[0],
                        "controller.groupKindConcurrency: {} -> {TrainJob.trainer.kubeflow.org: 5, "
                        "TrainingRuntime.trainer.kubeflow.org: 1}");
    assert_int_equal(change.restart.n, 1);
    assert_string_equal(change.restart.v[0], "leaderElection.leaderElect: false -> true");
}

static void test_all_defaults(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    assert_int_equal(ty_config_parse(a, "c.yaml", ty_str(HEAD), NULL, &c, &err), 0);
    assert_int_equal(c.webhook_port, 9443);
    assert_null(c.webhook_host);
    assert_null(c.cert_dir);
    assert_true(c.certs);
    assert_false(c.elect);
    assert_string_equal(c.lease_name, "trainer.kubeflow.org");
    assert_string_equal(c.metrics_address, ":8443");
    assert_true(c.metrics_secure);
    assert_false(c.metrics_auth);
    assert_string_equal(c.health_address, ":8081");
    assert_string_equal(c.readiness, "readyz");
    assert_string_equal(c.liveness, "healthz");
    assert_int_equal(c.n_workers, 0);
    assert_true(c.client_qps == 0);
    assert_int_equal(c.client_burst, 100);
    assert_true(c.status_qps == 5);
    assert_int_equal(c.status_burst, 10);
    assert_null(c.tls_min);
    assert_int_equal(c.ciphers.n + c.protos.n, 0);
    assert_false(c.finalizer);
    assert_string_equal(c.settings.webhook_secret, "kubeflow-trainer-webhook-cert");
}

static void test_values(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    static const char text[] = HEAD
        "webhook: {port: 1, host: 127.0.0.1, certDir: /certs}\n"
        "leaderElection: {leaderElect: true, leaseDuration: 1m30s, renewDeadline: 1m,\n"
        "  retryPeriod: 1.5s, resourceName: x, resourceNamespace: team, resourceLock: leases}\n"
        "metrics: {bindAddress: '0', secureServing: false, auth: {enabled: true}}\n"
        "health: {healthProbeBindAddress: '', readinessEndpointName: r}\n"
        "clientConnection: {qps: 0.5, burst: 0}\n"
        "statusServer: {port: 65535, qps: 1e1, burst: 7}\n"
        "tls: {minVersion: '1.3', cipherSuites: [A, B], nextProtos: [h2, http/1.1]}\n"
        "runtimeProtection: finalizer\n";
    int r = ty_config_parse(a, "c.yaml", ty_str(text), NULL, &c, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(r, 0);
    assert_int_equal(c.webhook_port, 1);
    assert_string_equal(c.webhook_host, "127.0.0.1");
    assert_string_equal(c.cert_dir, "/certs");
    assert_false(c.certs); /* certManagement.enable is not set */
    assert_int_equal(c.lease_ms, 90000);
    assert_int_equal(c.retry_ms, 1500);
    assert_string_equal(c.lease_name, "x");
    assert_string_equal(c.lease_ns, "team");
    assert_string_equal(c.metrics_address, "0");
    assert_false(c.metrics_secure);
    assert_true(c.metrics_auth);
    assert_string_equal(c.health_address, ":8081");
    assert_string_equal(c.readiness, "r");
    assert_true(c.client_qps == 0.5);
    assert_int_equal(c.client_burst, 0);
    assert_true(c.status_qps == 10);
    assert_string_equal(c.tls_min, "1.3");
    assert_string_equal(c.ciphers.v[1], "B");
    assert_string_equal(c.protos.v[0], "h2");
    assert_true(c.finalizer);
}

static void test_namespace(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    char file[] = "/tmp/trainyard-test-XXXXXX";
    int fd = mkstemp(file);
    assert_int_equal(write(fd, "team-a\n", 7), 7);
    assert_string_equal(ty_config_namespace(a, file), "team-a");
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_string_equal(ty_config_namespace(a, file), "kubeflow-system");
    close(fd);
    unlink(file);
    assert_string_equal(ty_config_namespace(a, file), "kubeflow-system");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),      cmocka_unit_test(test_whole_file),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_many_mistakes), cmocka_unit_test(test_durations_without_unit),
        cmocka_unit_test(test_missing_file),  cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_all_defaults),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
