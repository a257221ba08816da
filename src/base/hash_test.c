#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_every_byte_and_the_length_count(void **state)
{
    char text[40] = { 0 };

    (void)state;
    assert_true(ty_hash_bytes(1, NULL, 0) == ty_hash_bytes(1, "", 0));
    for (size_t n = 0; n < sizeof(text); n++) { /* zeros: only the length differs */
        uint64_t h = ty_hash_bytes(1, text, n);
        assert_true(h != ty_hash_bytes(2, text, n));
        assert_true(h != ty_hash_bytes(1, text, n + 1));
        for (size_t i = 0; i < n; i++) {
            text[i] = 1;
            assert_true(ty_hash_bytes(1, text, n) != h);
            text[i] = 0;
        }
    }
}

/* Not what lies beside the text, nor where it lies. */
static void test_nothing_else_counts(void **state)
{
    char here[64] = "........", there[64] = "................";

    (void)state;
    for (size_t n = 0; n < 24; n++) {
        memset(here + 3, 'x', n);
        memset(there + 8, 'x', n);
        assert_true(ty_hash_bytes(1, here + 3, n) == ty_hash_bytes(1, there + 8, n));
    }
}

static void test_words_in_another_order(void **state)
{
    (void)state;
    assert_true(ty_hash_bytes(1, "aaaaaaaabbbbbbbb", 16) !=
                ty_hash_bytes(1, "bbbbbbbbaaaaaaaa", 16));
    assert_true(ty_hash_bytes(1, "aaaaaaaab", 9) != ty_hash_bytes(1, "baaaaaaaa", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_and_the_length_count),
        cmocka_unit_test(test_nothing_else_counts),
        cmocka_unit_test(test_words_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
