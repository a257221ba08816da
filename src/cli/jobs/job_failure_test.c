#include "base/testing.h"
#include "cli/jobs/job_failure.h"

static void check(const char *message, const char *own, const char *note)
{
    struct ty_str got_own, got = ty_job_failure_note(ty_str(message), &got_own);

    assert_true(ty_str_is(got_own, own));
    assert_true(ty_str_is(got, note));
}

static void test_notes(void **state)
{
    (void)state;
    check("", "", "");
    check("jobset failed", "jobset failed", "");
    check("jobset failed\nnode-0-1 failed first\n  line", "jobset failed",
          "node-0-1 failed first\n  line");
    check("jobset failed; first failure: node-0-1: boom", "jobset failed", "node-0-1: boom");
    check("a; first failure: b\nc", "a; first failure: b", "c"); /* lines win */
}

static void test_only_of_a_failed_job(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    static const char *const jobs[] = {
        "{\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"message\":"
        "\"m\\nx\"}]}}",
        "{\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"False\",\"message\":"
        "\"m\\nx\"}]}}",
        "{}",
    };

    assert_true(ty_str_is(ty_job_failure_of(ty_json_parse(a, ty_str(jobs[0]), NULL, NULL)), "x"));
    for (size_t i = 1; i < TY_COUNT(jobs); i++)
        assert_int_equal(ty_job_failure_of(ty_json_parse(a, ty_str(jobs[i]), NULL, NULL)).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_notes),
                                        cmocka_unit_test(test_only_of_a_failed_job) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
