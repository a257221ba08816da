#include "convert/convert_testing.h"

#define JAX(pod) HEAD("JAXJob") "  jaxReplicaSpecs: {Worker: {replicas: 2, template: " pod "}}\n"
#define AT       "spec.jaxReplicaSpecs.Worker.template"

static void test_templates_that_are_none(void **state TY_UNUSED)
{
    static const struct {
        const char *pod, *path, *words;
    } rows[] = {
        { "~", AT, "a pod template is needed" },
        { "[1]", AT, "a pod template is needed" },
        { "7", AT, "a pod template is needed" },
        { "{}", AT ".spec.containers", "there is no container" },
        { "{spec: ~}", AT ".spec.containers", "there is no container" },
        { "{spec: {containers: []}}", AT ".spec.containers", "there is no container" },
        { "{spec: []}", AT ".spec", "must be of type object" },
        { "{spec: {containers: {a: b}}}", AT ".spec.containers", "must be of type array" },
        { "{spec: {containers: [7]}}", AT ".spec.containers[0]", "must be of type object" },
        { "{spec: {containers: [{image: x}]}}", AT ".spec.containers[0].name",
          "a value is required" },
        { "{spec: {containers: [{name: jax}]}}", AT ".spec.containers[0].image",
          "an image is needed" },
        { "{spec: {containers: [{name: jax, image: 5}]}}", AT ".spec.containers[0].image",
          "must be of type string" },
        { "{spec: {containers: [{name: jax, image: x}, {name: jax, image: x}]}}",
          AT ".spec.containers[1]", "is given twice" },
        { "{spec: {containers: [{name: other, image: x}]}}", AT ".spec.containers",
          "a JAXJob trains in the container named jax" },
        { "{spec: {containers: [{name: jax, image: x}, {name: node, image: x}]}}",
          AT ".spec.containers[1].name", "rename this one" },
        { "{spec: {hostNetwork: 'yes', containers: [{name: jax, image: x}]}}",
          AT ".spec.hostNetwork", "must be of type boolean" },
        { "{spec: {terminationGracePeriodSeconds: 1e30, containers: [{name: jax, image: x}]}}",
          AT ".spec.terminationGracePeriodSeconds", "must be of type" },
        { "{metadata: {labels: {a: 1}}, spec: {containers: [{name: jax, image: x}]}}",
          AT ".metadata.labels.a", "must be of type string" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        char *text = ty_arena_printf(a, JAX("%s"), rows[i].pod);
        refuse(a, text, rows[i].path, rows[i].words);
    }
}

static void test_unknown_fields_are_told(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, JAX("{colour: red, metadata: {name: me, mood: good}, spec: {tolerationz: [], "
               "containers: [{name: jax, image: x, ports: [{containerPort: 1, sea: 2}]}]}}"));
    assert_true(warned(&done, AT ".colour"));
    assert_true(warned(&done, AT ".metadata.mood"));
    assert_has(warning(&done, AT ".spec.tolerationz"), "tolerations");
    assert_true(warned(&done, AT ".spec.containers[0].ports[0].sea"));
    assert_string_equal(warning(&done, AT ".metadata.name"),
                        "not carried over: JobSet gives pods their names");
}

static void test_nulls_are_absent(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, JAX("{metadata: {creationTimestamp: ~}, spec: {volumes: ~, hostNetwork: ~, "
                       "initContainers: ~, "
                       "containers: [{name: jax, image: x, env: ~, ports: ~, command: ~}]}}"));
    assert_null(done.warnings);
    assert_string_equal(json_at(a, done.job, "spec.trainer.command"), "null");
}

/* A patch mounts each volume once: more than that needs a runtime. */
static void test_volume_mounted_twice(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define MOUNTS(second)                                                                             \
    JAX("{spec: {volumes: [{name: v, emptyDir: {}}, {name: w, emptyDir: {}}], containers: "        \
        "[{name: "                                                                                 \
        "jax, image: x, volumeMounts: [{name: v, mountPath: /a}, {name: " second                   \
        ", mountPath: /b}]}]}}")
    struct ty_convert_result done = convert(a, MOUNTS("w"));
    const struct ty_json *main =
        ty_json_item(ty_json_get(rjob_pod(&done, "node"), "containers"), 0);
    assert_null(ty_json_get(main, "volumeMounts"));
    done = convert(a, MOUNTS("v"));
    main = ty_json_item(ty_json_get(rjob_pod(&done, "node"), "containers"), 0);
    assert_int_equal(ty_json_len(ty_json_get(main, "volumeMounts")), 2);
}

static void test_service_account(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define ACCOUNT(fields) JAX("{spec: {" fields ", containers: [{name: jax, image: x}]}}")
    struct ty_convert_result done = convert(a, ACCOUNT("serviceAccount: a"));
    const struct ty_json *patch = ty_json_item(ty_json_at(done.job, "spec.runtimePatches"), 0);
    assert_has(ty_json_text(a, patch).p, "\"serviceAccountName\":\"a\"");
    done = convert(a, ACCOUNT("serviceAccount: a, serviceAccountName: a"));
    assert_null(done.warnings);
    done = convert(a, ACCOUNT("serviceAccount: a, serviceAccountName: b"));
    assert_true(warned(&done, AT ".spec.serviceAccount"));
}

static void test_references_follow_the_name(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a,
        JAX("{spec: {volumes: [{name: v, downwardAPI: {items: [{path: p, resourceFieldRef: "
            "{containerName: jax, resource: limits.cpu}}]}}], containers: [{name: jax, image: x, "
            "env: [{name: A, valueFrom: {resourceFieldRef: {containerName: jax, resource: "
            "limits.cpu}}}, {name: B, value: jax}]}]}}"));
    const char *text = ty_json_text(a, done.job).p;
    assert_null(strstr(text, "\"containerName\":\"jax\""));
    assert_has(text, "\"containerName\":\"node\"");
    assert_true(ty_str_is(trainer_env(&done, "B"), "jax"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_templates_that_are_none),
        cmocka_unit_test(test_unknown_fields_are_told),
        cmocka_unit_test(test_nulls_are_absent),
        cmocka_unit_test(test_volume_mounted_twice),
        cmocka_unit_test(test_service_account),
        cmocka_unit_test(test_references_follow_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
