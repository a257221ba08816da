#include "engine/job/job_indexes.h"
#include "engine/job/job_testing.h"

static struct ty_job_indexes read_set(struct ty_arena *a, const char *text, int64_t completions)
{
    return ty_job_indexes_parse(a, ty_str(text), completions);
}

static void reads_as(const char *text, int64_t completions, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_indexes s = read_set(a, text, completions);
    is_text(ty_job_indexes_text(a, &s), want);
}

static void test_text(void **state)
{
    (void)state;
    reads_as("", 10, "");
    reads_as("0", 10, "0");
    reads_as("0,1", 10, "0,1");
    reads_as("0-1", 10, "0,1");
    reads_as("0-2,5,7-9", 10, "0-2,5,7-9");
    reads_as("0,1,2,3", 10, "0-3");
    reads_as("0-2,5,7-12", 9, "0-2,5,7,8");
    reads_as("3,10,4", 5, "3");
    reads_as("x,1,-,2-y,3-2,4", 10, "1,4");
    reads_as("5,1", 10, "5");
    reads_as("0-3,2-5", 10, "0-5");
    reads_as("99999999999999999999,1", 10, "1");
}

static void test_from_and_join(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    int64_t v[] = { 9, 2, 2, 7, 8, 5, 4 };
    struct ty_job_indexes s = ty_job_indexes_from(a, v, 7), none = { 0 };
    struct ty_job_indexes more = read_set(a, "0,3,6,12-14", 20), all;

    (void)state;
    is_text(ty_job_indexes_text(a, &s), "2,4,5,7-9");
    all = ty_job_indexes_join(a, &s, &more);
    is_text(ty_job_indexes_text(a, &all), "0,2-9,12-14");
    assert_int_equal(ty_job_indexes_total(&all), 12);
    all = ty_job_indexes_join(a, &none, &s);
    is_text(ty_job_indexes_text(a, &all), "2,4,5,7-9");
    all = ty_job_indexes_from(a, NULL, 0);
    assert_int_equal(all.n, 0);
}

static void test_has(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_indexes s = read_set(a, "2,4,5,7-9", 20);
    bool want[] = { 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0 };

    (void)state;
    for (int i = 0; i < 12; i++)
        assert_int_equal(ty_job_indexes_has(&s, i), want[i]);
}

static void test_common(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_indexes x = read_set(a, "0-2,4-7,10", 20), y = read_set(a, "1,2,6-10", 20);
    struct ty_job_indexes none = { 0 };

    (void)state;
    assert_int_equal(ty_job_indexes_common(&x, &y), 5);
    assert_int_equal(ty_job_indexes_common(&y, &x), 5);
    assert_int_equal(ty_job_indexes_common(&x, &x), 8);
    assert_int_equal(ty_job_indexes_common(&x, &none), 0);
}

static void test_lowest_free(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_indexes s = read_set(a, "0,2-5,7-9", 20), none = { 0 };
    int64_t v[8];

    (void)state;
    assert_int_equal(ty_job_indexes_missing(&s, 20, v, 4), 4);
    assert_int_equal(v[0], 1);
    assert_int_equal(v[1], 6);
    assert_int_equal(v[2], 10);
    assert_int_equal(v[3], 11);
    assert_int_equal(ty_job_indexes_missing(&s, 8, v, 8), 2);
    assert_int_equal(ty_job_indexes_missing(&none, 3, v, 8), 3);
    assert_int_equal(ty_job_indexes_missing(&s, 0, v, 8), 0);
}

/* Against a plain table of booleans. */
static void test_random_sets(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int round = 0; round < 300; round++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        bool in_x[64] = { 0 }, in_y[64] = { 0 };
        int64_t x[40], y[40], free_v[64];
        size_t n = next_random(&seed) % 40, m = next_random(&seed) % 40, total = 0, common = 0;
        for (size_t i = 0; i < n; i++)
            in_x[x[i] = (int64_t)(next_random(&seed) % 64)] = true;
        for (size_t i = 0; i < m; i++)
            in_y[y[i] = (int64_t)(next_random(&seed) % 64)] = true;
        struct ty_job_indexes p = ty_job_indexes_from(a, x, n), q = ty_job_indexes_from(a, y, m);
        struct ty_job_indexes all = ty_job_indexes_join(a, &p, &q);
        struct ty_job_indexes again = ty_job_indexes_parse(a, ty_job_indexes_text(a, &all), 64);
        for (int i = 0; i < 64; i++) {
            assert_int_equal(ty_job_indexes_has(&again, i), in_x[i] || in_y[i]);
            total += in_x[i] || in_y[i];
            common += in_x[i] && in_y[i];
        }
        assert_int_equal(ty_job_indexes_total(&all), total);
        assert_int_equal(ty_job_indexes_common(&p, &q), common);
        assert_int_equal(ty_job_indexes_missing(&all, 64, free_v, 64), 64 - total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),        cmocka_unit_test(test_from_and_join),
        cmocka_unit_test(test_has),         cmocka_unit_test(test_common),
        cmocka_unit_test(test_lowest_free), cmocka_unit_test(test_random_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
