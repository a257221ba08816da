/* Facts that hold on every machine. tests/doctor removes things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "advise/machine.h"

static void test_this_one(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    struct ty_machine m;

    ty_machine_find(a, "/tmp/trainyard-no-such/deeper", &m);
    assert_null(m.zygote);
    assert_true(m.host.cpus > 0 && m.host.memory > 0 && m.host.pods_most > 0);
    assert_true(m.cgroup || m.no_cgroup);
    assert_null(m.state_bad); /* it would be created in /tmp */
    assert_true(m.state_free > 0);
    assert_int_not_equal(access("/tmp/trainyard-no-such", F_OK), 0); /* but was not */
    assert_true(m.port_lo > 0 && m.port_hi > m.port_lo);
    assert_null(m.no_curl);
}

static void test_an_empty_path(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    struct ty_machine m;

    setenv("PATH", "", 1);
    ty_machine_find(a, "/proc/1/no", &m);
    assert_null(m.python);
    assert_null(m.torch);
    assert_null(m.mpirun);
    assert_non_null(m.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this_one),
        cmocka_unit_test(test_an_empty_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
