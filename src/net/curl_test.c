#include "net/curl.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_it_loads_and_works(void **state)
{
    (void)state;
    struct ty_curl c = { 0 };
    struct ty_err err = { 0 };
    if (ty_curl_load(&c, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(c.lib);
    CURL *easy = c.easy_init();
    assert_non_null(easy);
    assert_int_equal(c.easy_setopt(easy, CURLOPT_AWS_SIGV4, "aws:amz:r:s3"), CURLE_OK);
    c.easy_cleanup(easy);
    ty_curl_done(&c);
    assert_null(c.lib);
    ty_curl_done(&c);
}

static void test_twice(void **state)
{
    (void)state;
    struct ty_curl a = { 0 }, b = { 0 };
    assert_int_equal(ty_curl_load(&a, NULL), 0);
    assert_int_equal(ty_curl_load(&b, NULL), 0);
    ty_curl_done(&a);
    assert_string_equal(b.easy_strerror(CURLE_OK), "No error");
    ty_curl_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_loads_and_works),
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
