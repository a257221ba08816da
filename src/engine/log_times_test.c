#include <stdlib.h>

#include "base/testing.h"
#include "base/tree_testing.h"
#include "engine/log_times.h"

static int setup(void **state)
{
    static char dir[64];

    snprintf(dir, sizeof(dir), "%s", "/tmp/trainyard-times-XXXXXX");
    *state = dir;
    return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
    return tree_remove(*state);
}

static void test_note_and_find(void **state)
{
    char path[128], old[136];
    struct ty_log_times t = { 0 };
    struct ty_log_times_list l;

    snprintf(path, sizeof(path), "%s/node.0.0.log", (char *)*state);
    snprintf(old, sizeof(old), "%s.1", path);
    ty_log_times_note(&t, path, 0, 1000);
    ty_log_times_note(&t, path, 10, 1050); /* within the interval */
    ty_log_times_note(&t, path, 20, 1200);
    ty_log_times_read(path, &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(ty_log_times_at(&l, 0), 1000);
    assert_int_equal(ty_log_times_at(&l, 19), 1000);
    assert_int_equal(ty_log_times_at(&l, 2000), 1200);
    assert_int_equal(ty_log_times_since(&l, 1001), 20);
    assert_int_equal(ty_log_times_since(&l, 1201), -1);
    ty_log_times_done(&l);
    ty_log_times_rotate(&t, path, old);
    ty_log_times_read(path, &l);
    assert_int_equal(l.n, 0);
    assert_int_equal(ty_log_times_at(&l, 5), 0);
    ty_log_times_read(old, &l);
    assert_int_equal(l.n, 2);
    ty_log_times_done(&l);
}

static void test_clock_set_back(void **state)
{
    char path[128];
    struct ty_log_times t = { 0 };
    struct ty_log_times_list l;

    snprintf(path, sizeof(path), "%s/node.0.0.log", (char *)*state);
    ty_log_times_note(&t, path, 0, 100000);
    ty_log_times_note(&t, path, 10, 2000);
    ty_log_times_note(&t, path, 15, 2050);
    ty_log_times_note(&t, path, 20, 2100);
    ty_log_times_read(path, &l);
    assert_int_equal(l.n, 3);
    assert_int_equal(ty_log_times_at(&l, 10), 2000);
    assert_int_equal(ty_log_times_at(&l, 20), 2100);
    ty_log_times_done(&l);
}

static void test_bounded(void **state)
{
    char path[128];
    struct ty_log_times t = { 0 };
    struct ty_log_times_list l;
    int64_t n = 5 * TY_LOG_TIMES_MAX;

    snprintf(path, sizeof(path), "%s/node.0.0.log", (char *)*state);
    for (int64_t i = 0; i < n; i++)
        ty_log_times_note(&t, path, i, i * 100);
    ty_log_times_read(path, &l);
    assert_true(l.n <= TY_LOG_TIMES_MAX && l.n > TY_LOG_TIMES_MAX / 4);
    for (int64_t i = 0; i < n; i += 997) { /* late by less than the last interval */
        int64_t at = ty_log_times_at(&l, i);
        assert_true(at <= i * 100 && at > i * 100 - 8 * 100);
    }
    ty_log_times_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_note_and_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clock_set_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
