#include "convert/convert_testing.h"

#define JAX(meta, run)                                                                             \
    "apiVersion: kubeflow.org/v1\nkind: JAXJob\nmetadata: " meta "\nspec:\n  runPolicy: " run      \
    "\n  jaxReplicaSpecs: {Worker: {replicas: 3, restartPolicy: OnFailure, template: " POD(        \
        "jax") "}}\n"
#define NAMED     "{name: j}"
#define RUN(v)    JAX(NAMED, "{" v "}")
#define POLICY(v) RUN("schedulingPolicy: {" v "}")
#define AT        "spec.runPolicy"

static void test_refused(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *path, *words;
    } rows[] = {
        { JAX("~", "{}"), "metadata.name", "a name is needed" },
        { JAX("{generateName: j-}", "{}"), "metadata.name", "a name is needed" },
        { JAX("{name: 5}", "{}"), "metadata.name", "a name is needed" },
        { JAX("{name: Big}", "{}"), "metadata.name", "begins with a letter" },
        { JAX("{name: 9j}", "{}"), "metadata.name", "begins with a letter" },
        { JAX("{name: a.b}", "{}"), "metadata.name", "begins with a letter" },
        { JAX("{name: j, namespace: 7}", "{}"), "metadata.namespace", "must be a text" },
        { JAX("{name: j, namespace: A_B}", "{}"), "metadata.namespace", "no name of a namespace" },
        { JAX("{name: j, labels: [a]}", "{}"), "metadata.labels", "must be an object of texts" },
        { JAX("{name: j, labels: {a: 1}}", "{}"), "metadata.labels[a]", "must be a text" },
        { JAX(NAMED, "[1]"), AT, "must be an object" },
        { RUN("suspend: 'yes'"), AT ".suspend", "must be true or false" },
        { RUN("managedBy: me"), AT ".managedBy", "only the V1 operator itself" },
        { RUN("managedBy: 1"), AT ".managedBy", "must be a text" },
        { RUN("activeDeadlineSeconds: 0"), AT ".activeDeadlineSeconds", "must be a whole number" },
        { RUN("ttlSecondsAfterFinished: -1"), AT ".ttlSecondsAfterFinished", "from 0" },
        { RUN("cleanPodPolicy: Some"), AT ".cleanPodPolicy", "must be None, Running or All" },
        { POLICY("minAvailable: many"), AT ".schedulingPolicy.minAvailable", "whole number" },
        { POLICY("queue: 1"), AT ".schedulingPolicy.queue", "must be a text" },
        { RUN("schedulingPolicy: 3"), AT ".schedulingPolicy", "must be an object" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        refuse(a, rows[i].text, rows[i].path, rows[i].words);
    }
}

static void test_metadata(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, JAX("{name: j, namespace: n1, labels: {a: b}, uid: x, annotations: "
                       "{kubectl.kubernetes.io/last-applied-configuration: '{}'}, finalizers: [f]}",
                       "{ttlSecondsAfterFinished: 0}"));
    assert_string_equal(json_at(a, done.job, "metadata"),
                        "{\"name\":\"j\",\"namespace\":\"n1\",\"labels\":{\"a\":\"b\"}}");
    assert_string_equal(json_at(a, done.runtime, "metadata.namespace"), "\"n1\"");
    assert_true(warned(&done, "metadata.uid"));
    assert_true(warned(&done, "metadata.finalizers"));
    assert_true(
        warned(&done, "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]"));
}

static void test_run_policy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, RUN("suspend: true, managedBy: kubeflow.org/mpi-operator, "
                       "activeDeadlineSeconds: 9, cleanPodPolicy: Running"));
    assert_string_equal(json_at(a, done.job, "spec.suspend"), "true");
    assert_string_equal(json_at(a, done.job, "spec.managedBy"),
                        "\"trainer.kubeflow.org/trainjob-controller\"");
    assert_string_equal(json_at(a, done.job, "spec.activeDeadlineSeconds"), "9");
    assert_null(done.runtime); /* nothing of it needs one */
    done = convert(a, RUN("cleanPodPolicy: All, ttlSecondsAfterFinished: 60"));
    assert_string_equal(json_at(a, done.runtime, "spec.template.spec.ttlSecondsAfterFinished"),
                        "60");
    assert_has(warning(&done, AT ".cleanPodPolicy"), "60 seconds after");
    done = convert(a, RUN("cleanPodPolicy: All"));
    assert_string_equal(json_at(a, done.runtime, "spec.template.spec.ttlSecondsAfterFinished"),
                        "0");
}

static struct ty_convert_result gang(struct ty_arena *a, enum ty_convert_gang which,
                                     const char *text)
{
    struct ty_convert_result done;
    assert_int_equal(convert_with(a, text, (struct ty_convert_opts){ .gang = which }, &done), 0);
    return done;
}

static void test_gangs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    const char *text =
        POLICY("minAvailable: 3, queue: q, priorityClass: high, scheduleTimeoutSeconds: 5");
#define GROUP "spec.podGroupPolicy"
    struct ty_convert_result done = gang(a, TY_CONVERT_GANG_NONE, text);
    assert_string_equal(json_at(a, done.runtime, GROUP), "null");
    assert_true(warned(&done, AT ".schedulingPolicy"));
    assert_true(warned(&done, AT ".schedulingPolicy.scheduleTimeoutSeconds"));
    assert_false(warned(&done, AT ".schedulingPolicy.minAvailable")); /* it is all pods anyway */
    done = gang(a, TY_CONVERT_GANG_VOLCANO, text);
    assert_string_equal(json_at(a, done.runtime, GROUP), "{\"volcano\":{}}");
    assert_string_equal(json_at(a, done.runtime, "spec.template.metadata.annotations"),
                        "{\"scheduling.volcano.sh/queue-name\":\"q\"}");
    assert_false(warned(&done, AT ".schedulingPolicy"));
    done = gang(a, TY_CONVERT_GANG_COSCHEDULING, text);
    assert_string_equal(json_at(a, done.runtime, GROUP),
                        "{\"coscheduling\":{\"scheduleTimeoutSeconds\":5}}");
    assert_true(warned(&done, AT ".schedulingPolicy.queue"));
    assert_string_equal(json_at(a, rjob_pod(&done, "node"), "priorityClassName"), "\"high\"");
}

static void test_min_available(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = gang(a, TY_CONVERT_GANG_VOLCANO, POLICY("minAvailable: 2"));
    assert_non_null(
        strstr(warning(&done, AT ".schedulingPolicy.minAvailable"), "all of its 3 pods"));
    done = gang(a, TY_CONVERT_GANG_VOLCANO, POLICY("minAvailable: 4"));
    assert_true(warned(&done, AT ".schedulingPolicy.minAvailable"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_run_policy),    cmocka_unit_test(test_gangs),
        cmocka_unit_test(test_min_available),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
