/* Buffers: growing, formatting, the ceiling. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void grows(void **state)
{
    (void)state;
    ty_auto_buf b = { 0 };
    assert_int_equal(ty_buf_str(&b).n, 0);
    for (int i = 0; i < 5000; i++)
        ty_buf_chr(&b, (char)('a' + i % 26));
    assert_int_equal(b.n, 5000);
    for (size_t i = 0; i < b.n; i++)
        assert_int_equal(b.p[i], 'a' + i % 26);
    assert_false(b.full);
    ty_buf_done(&b);
    ty_buf_cstr(&b, "again");
    ty_buf_add(&b, TY_LIT("st"));
    ty_buf_add(&b, (struct ty_str){ 0 });
    assert_true(ty_str_is(ty_buf_str(&b), "against"));
}

static void formats(void **state)
{
    (void)state;
    char big[3000];
    memset(big, 'y', sizeof(big));
    big[sizeof(big) - 1] = '\0';
    ty_auto_buf b = { 0 };
    ty_buf_printf(&b, "%d|", 5);
    ty_buf_printf(&b, "%s|", big);
    assert_int_equal(b.n, 2 + 2999 + 1);
    assert_int_equal(b.p[b.n - 1], '|');
    for (int n = 505; n < 518; n++) {
        b.n = 0;
        ty_buf_printf(&b, "%.*s", n, big);
        assert_int_equal(b.n, n);
    }
}

static void keeps_to_its_ceiling(void **state)
{
    (void)state;
    ty_auto_buf b = { .ceiling = 10 };
    ty_buf_printf(&b, "%s", "0123456789"); /* exactly full needs no room for a NUL */
    assert_false(b.full);
    assert_int_equal(b.n, 10);
    assert_true(b.cap <= 10);
    ty_buf_chr(&b, 'x');
    assert_true(b.full);
    assert_true(ty_str_is(ty_buf_str(&b), "0123456789"));
    ty_buf_done(&b);
    assert_false(b.full);
    ty_buf_cstr(&b, "01234");
    ty_buf_cstr(&b, "567890");
    ty_buf_cstr(&b, "5"); /* would fit, but something is missing before it */
    assert_true(b.full);
    assert_true(ty_str_is(ty_buf_str(&b), "01234"));
    ty_auto_buf huge = { 0 };
    ty_buf_grow(&huge, SIZE_MAX);
    assert_true(huge.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),
        cmocka_unit_test(formats),
        cmocka_unit_test(keeps_to_its_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
