#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
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

/* The order of iteration is visible in output and must not depend on the key of the hash. */
static void test_the_order_is_that_of_adding(void **state)
{
    (void)state;
    for (uint64_t secret = 0; secret < 5; secret++) {
        struct ty_map m = { 0 };
        int value = 0;
        size_t at = 0;

        ty_hash_seed(secret, ~secret);
        for (int i = 0; i < 1000; i++) {
            char name[16];
            struct ty_str key = { name, (size_t)snprintf(name, sizeof(name), "%d", i) };
            ty_map_put(&m, key, &value);
            if (i % 3)
                ty_map_del(&m, key);
        }
        for (int i = 0; i < 1000; i += 3) {
            const struct ty_map_slot *s = ty_map_next(&m, &at);
            assert_non_null(s);
            assert_int_equal(strtol(s->key, NULL, 10), i);
        }
        assert_null(ty_map_next(&m, &at));
        ty_map_done(&m);
    }
}

/* Coming and going for ever needs no more room than what is there. */
static void test_room_is_used_again(void **state)
{
    struct ty_map m = { 0 };
    int value = 0;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char name[16];
        struct ty_str key = { name, (size_t)snprintf(name, sizeof(name), "%d", i) };
        assert_null(ty_map_put(&m, key, &value));
        if (i >= 4)
            snprintf(name, sizeof(name), "%d", i - 4);
        if (i >= 4)
            assert_ptr_equal(ty_map_del(&m, ty_str(name)), &value);
    }
    assert_int_equal(m.n, 4);
    assert_int_equal(m.cap, 16);
    ty_map_done(&m);
}

/* Names that a stranger has chosen so that the hash before this one put all of them into one place:
 * now they are spread, whatever they are. Places that are passed are counted, not time. */
static uint32_t hash_before(struct ty_str key)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < key.n; i++)
        h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3u;
    h ^= h >> 32;
    return (uint32_t)((h * 0x9e3779b97f4a7c15u) >> 32);
}

static void test_names_made_to_collide(void **state)
{
    enum { NAMES = 200, CAP = 512 };
    struct ty_map m = { 0 };
    int value = 0;
    size_t passed = 0;

    (void)state;
    for (unsigned i = 0; m.n < NAMES; i++) {
        char name[16];
        struct ty_str key = { name, (size_t)snprintf(name, sizeof(name), "job-%u", i) };
        if ((hash_before(key) & (CAP - 1)) == 7)
            ty_map_put(&m, key, &value);
    }
    assert_int_equal(m.cap, CAP);
    for (size_t i = 0; i < m.cap; i++)
        if (m.table[i])
            passed += (i - (m.slots[m.table[i] - 1].hash & (m.cap - 1))) & (m.cap - 1);
    assert_true(passed < 5 * NAMES); /* all in one place: 19900 */
    ty_map_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_replace_and_binary_keys),
        cmocka_unit_test(test_random_against_array),
        cmocka_unit_test(test_the_order_is_that_of_adding),
        cmocka_unit_test(test_room_is_used_again),
        cmocka_unit_test(test_names_made_to_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
