#include "trainer/condition.h"
#include "trainer/failure_note.h"
#include "json/json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WORDS "jobset failed due to one or more job failures"
#define FAILED(reason, message)                                                                    \
    "{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"" reason               \
    "\",\"message\":\"" message "\",\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}]}"

struct note_case {
    const char *name, *was, *note, *now, *want;
};
static const struct note_case cases[] = {
    { "no note", FAILED("FailedJobs", WORDS), "", FAILED("FailedJobs", WORDS), WORDS },
    { "a new one", FAILED("FailedJobs", WORDS), "n-0: E", FAILED("FailedJobs", WORDS),
      WORDS "; first failure: n-0: E" },
    { "the stored one stays", FAILED("FailedJobs", WORDS "; first failure: n-0: E"), "",
      FAILED("FailedJobs", WORDS), WORDS "; first failure: n-0: E" },
    { "a newer one replaces it", FAILED("FailedJobs", WORDS "; first failure: n-0: E"), "n-1: F",
      FAILED("FailedJobs", WORDS), WORDS "; first failure: n-1: F" },
    { "JobSet has other words now", FAILED("FailedJobs", WORDS "; first failure: n-0: E"), "",
      FAILED("FailedJobs", "other"), "other" },
    { "words that only begin alike", FAILED("FailedJobs", WORDS " x; first failure: n-0: E"), "",
      FAILED("FailedJobs", WORDS), WORDS },
    { "not failed any more", FAILED("FailedJobs", WORDS "; first failure: n-0: E"), "n-0: E",
      "{\"conditions\":[]}", "" },
    { "a missed deadline keeps its note", FAILED("DeadlineExceeded", "late; first failure: n-0: E"),
      "n-1: F", FAILED("DeadlineExceeded", "late; first failure: n-0: E"),
      "late; first failure: n-0: E" },
    { "a refused child is no failure of the job", "{}", "n-0: E",
      FAILED("TrainJobResourcesCreationFailed", "quota"), "quota" },
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const struct note_case *c = &cases[i];
        ty_auto_arena *a = ty_arena_new(1 << 20);
        const struct ty_json *was = ty_json_parse(a, ty_str(c->was), NULL, NULL);
        struct ty_json *now = ty_json_parse(a, ty_str(c->now), NULL, NULL);
        assert_non_null(was);
        assert_non_null(now);
        ty_failure_note_apply(a, was, ty_str(c->note), now);
        const struct ty_json *failed = ty_condition_find(now, "Failed");
        struct ty_str got = ty_json_str_at(failed, "message");
        if (!ty_str_is(got, c->want))
            fail_msg("%s: %.*s", c->name, TY_ARG(got));
        if (failed)
            assert_true(
                ty_str_is(ty_json_str_at(failed, "lastTransitionTime"), "2026-01-02T03:04:05Z"));
        /* What was written is found again, and written no other way. */
        struct ty_json *next = ty_json_parse(a, ty_str(c->now), NULL, NULL);
        ty_failure_note_apply(a, now, (struct ty_str){ "", 0 }, next);
        assert_true(ty_json_eq(now, next));
    }
}

static void test_stored(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const char *text = FAILED("FailedJobs", WORDS "; first failure: n-0: E");

    (void)state;
    assert_true(
        ty_str_is(ty_failure_note_stored(ty_json_parse(a, ty_str(text), NULL, NULL)), "n-0: E"));
    assert_int_equal(ty_failure_note_stored(NULL).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_notes),
                                        cmocka_unit_test(test_stored) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
