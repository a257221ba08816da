#include "control/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
            "c.yaml:3:17: webhook.port: Invalid value: 0: webhook.port in body should be greater "
            "than or equal to 1");
    refused(
        HEAD "featureGates: {TrainJobStats: true}\n", NULL,
        "c.yaml:3:31: unknown feature gate \"TrainJobStats\" (did you mean \"TrainJobStatus\"?)");
    refused("apiVersion: v1\nkind: Configuration\n", NULL,
            "c.yaml:1: v1 Configuration is not config.trainer.kubeflow.org/v1alpha1 Configuration");
    refused("# empty\n", NULL, "c.yaml: one document was expected, not 0");
    refused(HEAD, "TrainJobStatus",
            "--feature-gates: \"TrainJobStatus\" is not NAME=true or NAME=false");
    refused(HEAD, "Nonsense=true", "--feature-gates: unknown feature gate \"Nonsense\"");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_whole_file),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
