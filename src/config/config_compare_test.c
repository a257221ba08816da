#include "config/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"

static void read(struct ty_arena *a, const char *text, struct ty_config *ret)
{
    struct ty_err err = { 0 };
    ty_config_parse(a, "c", ty_str(text), NULL, ret, &err);
    assert_string_equal(err.text, "");
}

static void test_changes(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_config was, now;
    struct ty_config_change c;
    read(a, HEAD, &was);
    read(a, HEAD, &now);
    ty_config_compare(a, &was, &now, &c);
    assert_int_equal(c.live.n + c.restart.n, 0);
    read(a,
         HEAD "webhook: {port: 1, host: h}\nleaderElection: {leaseDuration: 12.5s}\n"
              "featureGates: {AllAlpha: true}\nclientConnection: {qps: 2.5}\n"
              "tls: {nextProtos: [h2, x]}\nruntimeProtection: finalizer\n"
              "controller: {groupKindConcurrency: {a: 2}}\n",
         &now);
    ty_config_compare(a, &was, &now, &c);
    static const char *const live[] = { "controller.groupKindConcurrency: {} -> {a: 2}",
                                        "runtimeProtection: snapshot -> finalizer" };
    static const char *const restart[] = {
        "webhook.port: 9443 -> 1",
        "webhook.host: \"\" -> \"h\"",
        "leaderElection.leaseDuration: 15s -> 12.5s",
        "clientConnection.qps: 0 -> 2.5",
        "featureGates.TrainJobStatus: false -> true",
        "tls.nextProtos: [] -> [h2, x]",
    };
    assert_int_equal(c.live.n, 2);
    assert_int_equal(c.restart.n, 6);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(c.live.v[i], live[i]);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(c.restart.v[i], restart[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_changes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
