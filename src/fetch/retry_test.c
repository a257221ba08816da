#include "fetch/retry.h"
#include "fetch/testing.h"

#define NOW 1700000000 /* Tue, 14 Nov 2023 22:13:20 GMT */

static void test_retry_after(void **state)
{
    (void)state;
    assert_int_equal(ty_retry_after_s("7", NOW), 7);
    assert_int_equal(ty_retry_after_s(" 0 ", NOW), 0);
    assert_int_equal(ty_retry_after_s("99999999999999", NOW), INT32_MAX);
    assert_int_equal(ty_retry_after_s("Tue, 14 Nov 2023 22:13:50 GMT", NOW), 30);
    assert_int_equal(ty_retry_after_s("Tue, 14 Nov 2023 22:00:00 GMT", NOW), 0);
    assert_int_equal(ty_retry_after_s("soon", NOW), -1);
}

static bool again(const struct ty_http_client_result *end)
{
    struct ty_retry r = { .most = 1 };
    int64_t ms;
    return ty_retry_again(&r, end, NULL, NOW, 0, &ms);
}

static void test_what_is_worth_a_try(void **state)
{
    (void)state;
    static const int yes[] = { 408, 425, 429, 500, 502, 503, 504 };
    static const int no[] = { 200, 301, 400, 401, 403, 404, 410, 416, 501, 505 };
    for (size_t i = 0; i < TY_COUNT(yes); i++)
        assert_true(again(&(struct ty_http_client_result){ .whole = true, .status = yes[i] }));
    for (size_t i = 0; i < TY_COUNT(no); i++)
        assert_false(again(&(struct ty_http_client_result){ .whole = true, .status = no[i] }));
    assert_true(again(&(struct ty_http_client_result){ .lost = true }));
    assert_true(again(&(struct ty_http_client_result){ .lost = true, .status = 200 }));
    assert_false(again(&(struct ty_http_client_result){ .status = 503 }));
}

static void test_back_off(void **state)
{
    (void)state;
    struct ty_retry r = { .most = 10 };
    const struct ty_http_client_result lost = { .lost = true };
    int64_t ms, want = 500;
    for (unsigned i = 0; i < 10; i++) {
        assert_true(ty_retry_again(&r, &lost, NULL, NOW, 0, &ms));
        assert_int_equal(ms, want);
        want = want < 32000 ? 2 * want : want;
    }
    assert_false(ty_retry_again(&r, &lost, NULL, NOW, 0, &ms)); /* ten were enough */
    r.tries = 0;
    assert_true(ty_retry_again(&r, &lost, NULL, NOW, 255, &ms));
    assert_true(ms > 600 && ms < 625); /* the jitter */
}

static void test_the_server_decides(void **state)
{
    (void)state;
    struct ty_retry r = { .most = 5 };
    const struct ty_http_client_result busy = { .whole = true, .status = 429 };
    int64_t ms;
    assert_true(ty_retry_again(&r, &busy, "20", NOW, 0, &ms));
    assert_int_equal(ms, 20000);
    assert_true(ty_retry_again(&r, &busy, "0", NOW, 0, &ms)); /* not less than our own */
    assert_int_equal(ms, 1000);
    assert_false(ty_retry_again(&r, &busy, "301", NOW, 0, &ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_what_is_worth_a_try),
        cmocka_unit_test(test_back_off),
        cmocka_unit_test(test_the_server_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
