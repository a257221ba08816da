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
    assert_true(ty_str_is(ty_base64_decode(a, TY_LIT("YR==")), "a")); /* Go accepts it, too */
    assert_true(ty_str_is(ty_base64_decode(a, TY_LIT(" aG\tk\n=\r\v\f")), "hi"));
    assert_non_null(ty_base64_decode(a, TY_LIT("")).p);
    assert_non_null(ty_base64_decode(a, (struct ty_str){ 0 }).p);
    char bytes[257];
    for (int i = 0; i < 257; i++)
        bytes[i] = (char)i;
    struct ty_str all = { bytes, 257 };
    assert_true(ty_str_eq(ty_base64_decode(a, ty_base64_encode(a, all)), all));
}

static void refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "Y",    "YQ",    "YQ=",      "YQ===", "aGk",  "YW=K",
        "====", "YWIK=", "YWIK====", "Y===",  "Y-_=", "not base64!"
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_null(ty_base64_decode(a, ty_str(bad[i])).p);
}

static void url(void **state)
{
    (void)state;
    static const char *const bad[] = { "Y", "YQ==", "YW K", "+/8", "YWIKY" };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    assert_true(ty_str_is(ty_base64_decode_url(a, TY_LIT("YQ")), "a"));
    assert_true(ty_str_is(ty_base64_decode_url(a, TY_LIT("aGk")), "hi"));
    assert_true(ty_str_is(ty_base64_decode_url(a, TY_LIT("-_8")), "\xfb\xff"));
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_null(ty_base64_decode_url(a, ty_str(bad[i])).p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64),
        cmocka_unit_test(refuses),
        cmocka_unit_test(url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
