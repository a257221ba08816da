#include "trainer/plugins/fixture.h"

#define TWO_CONTAINERS                                                                             \
    RUNTIME_JOBS(                                                                                  \
        "{'torch':{}}",                                                                            \
        "{'name':'node','template':{'metadata':{'labels':{'trainer.kubeflow.org/trainjob-"         \
        "ancestor-step':'trainer'}},'spec':{'template':{'spec':{'containers':[{'name':"            \
        "'node','image':'i'},{'name':'side','image':'s'}]}}}}}")
#define PATH "trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/j/status"

/* ctx is the webhook's Secret. */
static const struct ty_json *webhook_secret(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                            struct ty_str name)
{
    bool it = kind == &ty_kind_secret && ty_str_is(ns, "kubeflow-system") &&
              ty_str_is(name, "kubeflow-trainer-webhook-cert");
    return it ? ctx : NULL;
}

static int setup(void **state)
{
    fx_setup(state);
    struct fixture *f = *state;
    f->settings.status_gate = true;
    f->view = (struct ty_view){ .ctx = fx_json(f->arena, "{'data':{'ca.crt':'Q0EK'}}"),
                                .get = webhook_secret };
    return 0;
}
#define gate_test(fn) cmocka_unit_test_setup_teardown(fn, setup, fx_teardown)

static void test_injected_everywhere(void **state)
{
    struct fixture *f = *state;
    static const char want[] =
        "KUBEFLOW_TRAINER_SERVER_URL=https://kubeflow-trainer-controller-manager.kubeflow-system."
        "svc:10443/apis/" PATH
        ";KUBEFLOW_TRAINER_SERVER_CA_CERT=/var/run/secrets/kubeflow/trainer/ca.crt;"
        "KUBEFLOW_TRAINER_SERVER_TOKEN=/var/run/secrets/kubeflow/trainer/token";
    static const char mount[] = "[{'name':'kubeflow-trainer-token','mountPath':"
                                "'/var/run/secrets/kubeflow/trainer','readOnly':true}]";

    fx_run(f, TWO_CONTAINERS, JOB_OF("rt", ""));
    assert_string_equal(fx_env(f, "node", "side"), want);
    assert_has(fx_env(f, "node", "node"), want);
    assert_has(fx_env(f, "node", "node"), "PET_MASTER_PORT=29500;KUBEFLOW_");
    assert_string_equal(fx_member(f, "node", "side", "volumeMounts"), mount);
    assert_string_equal(fx_member(f, "node", "node", "volumeMounts"), mount);
    assert_string_equal(fx_text(f, ty_json_get(f->plan.trainer->pod, "volumes")),
                        "[{'name':'kubeflow-trainer-token','projected':{'sources':[{"
                        "'serviceAccountToken':{'audience':'" PATH
                        "','expirationSeconds':3600,'path':'token'}},{'configMap':{'name':"
                        "'j-tls-config','items':[{'key':'ca.crt','path':'ca.crt'}]}}]}}]");
}

static void test_ca(void **state)
{
    struct fixture *f = *state;

    fx_run(f, TWO_CONTAINERS, JOB(""));
    assert_string_equal(
        fx_text(f, ty_json_get(fx_child(f, &ty_kind_configmap, "j-tls-config"), "data")),
        "{'ca.crt':'CA\\n'}");
}

static void test_secret_missing(void **state)
{
    struct fixture *f = *state;

    f->view.get = fx_nothing;
    assert_true(fx_try(f, TWO_CONTAINERS, JOB("")) < 0);
    assert_has(f->err.text, "failed to look up status server tls secret: ");
    f->view = (struct ty_view){ .ctx = fx_json(f->arena, "{'data':{'tls.crt':'Q0EK'}}"),
                                .get = webhook_secret };
    assert_true(fx_try(f, TWO_CONTAINERS, JOB("")) < 0);
    assert_string_equal(f->err.text, "failed to find status server ca.crt in tls secret");
}

static void test_port_missing(void **state)
{
    struct fixture *f = *state;

    f->settings.status_port = 0;
    assert_true(fx_try(f, TWO_CONTAINERS, JOB("")) < 0);
    assert_string_equal(f->err.text, "missing status server port");
}

static void test_gate_off(void **state)
{
    struct fixture *f = *state;

    f->settings.status_gate = false;
    fx_run(f, TWO_CONTAINERS, JOB(""));
    assert_string_equal(fx_env(f, "node", "side"), "");
    assert_null(fx_child(f, &ty_kind_configmap, "j-tls-config"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gate_test(test_injected_everywhere),
        gate_test(test_ca),
        gate_test(test_secret_missing),
        gate_test(test_port_missing),
        gate_test(test_gate_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
