#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

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

/* Another program's SipHash-1-3, with a key of zeros: PYTHONHASHSEED=0, Python 3.11, hash() of the
 * bytes 0 to 7, here the salt, and n more from 100 on. */
static void test_siphash(void **state)
{
    static const struct {
        size_t n;
        uint64_t want;
    } rows[] = {
        { 0, 0xead411e67ebe2eeau },  { 1, 0x8a6261404b573c61u },  { 7, 0x491eee245c51bfa6u },
        { 8, 0x3040f8e2515d3510u },  { 9, 0x9559664af92aec72u },  { 15, 0xbd5f7a203ed1854cu },
        { 16, 0xc9186b2d178178fbu }, { 31, 0xbfdb331f71904bfeu },
    };
    const uint64_t salt = 0x0706050403020100u;
    char text[31];

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(100 + i);
    ty_hash_seed(0, 0);
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_true(ty_hash_bytes(salt, text, rows[i].n) == rows[i].want);
}

/* Two texts that had one number under the hash that stood here before, whatever the seed: each word
 * was folded in by steps that can be undone, so the second makes good what the first has changed.
 */
static uint64_t step_before(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static void test_texts_made_to_collide(void **state)
{
    uint64_t one[2] = { 1, 0 }, two[2] = { 2, 0 };
    const uint64_t seed = 0x9e3779b97f4a7c15u;

    (void)state;
    two[1] = step_before(seed, one[0]) ^ one[1] ^ step_before(seed, two[0]);
    assert_true(step_before(step_before(seed, one[0]), one[1]) ==
                step_before(step_before(seed, two[0]), two[1]));
    assert_true(ty_hash_bytes(seed, (const char *)one, 16) !=
                ty_hash_bytes(seed, (const char *)two, 16));
}

static void test_the_secret_decides(void **state)
{
    (void)state;
    ty_hash_seed(1, 2);
    uint64_t h = ty_hash_bytes(0, "abc", 3), p = ty_hash_pair(1, 2);
    ty_hash_seed(1, 3);
    assert_true(ty_hash_bytes(0, "abc", 3) != h && ty_hash_pair(1, 2) != p);
    ty_hash_seed(2, 2);
    assert_true(ty_hash_bytes(0, "abc", 3) != h && ty_hash_pair(1, 2) != p);
    ty_hash_seed(1, 2);
    assert_true(ty_hash_bytes(0, "abc", 3) == h && ty_hash_pair(1, 2) == p);
    assert_true(ty_hash_pair(2, 1) != p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_and_the_length_count),
        cmocka_unit_test(test_nothing_else_counts),
        cmocka_unit_test(test_words_in_another_order),
        cmocka_unit_test(test_siphash),
        cmocka_unit_test(test_texts_made_to_collide),
        cmocka_unit_test(test_the_secret_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
