#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "serve/token_cache.h"

#define A TY_LIT("aud/a")
#define B TY_LIT("aud/b")

static void test_a_token_is_good_for_its_audience(void **state)
{
    struct ty_token_cache v = { 0 };

    (void)state;
    assert_false(ty_token_cache_has(&v, TY_LIT("t"), A, 0));
    ty_token_cache_add(&v, TY_LIT("t"), A, 1000, TY_TOKEN_CACHE_TTL_MS);
    assert_true(ty_token_cache_has(&v, TY_LIT("t"), A, 1000));
    assert_false(ty_token_cache_has(&v, TY_LIT("t"), B, 1000));
    assert_false(ty_token_cache_has(&v, TY_LIT("u"), A, 1000));
    assert_false(ty_token_cache_has(&v, TY_LIT(""), A, 1000));
}

/* The same bytes divided elsewhere are another token and another audience. */
static void test_no_byte_changes_sides(void **state)
{
    struct ty_token_cache v = { 0 };

    (void)state;
    ty_token_cache_add(&v, TY_LIT("to"), TY_LIT("ken"), 0, TY_TOKEN_CACHE_TTL_MS);
    assert_false(ty_token_cache_has(&v, TY_LIT("tok"), TY_LIT("en"), 0));
    assert_false(ty_token_cache_has(&v, TY_LIT("token"), TY_LIT(""), 0));
    assert_true(ty_token_cache_has(&v, TY_LIT("to"), TY_LIT("ken"), 0));
}

static void test_a_word_does_not_last(void **state)
{
    struct ty_token_cache v = { 0 };

    (void)state;
    ty_token_cache_add(&v, TY_LIT("t"), A, 1000, TY_TOKEN_CACHE_TTL_MS);
    assert_true(ty_token_cache_has(&v, TY_LIT("t"), A, 1000 + TY_TOKEN_CACHE_TTL_MS - 1));
    assert_false(ty_token_cache_has(&v, TY_LIT("t"), A, 1000 + TY_TOKEN_CACHE_TTL_MS));
    assert_true(ty_token_cache_had(&v, TY_LIT("t"), A));
    assert_false(ty_token_cache_had(&v, TY_LIT("t"), B));
    ty_token_cache_add(&v, TY_LIT("t"), A, 90000,
                       TY_TOKEN_CACHE_TTL_MS); /* reviewed again, and accepted again */
    assert_true(ty_token_cache_has(&v, TY_LIT("t"), A, 90000 + TY_TOKEN_CACHE_TTL_MS - 1));
}

/* However many tokens are added, the table does not grow, and no token is taken for another. */
static void test_many_tokens(void **state)
{
    struct ty_token_cache v = { 0 };
    char token[32];
    int known = 0;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        int n = snprintf(token, sizeof(token), "t%d", i);
        ty_token_cache_add(&v, (struct ty_str){ token, (size_t)n }, A, 1, TY_TOKEN_CACHE_TTL_MS);
        assert_true(ty_token_cache_has(&v, (struct ty_str){ token, (size_t)n }, A, 1));
    }
    for (int i = 0; i < 20000; i++) {
        int n = snprintf(token, sizeof(token), "t%d", i);
        bool yes = ty_token_cache_has(&v, (struct ty_str){ token, (size_t)n }, A, 1);
        assert_true(i < 10000 || !yes);
        known += yes;
    }
    assert_in_range(known, 1, TY_TOKEN_CACHE_SLOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_token_is_good_for_its_audience),
        cmocka_unit_test(test_no_byte_changes_sides),
        cmocka_unit_test(test_a_word_does_not_last),
        cmocka_unit_test(test_many_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
