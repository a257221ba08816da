#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trainer/z85.h"

static void check(const unsigned char *bytes, size_t n, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_str got = ty_z85_encode(a, bytes, n);

    assert_int_equal(got.n, strlen(want));
    assert_string_equal(got.p, want);
}

static void test_vectors(void **state TY_UNUSED)
{
    check((const unsigned char[]){ 0, 0, 0, 0 }, 4, "00000");
    check((const unsigned char[]){ 0xff, 0xff, 0xff, 0xff }, 4, "%nSc0");
    /* the example of the RFC */
    check((const unsigned char[]){ 0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B }, 8,
          "HelloWorld");
    check((const unsigned char[]){ 0 }, 0, "");
}

static void test_odd_length_is_refused(void **state TY_UNUSED)
{
    check((const unsigned char[]){ 1, 2, 3 }, 3, "");
    check((const unsigned char[]){ 1, 2, 3, 4, 5 }, 5, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_odd_length_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
