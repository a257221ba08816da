#include "advise/check_server.h"
#include "advise/doctor_testing.h"

static void version(struct doctor_fixture *w, const char *text)
{
    doctor_fixture_put(w, &ty_kind_server, "", "version",
                       ty_arena_printf(w->a, "{'gitVersion':'%s'}", text));
}

static void test_old_and_new(void **state)
{
    struct doctor_fixture *w = *state;

    version(w, "v1.32.0");
    assert_results(w, ty_check_server, "ok server: Kubernetes v1.32.0 at https://x");
    version(w, "v1.31.9+k3s1");
    assert_results(w, ty_check_server,
                   "fail server: Kubernetes v1.31.9+k3s1 at https://x is too old");
    assert_string_equal(w->said.first->fix, "upgrade the cluster to Kubernetes 1.32 or later");
    version(w, "v0.0.0-master"); /* a custom build */
    assert_result_has(w, ty_check_server, "ok server: ");
    doctor_fixture_miss(w, &ty_kind_server, "", "version", -EACCES);
    assert_result_has(w, ty_check_server,
                      "warn server: https://x does not say its version: forbidden");
}

static void test_numbers(void **state TY_UNUSED)
{
    assert_int_equal(ty_check_server_version(TY_LIT("v1.36.3")), 1036);
    assert_int_equal(ty_check_server_version(TY_LIT("1.9")), 1009);
    assert_int_equal(ty_check_server_version(TY_LIT("v1")), -1);
    assert_int_equal(ty_check_server_version(TY_LIT("v1.")), -1);
    assert_int_equal(ty_check_server_version(TY_LIT("v")), -1);
    assert_int_equal(ty_check_server_version(TY_LIT("")), -1);
    assert_int_equal(ty_check_server_version(TY_LIT("latest")), -1);
    assert_int_equal(ty_check_server_version(TY_LIT("v1.99999999999999999999")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        doctor_fixture_test(test_old_and_new),
        doctor_fixture_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
