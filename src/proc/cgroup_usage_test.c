#include "proc/cgroup_usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"

static void is_path(const char *text, const char *want)
{
    assert_true(ty_str_is(ty_cgroup_usage_path(ty_str(text)), want));
}

static void test_paths(void **state)
{
    (void)state;
    is_path("0::/u/trainyard-12-345/t-node-0-0-x7k2p.node\n",
            "/u/trainyard-12-345/t-node-0-0-x7k2p.node");
    is_path("4:memory:/x\n0::/trainyard-12-345/pod.c/made/inside\n", "/trainyard-12-345/pod.c");
    is_path("0::/trainyard-1-2/a.c/trainyard-3-4/b.c\n", "/trainyard-1-2/a.c/trainyard-3-4/b.c");
    is_path("0::/trainyard-12-345\n", "");
    is_path("0::/trainyard-12/pod.c\n", "");
    is_path("0::/trainyard-12-3x/pod.c\n", "");
    is_path("0::/user.slice/session.scope\n", "");
    is_path("4:memory:/trainyard-1-2/pod.c\n0::/\n", "");
    is_path("", "");
}

static void write_text(const char *dir, const char *file, const char *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void test_reading(void **state)
{
    char dir[] = "/tmp/trainyard-test-XXXXXX";
    struct ty_cgroup_usage u = { 0 };

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_false(ty_cgroup_usage_read(dir, &u));
    write_text(dir, "cpu.stat", "usage_usec 1234567\nuser_usec 1\nsystem_usec 2\n");
    assert_false(ty_cgroup_usage_read(dir, &u)); /* no memory controller */
    write_text(dir, "memory.current", "5000\n");
    assert_true(ty_cgroup_usage_read(dir, &u));
    assert_int_equal(u.cpu_ms, 1234);
    assert_int_equal(u.memory, 5000);
    write_text(dir, "memory.stat", "anon 3000\nfile 2000\ninactive_file 1500\nactive_file 500\n");
    assert_true(ty_cgroup_usage_read(dir, &u));
    assert_int_equal(u.memory, 3500);
    write_text(dir, "memory.current", "1000\n");
    assert_true(ty_cgroup_usage_read(dir, &u));
    assert_int_equal(u.memory, 1000);
    tree_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
