#include "log/log_dedup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_the_same_is_said_once_a_while(void **state)
{
    (void)state;
    struct ty_log_dedup l = { 0 };

    assert_false(ty_log_dedup(&l, TY_LIT("gone"), 5));
    assert_true(ty_log_dedup(&l, TY_LIT("gone"), 5));
    assert_false(ty_log_dedup(&l, TY_LIT("gon"), 6));
    assert_false(ty_log_dedup(&l, TY_LIT("gone!"), 6));
    assert_true(ty_log_dedup(&l, TY_LIT("gone"), 5 + TY_LOG_DEDUP_MS - 1));
    assert_false(
        ty_log_dedup(&l, TY_LIT("gone"), 5 + TY_LOG_DEDUP_MS)); /* still failing: logged again */
    assert_true(ty_log_dedup(&l, TY_LIT("gone"), 5 + TY_LOG_DEDUP_MS + 1));
}

static void test_nothing_is_a_text_too(void **state)
{
    (void)state;
    struct ty_log_dedup l = { 0 };

    assert_false(ty_log_dedup(&l, (struct ty_str){ 0 }, 0));
    assert_true(ty_log_dedup(&l, TY_LIT(""), 0));
}

static void test_the_oldest_is_forgotten(void **state)
{
    (void)state;
    struct ty_log_dedup l = { 0 };
    char text[16];

    for (int i = 0; i <= TY_LOG_DEDUP_TEXTS; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_false(ty_log_dedup(&l, ty_str(text), i));
    }
    assert_true(ty_log_dedup(&l, TY_LIT("1"), 20));
    assert_false(ty_log_dedup(&l, TY_LIT("0"), 20)); /* and takes the place of "1" */
    assert_false(ty_log_dedup(&l, TY_LIT("1"), 20));
}

static void test_long_texts_are_compared_by_their_beginning(void **state)
{
    (void)state;
    struct ty_log_dedup l = { 0 };
    char text[2 * TY_LOG_DEDUP_BYTES];

    memset(text, 'x', sizeof(text));
    assert_false(ty_log_dedup(&l, (struct ty_str){ text, sizeof(text) }, 0));
    text[sizeof(text) - 1] = 'y';
    assert_true(ty_log_dedup(&l, (struct ty_str){ text, sizeof(text) }, 0));
    text[0] = 'y';
    assert_false(ty_log_dedup(&l, (struct ty_str){ text, sizeof(text) }, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_is_said_once_a_while),
        cmocka_unit_test(test_nothing_is_a_text_too),
        cmocka_unit_test(test_the_oldest_is_forgotten),
        cmocka_unit_test(test_long_texts_are_compared_by_their_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
