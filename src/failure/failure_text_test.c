#include "failure/failure_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_note(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_true(ty_str_is(
        ty_failure_text_note(a, TY_LIT("node-0-1 (rank 3) failed first: E: x (exit code 1)")),
        "node-0-1 (rank 3): E: x (exit code 1)"));
    assert_true(ty_str_is(ty_failure_text_note(a, TY_LIT("node-0-1 cannot be scheduled: no")),
                          "node-0-1 cannot be scheduled: no"));
    assert_true(ty_str_is(ty_failure_text_note(a, TY_LIT("")), ""));
}

static void test_line(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char text[5000];

    (void)state;
    assert_true(ty_str_is(ty_failure_text_line(a, TY_LIT(" a\nb\tc\x7f d\x1b ")), "a b c  d"));
    struct ty_str masked = ty_failure_text_line(a, TY_LIT("E: password=hunter22 in the log"));
    assert_false(ty_str_contains(masked, TY_LIT("hunter22")));
    memset(text, 'x', sizeof(text));
    struct ty_str cut = ty_failure_text_line(a, (struct ty_str){ text, sizeof(text) });
    assert_int_equal(cut.n, TY_FAILURE_TEXT_BYTES);
    assert_true(ty_str_ends(cut, TY_LIT("x ...")));
    for (size_t i = 0; i + 1 < sizeof(text); i += 2) /* never through a character */
        memcpy(text + i, "\xc3\xa4", 2);
    for (size_t n = 1020; n < 1030; n++) {
        struct ty_str s = ty_failure_text_line(a, (struct ty_str){ text, n });
        assert_true(s.n <= TY_FAILURE_TEXT_BYTES);
    }
}

static void test_node(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(ty_failure_text_node(a, TY_LIT("ddp-node-0-1-x7k2p"), TY_LIT("ddp")),
                        "node-0-1");
    assert_string_equal(ty_failure_text_node(a, TY_LIT("other-0-x"), TY_LIT("ddp")), "other-0");
    assert_string_equal(ty_failure_text_node(a, TY_LIT("x"), TY_LIT("ddp")), "x");
    assert_string_equal(ty_failure_text_node(a, TY_LIT(""), TY_LIT("")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_note), cmocka_unit_test(test_line),
                                        cmocka_unit_test(test_node) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
