#include "convert/convert_testing.h"

#define TF(roles) HEAD("TFJob") "  tfReplicaSpecs: " roles "\n"
#define ONE       POD("tensorflow")
#define AT        "spec.tfReplicaSpecs"

static void test_what_is_no_role(void **state TY_UNUSED)
{
    static const struct {
        const char *roles, *path, *words;
    } rows[] = {
        { "~", AT, "must hold the job's replicas, such as Chief" },
        { "{}", AT, "must hold the job's replicas" },
        { "[]", AT, "must hold the job's replicas" },
        { "{Boss: {template: " ONE "}}", AT ".Boss", "a TFJob has no such role" },
        { "{'': {template: " ONE "}}", AT ".", "a TFJob has no such role" },
        { "{Worker: ~}", AT ".Worker", "must be an object" },
        { "{Worker: 3}", AT ".Worker", "must be an object" },
        { "{Worker: {template: " ONE "}, worker: {template: " ONE "}}", AT ".worker",
          "the role Worker is given twice" },
        { "{Chief: {template: " ONE "}, Master: {template: " ONE "}}", AT,
          "Chief and Master are two names of one role" },
        { "{Chief: {replicas: 2, template: " ONE "}}", AT ".Chief.replicas",
          "has at most 1 replica" },
        { "{Worker: {replicas: 0, template: " ONE "}}", AT, "there is nothing to run" },
        { "{Worker: {replicas: -1, template: " ONE "}}", AT ".Worker.replicas",
          "must be a whole number from 0 to 10000" },
        { "{Worker: {replicas: 10001, template: " ONE "}}", AT ".Worker.replicas",
          "must be a whole number from 0 to 10000" },
        { "{Worker: {replicas: 99999999999999999999, template: " ONE "}}", AT ".Worker.replicas",
          "must be a whole number from 0 to 10000" },
        { "{Worker: {replicas: 1.5, template: " ONE "}}", AT ".Worker.replicas",
          "must be a whole number" },
        { "{Worker: {replicas: '2', template: " ONE "}}", AT ".Worker.replicas",
          "must be a whole number" },
        { "{Worker: {restartPolicy: Sometimes, template: " ONE "}}", AT ".Worker.restartPolicy",
          "must be Never, OnFailure, Always or ExitCode" },
        { "{Worker: {replicas: 1}}", AT ".Worker.template", "a pod template is needed" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        refuse(a, ty_arena_printf(a, TF("%s"), rows[i].roles), rows[i].path, rows[i].words);
    }
}

static void test_case_does_not_matter(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, TF("{WORKER: {template: " ONE "}, ps: {odd: 1, template: " ONE "}}"));
    assert_non_null(rjob(&done, "worker"));
    assert_non_null(rjob(&done, "ps"));
    assert_true(warned(&done, AT ".ps.odd")); /* by the name that the user gave */
}

static void test_no_replicas(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, TF("{Worker: {replicas: ~, template: " ONE "}, PS: {replicas: 0, template: " ONE "}}"));
    assert_null(rjob(&done, "ps"));
    assert_string_equal(warning(&done, AT ".PS.replicas"), "there are none: the role is left out");
    assert_string_equal(json_at(a, done.job, "spec.trainer.numNodes"), "1");
    /* Nothing of a role that is left out can stop the rest. */
    done = convert(a, TF("{Worker: {template: " ONE "}, PS: {replicas: 0}}"));
    assert_null(rjob(&done, "ps"));
}

static void test_long_names(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    char *text =
        ty_arena_printf(a,
                        "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: %055d}\n"
                        "spec: {tfReplicaSpecs: {Worker: {replicas: 100, template: " ONE "}}}\n",
                        0);
    char *name = strstr(text, "000");
    memset(name, 'n', 55);
    refuse(a, text, "metadata.name", "-worker-0-99 would have 67 characters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_role),
        cmocka_unit_test(test_case_does_not_matter),
        cmocka_unit_test(test_no_replicas),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
