#include "config/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"

static void refused(const char *text, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    assert_true(ty_config_parse(a, "c", ty_str(text), NULL, &c, &err) < 0);
    assert_string_equal(err.text, want);
}

static void taken(const char *text)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config c;
    struct ty_err err = { 0 };
    ty_config_parse(a, "c", ty_str(text), NULL, &c, &err);
    assert_string_equal(err.text, "");
}

static void test_upstream(void **state)
{
    (void)state;
    refused(HEAD "webhook: {port: 99999}\n",
            "c:3:17: invalid configuration: webhook.port: Invalid value: 99999: must be between 1 "
            "and 65535");
    refused(HEAD "clientConnection: {qps: -10}\n",
            "c:3:25: invalid configuration: clientConnection.qps: Invalid value: -10: must be "
            "greater than or equal to 0");
    refused(HEAD "controller: {groupKindConcurrency: {TrainJob.trainer.kubeflow.org: 0}}\n",
            "c:3:68: invalid configuration: "
            "controller.groupKindConcurrency[TrainJob.trainer.kubeflow.org]: Invalid value: 0: "
            "must be greater than 0");
    /* all of them, in v2.3.0's order, not the file's */
    refused(HEAD "statusServer: {burst: -3, qps: -0.5, port: 0}\n"
                 "controller: {groupKindConcurrency: {b: -1, a: 0}}\n"
                 "clientConnection: {burst: -2, qps: -1}\nwebhook: {port: 0}\n",
            "c:6:17: invalid configuration: "
            "webhook.port: Invalid value: 0: must be between 1 and 65535\n"
            "c:5:36: invalid configuration: "
            "clientConnection.qps: Invalid value: -1: must be greater than or equal to 0\n"
            "c:5:27: invalid configuration: "
            "clientConnection.burst: Invalid value: -2: must be greater than or equal to 0\n"
            "c:4:40: invalid configuration: "
            "controller.groupKindConcurrency[b]: Invalid value: -1: must be greater than 0\n"
            "c:4:47: invalid configuration: "
            "controller.groupKindConcurrency[a]: Invalid value: 0: must be greater than 0\n"
            "c:3:44: invalid configuration: "
            "statusServer.port: Invalid value: 0: must be between 1 and 65535\n"
            "c:3:32: invalid configuration: "
            "statusServer.qps: Invalid value: -0.5: must be greater than or equal to 0\n"
            "c:3:23: invalid configuration: "
            "statusServer.burst: Invalid value: -3: must be greater than or equal to 0");
    taken(HEAD "webhook: {port: 1}\nstatusServer: {port: 65535, qps: 0, burst: 0}\n"
               "clientConnection: {qps: 0, burst: 0}\n");
    taken(HEAD "metrics: {secureServing: false, auth: {enabled: true}}\n");
    taken(HEAD "tls: {minVersion: '9.9', cipherSuites: [nonsense]}\n"); /* only a warning */
}

static void test_election(void **state)
{
    (void)state;
    refused(HEAD "leaderElection: {leaderElect: true, leaseDuration: 15}\n",
            "c:3:52: leaderElection.leaseDuration: Invalid value: \"integer\": "
            "must be of type string: \"integer\" (did you mean \"15s\"?)");
    refused(HEAD "leaderElection: {leaderElect: true, leaseDuration: 15sec}\n",
            "c:3:52: leaderElection.leaseDuration: Invalid value: \"15sec\": a duration such as "
            "15s or 1m30s was expected");
    refused(HEAD "leaderElection: {leaderElect: true, retryPeriod: -2s}\n",
            "c:3:50: leaderElection.retryPeriod: Invalid value: \"-2s\": a duration such as 15s "
            "or 1m30s was expected");
    refused(HEAD "leaderElection: {leaderElect: true, leaseDuration: 10s}\n",
            "c:3:52: invalid configuration: leaderElection.leaseDuration: Invalid value: 10s: "
            "leaseDuration must be greater than renewDeadline");
    refused(HEAD "leaderElection: {leaderElect: true, renewDeadline: 2.4s}\n",
            "c:3:52: invalid configuration: leaderElection.renewDeadline: Invalid value: 2.4s: "
            "renewDeadline must be greater than retryPeriod*JitterFactor (1.2)");
    refused(HEAD "leaderElection: {leaderElect: true, resourceLock: endpoints}\n",
            "c:3:51: invalid configuration: leaderElection.resourceLock: Invalid value: "
            "\"endpoints\": must be leases");
    taken(HEAD "leaderElection: {leaderElect: true}\n"); /* v2.3.0 accepts 0 s, and cannot start */
    taken(HEAD "leaderElection: {leaderElect: true, leaseDuration: 0s}\n");
    taken(HEAD "leaderElection: {leaderElect: false, leaseDuration: 1s}\n");
}

static void test_addresses(void **state)
{
    (void)state;
    refused(HEAD "metrics: {bindAddress: foo}\nhealth: {healthProbeBindAddress: '::1:80'}\n",
            "c:3:24: invalid configuration: metrics.bindAddress: Invalid value: \"foo\": must be "
            "HOST:PORT or :PORT, or \"0\" for none\n"
            "c:4:34: invalid configuration: health.healthProbeBindAddress: Invalid value: "
            "\"::1:80\": write an IPv6 address in brackets, as in [::1]:8080");
    taken(HEAD "metrics: {bindAddress: '0'}\nhealth: {healthProbeBindAddress: '[::1]:8081'}\n");
}

static void test_ours(void **state)
{
    (void)state;
    refused(HEAD "runtimeProtection: prayer\n",
            "c:3:20: invalid configuration: runtimeProtection: Invalid value: \"prayer\": must be "
            "snapshot or finalizer");
    refused(HEAD "webhook: {certDir: /c}\ncertManagement: {enable: true}\n",
            "c:3:20: invalid configuration: webhook.certDir: Invalid value: /c: cannot be used "
            "while certManagement.enable is true: the certificates are either yours or the "
            "operator's");
    taken(HEAD "webhook: {certDir: /c}\ncertManagement: {enable: false}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upstream),
        cmocka_unit_test(test_election),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
