#include "net/gnutls.h"
#include "net/testing.h"

static void loads_twice_and_stays(void **state TY_UNUSED)
{
    struct ty_gnutls a = { 0 }, b = { 0 };
    struct ty_err err = { 0 };

    if (ty_gnutls_load(&a, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ty_gnutls_load(&b, &err), 0);
    ty_gnutls_done(&b);
    assert_null(b.lib);
    assert_string_equal(a.why(0), "Success.");
    ty_gnutls_done(&a);
    ty_gnutls_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_twice_and_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
