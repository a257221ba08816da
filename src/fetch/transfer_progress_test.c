#include "fetch/testing.h"
#include "fetch/transfer_progress.h"

static void bytes(double n, const char *want)
{
    ty_auto_buf b = { 0 };
    ty_transfer_progress_bytes(&b, n);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void test_bytes(void **state)
{
    (void)state;
    bytes(0, "0 B");
    bytes(999, "999 B");
    bytes(1000, "1.0 kB");
    bytes(999999, "1.0 MB");
    bytes(24.2e6, "24.2 MB");
    bytes(99.96e6, "100 MB");
    bytes(123456e6, "123 GB");
    bytes(5e18, "5000 PB");
}

static void line(const struct ty_transfer_progress *m, const struct ty_fetch_progress *p,
                 const char *want)
{
    ty_auto_buf b = { 0 };
    ty_transfer_progress_line(&b, m, p);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void test_lines(void **state)
{
    (void)state;
    const struct ty_transfer_progress none = { 0 }, fast = { .speed = 1e6 }, slow = { .speed = 2 };
    line(&none, &(struct ty_fetch_progress){ 5, 2, 1000, 420, 0, 0 },
         "42%: 420 B of 1.0 kB, 2 of 5 files");
    line(&fast, &(struct ty_fetch_progress){ 1, 0, 10000000, 5500000, 0, 0 },
         "55%: 5.5 MB of 10.0 MB, 1.0 MB/s, 0:05 left");
    line(&fast, &(struct ty_fetch_progress){ 1, 0, 4000000000, 0, 0, 0 },
         "0%: 0 B of 4.0 GB, 1.0 MB/s, 1:06:41 left");
    line(&slow, &(struct ty_fetch_progress){ 1, 0, 4000000000, 0, 0, 0 },
         "0%: 0 B of 4.0 GB, 2 B/s"); /* in years: not worth saying */
    line(&fast, &(struct ty_fetch_progress){ 1, 0, -1, 7000, 0, 0 }, "7.0 kB, 1.0 MB/s");
}

static void test_a_hundred_is_done(void **state)
{
    (void)state;
    const struct ty_transfer_progress m = { 0 };
    line(&m, &(struct ty_fetch_progress){ 1, 0, 1000, 1000, 0, 0 }, "99%: 1.0 kB of 1.0 kB");
    line(&m, &(struct ty_fetch_progress){ 1, 1, 1000, 1000, 0, 0 }, "100%: 1.0 kB of 1.0 kB");
    line(&m, &(struct ty_fetch_progress){ 1, 1, 0, 0, 0, 0 }, "100%: 0 B of 0 B");
}

static void test_speed(void **state)
{
    (void)state;
    struct ty_transfer_progress m = { 0 };
    struct ty_fetch_progress p = { .bytes_got = 1000, .spent_ns = 100000000 };
    ty_transfer_progress_sample(&m, &p);
    assert_true(m.speed < 1e-9); /* too soon to tell */
    p.spent_ns = 1000000000;
    ty_transfer_progress_sample(&m, &p);
    assert_true(m.speed > 999 && m.speed < 1001);
    p = (struct ty_fetch_progress){ .bytes_got = 3000, .spent_ns = 2000000000 };
    ty_transfer_progress_sample(&m, &p);
    assert_true(m.speed > 1299 && m.speed < 1301); /* smoothed */
}

static void bar(size_t width, const char *want)
{
    const struct ty_transfer_progress m = { 0 };
    const struct ty_fetch_progress p = { 1, 0, 1000, 500, 0, 0 };
    ty_auto_buf b = { 0 };
    ty_transfer_progress_bar(&b, &m, &p, width);
    assert_true(b.n <= width);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void test_bars(void **state)
{
    (void)state;
    bar(200, "[####################....................]  50% 500 B of 1.0 kB");
    bar(33, "[#####.....]  50% 500 B of 1.0 kB");
    bar(32, " 50% 500 B of 1.0 kB");
    bar(8, " 50% 500");
    const struct ty_transfer_progress m = { 0 };
    const struct ty_fetch_progress unknown = { 1, 0, -1, 500, 0, 0 };
    ty_auto_buf b = { 0 };
    ty_transfer_progress_bar(&b, &m, &unknown, 80);
    assert_int_equal(b.n, 5); /* "500 B": no bar without a whole */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_a_hundred_is_done),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
