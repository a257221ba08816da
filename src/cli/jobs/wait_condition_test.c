#include "cli/jobs/wait_condition.h"

#include "json/json_testing.h"

static void test_words(void **state)
{
    static const char *const bad[] = { "done",       "complete=", "condition",
                                       "condition=", "",          "delete=x" };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_wait_condition c;

    (void)state;
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_false(ty_wait_condition_parse(a, bad[i], &c));
    assert_true(ty_wait_condition_parse(a, "delete", &c));
    assert_true(c.gone);
    assert_true(ty_wait_condition_parse(a, "condition=Suspended=False", &c));
    assert_string_equal(c.type, "Suspended");
    assert_string_equal(c.status, "False");
}

static void test_met(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *job =
        json_read(a, "{\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"False\"},"
                     "{\"type\":\"Complete\",\"status\":\"True\"}]}}");
    static const struct {
        const char *word;
        bool met;
    } rows[] = { { "complete", true },
                 { "suspended", false },
                 { "condition=suspended=false", true },
                 { "failed", false },
                 { "delete", false } };
    struct ty_wait_condition c;

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_true(ty_wait_condition_parse(a, rows[i].word, &c));
        assert_int_equal(ty_wait_condition_met(&c, job), rows[i].met);
        assert_false(ty_wait_condition_met(&c, json_read(a, "{\"status\":{\"conditions\":{}}}")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_words), cmocka_unit_test(test_met) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
