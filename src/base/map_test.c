#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"

static void test_empty(void **state)
{
    (void)state;
    struct ty_map m = { 0 };
    size_t at = 0;

    assert_null(ty_map_get(&m, TY_LIT("a")));
    assert_null(ty_map_del(&m, TY_LIT("a")));
    assert_null(ty_map_next(&m, &at));
    ty_map_done(&m);
}

static void test_replace_and_binary_keys(void **state)
{
    (void)state;
    struct ty_map m = { 0 };
    int one = 1, two = 2;
    struct ty_str zero = { "a\0b", 3 };

    assert_null(ty_map_put(&m, zero, &one));
    assert_null(ty_map_put(&m, TY_LIT("a"), &two));
    assert_null(ty_map_put(&m, TY_LIT(""), &two));
    assert_ptr_equal(ty_map_put(&m, zero, &two), &one);
    assert_ptr_equal(ty_map_get(&m, zero), &two);
    assert_int_equal(m.n, 3);
    ty_map_done(&m);
}

/* Against a plain array of what should be in it, through growth and many deletions. */
static void test_random_against_array(void **state)
{
    (void)state;
    enum { KEYS = 500, STEPS = 40000 };
    static int values[KEYS];
    bool in[KEYS] = { false };
    struct ty_map m = { 0 };
    uint64_t seed = 42;
    size_t count = 0;

    for (int i = 0; i < STEPS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t k = (size_t)(seed >> 33) % KEYS;
        char name[16];
        struct ty_str key = { name, (size_t)snprintf(name, sizeof(name), "k%zu", k) };
        if (seed >> 63) {
            assert_ptr_equal(ty_map_put(&m, key, &values[k]), in[k] ? &values[k] : NULL);
            count += !in[k];
            in[k] = true;
        } else {
            assert_ptr_equal(ty_map_del(&m, key), in[k] ? &values[k] : NULL);
            count -= in[k];
            in[k] = false;
        }
        assert_ptr_equal(ty_map_get(&m, key), in[k] ? &values[k] : NULL);
        assert_int_equal(m.n, count);
    }
    size_t at = 0, seen = 0;
    while (ty_map_next(&m, &at))
        seen++;
    assert_int_equal(seen, count);
    ty_map_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_replace_and_binary_keys),
        cmocka_unit_test(test_random_against_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
