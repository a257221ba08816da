#include "net/microhttpd.h"
#include "net/testing.h"

static void loads_twice_and_stays(void **state TY_UNUSED)
{
    struct ty_microhttpd a = { 0 }, b = { 0 };
    struct ty_err err = { 0 };

    if (ty_microhttpd_load(&a, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ty_microhttpd_load(&b, &err), 0);
    ty_microhttpd_done(&b);
    assert_null(b.lib);
    assert_non_null(a.start_daemon);
    ty_microhttpd_done(&a);
    ty_microhttpd_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_twice_and_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
