#include "cli/history/job_history_testing.h"
#include "cli/history/local_hint.h"

static const char *hint_text(struct hist *h, const char *name)
{
    ty_local_hint(&h->b.cli, name, "team", "context \"c\"");
    fixture_flush(&h->b);
    return h->b.err;
}

static void test_hints(void **state)
{
    assert_string_equal(hint_text(*state, "ghost"), "");
    assert_string_equal(hint_text(*state, "other"),
                        "note: no TrainJob \"other\" in namespace \"team\" of context \"c\", but a "
                        "run of this machine has one: trainyard get other --local\n");
}

static void test_no_history(void **state)
{
    assert_string_equal(hint_text(*state, "other"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_hints), HIST_EMPTY(test_no_history) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
