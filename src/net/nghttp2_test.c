#include "net/nghttp2.h"
#include "net/testing.h"

static void found_and_freed(void **state)
{
    struct ty_nghttp2 n = { 0 };
    struct ty_err err = { 0 };
    (void)state;
    ty_nghttp2_done(&n);
    assert_int_equal(ty_nghttp2_load(&n, &err), 0);
    assert_non_null(n.lib);
    assert_non_null(n.session_mem_recv);
    assert_string_equal(n.why(0), "Success");
    ty_nghttp2_done(&n);
    assert_null(n.lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(found_and_freed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
