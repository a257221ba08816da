#include "base/base64.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_base64(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_true(ty_str_is(ty_base64_encode(a, TY_LIT("")), ""));
    assert_true(ty_str_is(ty_base64_encode(a, TY_LIT("ab\n")), "YWIK"));
    assert_true(ty_str_is(ty_base64_encode(a, TY_LIT("a")), "YQ=="));
    assert_true(ty_str_is(ty_base64_decode(a, TY_LIT("YQ==")), "a"));
    assert_true(ty_str_is(ty_base64_decode(a, TY_LIT("YWIK")), "ab\n"));
    assert_int_equal(ty_base64_decode(a, TY_LIT("")).n, 0);
    assert_int_equal(ty_base64_decode(a, TY_LIT("Y")).n, 0);
    assert_int_equal(ty_base64_decode(a, TY_LIT("not base64!")).n, 0);
    char bytes[257];
    for (int i = 0; i < 257; i++)
        bytes[i] = (char)i;
    struct ty_str all = { bytes, 257 };
    assert_true(ty_str_eq(ty_base64_decode(a, ty_base64_encode(a, all)), all));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_base64) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
