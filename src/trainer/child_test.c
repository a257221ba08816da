#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trainer/child.h"

/* What is made is recognised, as that child of that job and no other. */
static void test_round_trip(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    for (int i = 0; i < TY_CHILD_COUNT; i++) {
        struct ty_str name = ty_str(ty_child_name(a, (enum ty_child)i, TY_LIT("a-job")));
        for (int other = 0; other < TY_CHILD_COUNT; other++)
            assert_int_equal(ty_child_is((enum ty_child)other, name), other == i);
        assert_true(ty_str_is(ty_child_job(name), "a-job"));
    }
}

/* Upstream's names, to the letter: after a change of managers they are found again. */
static void test_the_names_are_upstreams(void **state TY_UNUSED)
{
    static const char *const want[] = {
        [TY_CHILD_SNAPSHOT] = "j-runtime-snapshot",    [TY_CHILD_MPI_KEY] = "j-mpi-ssh-auth",
        [TY_CHILD_MPI_HOSTS] = "j-mpi-hostfile",       [TY_CHILD_STATUS_CA] = "j-tls-config",
        [TY_CHILD_FLUX_SCRIPTS] = "j-flux-entrypoint", [TY_CHILD_FLUX_CURVE] = "j-flux-curve",
    };
    ty_auto_arena *a = ty_arena_new(1 << 16);

    for (int i = 0; i < TY_CHILD_COUNT; i++)
        assert_string_equal(ty_child_name(a, (enum ty_child)i, TY_LIT("j")), want[i]);
}

static void test_what_is_no_childs_name(void **state TY_UNUSED)
{
    static const char *const rows[] = { "",
                                        "j",
                                        "-runtime-snapshot",
                                        "runtime-snapshot",
                                        "j-runtime-snapshots",
                                        "j-runtime-snapshot-2" };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_int_equal(ty_child_job(ty_str(rows[i])).n, 0);
        assert_false(ty_child_is(TY_CHILD_SNAPSHOT, ty_str(rows[i])));
    }
    assert_true(ty_str_is(ty_child_job(TY_LIT("j-mpi-hostfile-runtime-snapshot")),
                          "j-mpi-hostfile")); /* a job may be called like a child */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_the_names_are_upstreams),
        cmocka_unit_test(test_what_is_no_childs_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
