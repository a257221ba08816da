#include "convert/convert_testing.h"

#define JOBSET "spec.template.spec"

/* A TFJob with a policy for its two workers. */
static struct ty_convert_result with(struct ty_arena *a, const char *policy, const char *run,
                                     struct ty_convert_opts opts)
{
    struct ty_convert_result done;
    char *text = ty_arena_printf(
        a,
        HEAD("TFJob") "  runPolicy: {%s}\n  tfReplicaSpecs: {Worker: "
                      "{replicas: 2, restartPolicy: %s, template: " POD("tensorflow") "}}\n",
        run, policy);
    assert_int_equal(convert_with(a, text, opts, &done), 0);
    return done;
}

static const struct ty_json *job_spec(const struct ty_convert_result *done)
{
    return ty_json_at(rjob(done, "worker"), "template.spec");
}

static void test_words(void **state TY_UNUSED)
{
    static const struct {
        const char *policy, *run, *pod, *backoff, *sets;
    } rows[] = {
        { "Never", "", "\"Never\"", "0", "{\"maxRestarts\":0}" },
        { "Never", "backoffLimit: 9", "\"Never\"", "0", "{\"maxRestarts\":0}" },
        { "OnFailure", "", "\"OnFailure\"", "null", "null" },
        { "OnFailure", "backoffLimit: 3", "\"OnFailure\"", "0", "{\"maxRestarts\":2}" },
        { "OnFailure", "backoffLimit: 0", "\"OnFailure\"", "0", "{\"maxRestarts\":0}" },
        { "Always", "", "\"OnFailure\"", "null", "null" },
        { "~", "", "\"Never\"", "0", "{\"maxRestarts\":0}" }, /* the default of TFJob */
        { "''", "", "\"Never\"", "0", "{\"maxRestarts\":0}" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done =
            with(a, rows[i].policy, rows[i].run, (struct ty_convert_opts){ 0 });
        assert_string_equal(json_at(a, rjob_pod(&done, "worker"), "restartPolicy"), rows[i].pod);
        assert_string_equal(json_at(a, job_spec(&done), "backoffLimit"), rows[i].backoff);
        assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy"), rows[i].sets);
    }
}

static void test_exit_codes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        with(a, "ExitCode", "backoffLimit: 4", (struct ty_convert_opts){ 0 });
    const struct ty_json *rules = ty_json_at(job_spec(&done), "podFailurePolicy.rules");
    const struct ty_json *codes = ty_json_at(ty_json_item(rules, 0), "onExitCodes.values");
    assert_int_equal(ty_json_len(codes), 127);
    assert_int_equal(codes->items[0]->i, 1);
    assert_int_equal(codes->items[126]->i, 127);
    assert_true(ty_str_is(ty_json_str_at(ty_json_item(rules, 1), "action"), "Ignore"));
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"), "2");
    const struct ty_json *fail = ty_json_at(done.runtime, JOBSET ".failurePolicy.rules");
    assert_true(ty_str_is(ty_json_str_at(ty_json_item(fail, 0), "action"), "FailJobSet"));
    done = with(a, "ExitCode", "", (struct ty_convert_opts){ 0 });
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"),
                        "2147483647");
    assert_has(warning(&done, "spec.runPolicy.backoffLimit"), "have no limit");
}

static void test_gang_restart(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_opts opts = { .gang_restart = true };
    struct ty_convert_result done = with(a, "OnFailure", "backoffLimit: 5", opts);
    assert_string_equal(json_at(a, rjob_pod(&done, "worker"), "restartPolicy"), "\"Never\"");
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"), "3");
    done = with(a, "OnFailure", "", opts);
    assert_true(warned(&done, "spec.runPolicy.backoffLimit"));
    done = with(a, "Never", "", opts);
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"), "0");
    assert_null(done.warnings);
}

/* The MPI operator's backoffLimit is that of the launcher's Job. */
static void test_launcher(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
#define MPI(run, launcher)                                                                         \
    HEAD2 "  runPolicy: {" run "}\n  mpiReplicaSpecs: {Launcher: {" launcher                       \
          "template: " POD("c") "}, Worker: {replicas: 2, template: " POD("c") "}}\n"
    struct ty_convert_result done = convert(a, MPI("backoffLimit: 7", ""));
    assert_string_equal(json_at(a, rjob(&done, "launcher"), "template.spec.backoffLimit"), "7");
    assert_string_equal(json_at(a, rjob_pod(&done, "launcher"), "restartPolicy"), "\"OnFailure\"");
    assert_string_equal(json_at(a, rjob(&done, "node"), "template.spec.backoffLimit"), "0");
    assert_string_equal(json_at(a, rjob_pod(&done, "node"), "restartPolicy"), "\"Never\"");
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"), "0");
    assert_false(warned(&done, "spec.runPolicy.backoffLimit"));
    done = convert(a, MPI("", "restartPolicy: Never, "));
    assert_string_equal(json_at(a, rjob(&done, "launcher"), "template.spec.backoffLimit"), "null");
    assert_string_equal(json_at(a, rjob_pod(&done, "launcher"), "restartPolicy"), "\"Never\"");
    assert_int_equal(convert_with(a, MPI("backoffLimit: 5", ""),
                                  (struct ty_convert_opts){ .gang_restart = true }, &done),
                     0);
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"), "2");
    refuse(a, MPI("backoffLimit: -1", ""), "spec.runPolicy.backoffLimit", "must be a whole number");
}

static void test_bad_limits(void **state TY_UNUSED)
{
    static const char *const limits[] = { "-1", "'3'", "2147483648", "1e40", "[]" };
    for (size_t i = 0; i < TY_COUNT(limits); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        char *text =
            ty_arena_printf(a,
                            HEAD("JAXJob") "  runPolicy: {backoffLimit: %s}\n  jaxReplicaSpecs: "
                                           "{Worker: {template: " POD("jax") "}}\n",
                            limits[i]);
        refuse(a, text, "spec.runPolicy.backoffLimit",
               "must be a whole number from 0 to 2147483647");
    }
}

/* What two fields say of one number is not lost in silence. */
static void test_paddle_has_two_limits(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a, HEAD("PaddleJob") "  runPolicy: {backoffLimit: 4}\n  elasticPolicy: {maxRestarts: 3}\n"
                             "  paddleReplicaSpecs: {Worker: {replicas: 2, template: " POD(
                                 "paddle") "}}\n");
    bool told = false;
    for (const struct ty_convert_note *n = done.warnings; n; n = n->next)
        told |= strstr(n->text, "restartPolicy and backoffLimit say 2") != NULL;
    assert_true(told);
    assert_string_equal(json_at(a, done.runtime, JOBSET ".failurePolicy.maxRestarts"), "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_gang_restart), cmocka_unit_test(test_launcher),
        cmocka_unit_test(test_bad_limits),   cmocka_unit_test(test_paddle_has_two_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
