/* Verdicts are compared with the recordings in tests/golden; here are HTTP and AdmissionReview. */
#include "serve/webhook_testing.h"

static void a_patch(void **state)
{
    struct fixture *f = *state;

    /* [{"op":"add","path":"/spec/runtimePatches/0/time","value":"2026-01-02T03:04:05Z"}] */
    assert_string_equal(
        answer(f, PATH("mutate", "trainjob"), CREATE, 200),
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
        "v1\",\"response\":{\"uid\":"
        "\"u-1\",\"allowed\":true,\"patch\":"
        "\"W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvcnVudGltZVBhdGNoZXMv"
        "MC90aW1lIiwidmFsdWUiOiIyMDI2LTAxLTAyVDAzOjA0OjA1WiJ9XQ==\",\"patchType\":\"JSONPatch\"}}");
}

/* Go's message names no field: a warning does. */
static void a_denial_with_a_hint(void **state)
{
    static const char body[] = REVIEW
        "{\"uid\":\"u-1\"," KIND ",\"operation\":\"CREATE\",\"object\":{\"apiVersion\":"
        "\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{\"name\":\"j\"},"
        "\"spec\":{\"runtimeRef\":{\"name\":\"rt\"},\"trainer\":{\"resourcesPerNode\":{\"limits\":{"
        "\"memory\":\"10GB\"}}}}}}}";
    const char *got = answer(*state, PATH("mutate", "trainjob"), body, 200);

    assert_has(got, "\"allowed\":false");
    assert_has(got, "\"message\":\"quantities must match the regular expression");
    assert_has(got, "\"warnings\":[\"spec.trainer.resourcesPerNode.limits.memory: \\\"10GB\\\": "
                    "use 10G or 10Gi\"]");
}

static void warnings_and_denials(void **state)
{
    struct fixture *f = *state;
    const char *got = answer(f, PATH("validate", "trainjob"), CREATE, 200);

    assert_has(got, "\"allowed\":true");
    assert_has(got, "\"warnings\":[\"Referenced ClusterTrainingRuntime \\\"rt\\\" is deprecated");
    f->runtime = NULL;
    got = answer(f, PATH("validate", "trainjob"), CREATE, 200);
    assert_has(
        got,
        "\"uid\":\"u-1\",\"allowed\":false,\"status\":{\"message\":\"spec.RuntimeRef: Invalid");
    assert_has(got, "\"reason\":\"Forbidden\",\"code\":403}");
}

static void what_is_none_of_ours(void **state)
{
    struct fixture *f = *state;
    static const char *const bodies[] = {
        REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"DELETE\",\"object\":null,\"oldObject\":" JOB
               "}}",
        REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CONNECT\"}}",
        REVIEW "{\"uid\":\"u\"," KIND
               ",\"operation\":\"UPDATE\",\"subResource\":\"status\",\"object\":{}}}",
    };

    f->runtime = NULL;
    for (size_t i = 0; i < 3; i++)
        assert_has(answer(f, PATH("validate", "trainjob"), bodies[i], 200),
                   "\"response\":{\"uid\":\"u\",\"allowed\":true}}");
}

static void those_who_do_not_speak_it(void **state)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        { "", "the body is not JSON: " },
        { "\x01\xff", "the body is not JSON: " },
        { "[]", "an AdmissionReview of admission.k8s.io/v1 was expected" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\"}",
          "an AdmissionReview of admission.k8s.io/v1 was expected" },
        { REVIEW "null}", "request: Required value" },
        { REVIEW "[]}", "request: Required value" },
        { REVIEW "{}}", "request.uid: Required value" },
        { REVIEW "{\"uid\":\"u\"}}",
          "request.kind: this webhook is for TrainJob.trainer.kubeflow.org" },
        { REVIEW "{\"uid\":\"u\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"}}}",
          "not Pod." },
        { REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CREATE\"}}",
          "request.object: a TrainJob was expected here" },
        { REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CREATE\",\"object\":{\"kind\":\"Pod\"}}}",
          "request.object: a TrainJob was expected here" },
        { REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"UPDATE\",\"object\":" JOB "}}",
          "request.oldObject: a TrainJob was expected here" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *got = answer(f, PATH("validate", "trainjob"), cases[i].body, 400);
        assert_has(got, cases[i].want);
        assert_has(got, "\"kind\":\"Status\"");
        assert_has(answer(f, PATH("mutate", "trainjob"), cases[i].body, 400), cases[i].want);
    }
    answer(f, "/validate", CREATE, 404);
    answer(f, PATH("mutate", "trainingruntime"), CREATE, 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_patch, setup, teardown),
        cmocka_unit_test_setup_teardown(a_denial_with_a_hint, setup, teardown),
        cmocka_unit_test_setup_teardown(warnings_and_denials, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_none_of_ours, setup, teardown),
        cmocka_unit_test_setup_teardown(those_who_do_not_speak_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
