#include "base/arena.h"
#include "failure/log_tail.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static char byte_at(size_t i)
{
    return (char)('a' + i % 23);
}

/* Whatever the sizes of the pieces, the view is the end of the text. */
static void test_pieces(void **state)
{
    static const size_t pieces[] = { 1, 7, 4096, 16384, TY_LOG_TAIL_BYTES, 3 * TY_LOG_TAIL_BYTES };
    size_t total = 5 * TY_LOG_TAIL_BYTES + 11;
    char *text = malloc(total);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < total; i++)
        text[i] = byte_at(i);
    for (size_t k = 0; k < TY_COUNT(pieces); k++) {
        struct ty_log_tail t = { 0 };
        for (size_t at = 0; at < total; at += pieces[k]) {
            size_t n = total - at < pieces[k] ? total - at : pieces[k];
            ty_log_tail_add(&t, (struct ty_str){ text + at, n });
            assert_true(t.cap <= 2 * TY_LOG_TAIL_BYTES);
        }
        struct ty_str view = ty_log_tail_view(&t);
        assert_int_equal(view.n, TY_LOG_TAIL_BYTES);
        assert_memory_equal(view.p, text + total - view.n, view.n);
        ty_log_tail_shrink(&t);
        assert_int_equal(t.cap, TY_LOG_TAIL_BYTES);
        assert_memory_equal(ty_log_tail_view(&t).p, text + total - view.n, view.n);
        ty_log_tail_done(&t);
    }
    free(text);
}

static void test_short_text(void **state)
{
    struct ty_log_tail t = { 0 };

    (void)state;
    assert_int_equal(ty_log_tail_view(&t).n, 0);
    ty_log_tail_add(&t, TY_LIT("ab"));
    ty_log_tail_add(&t, TY_LIT(""));
    ty_log_tail_add(&t, TY_LIT("c"));
    assert_true(ty_str_is(ty_log_tail_view(&t), "abc"));
    ty_log_tail_shrink(&t);
    ty_log_tail_add(&t, TY_LIT("d"));
    assert_true(ty_str_is(ty_log_tail_view(&t), "abcd"));
    ty_log_tail_done(&t);
    ty_log_tail_shrink(&t);
    assert_null(t.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pieces),
                                        cmocka_unit_test(test_short_text) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
