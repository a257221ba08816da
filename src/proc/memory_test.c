/* Over folders of our own that look like the kernel's. */
#include "proc/memory.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/tree_testing.h"

static int setup(void **state)
{
    char *dir = strdup("/tmp/trainyard-memory-XXXXXX");
    *state = mkdtemp(dir);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    tree_remove(*state);
    free(*state);
    return 0;
}

/* Makes the folders on the way, too. */
static void write_file(const char *dir, const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(path, 0755);
    }
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void is(const char *dir, size_t bytes, const char *from)
{
    struct ty_memory_limit limit;

    ty_memory_limit(dir, dir, &limit);
    assert_int_equal(limit.bytes, bytes);
    assert_true(from ? strstr(limit.from, from) != NULL : limit.from[0] == '\0');
}

static void test_none(void **state)
{
    is(*state, 0, NULL);
    write_file(*state, "cgroup", "0::/a/b\n");
    is(*state, 0, NULL);
    write_file(*state, "a/b/memory.max", "max\n");
    is(*state, 0, NULL);
    write_file(*state, "a/memory.max", "0\n"); /* no number of a kernel's */
    is(*state, 0, NULL);
}

/* Version 2: the smallest on the way up. */
static void test_the_smallest_above_us(void **state)
{
    write_file(*state, "cgroup", "0::/a/b\n");
    write_file(*state, "a/b/memory.max", "max\n");
    write_file(*state, "a/memory.max", "134217728\n");
    is(*state, 134217728, "/a/memory.max");
    write_file(*state, "a/b/memory.max", "33554432\n");
    is(*state, 33554432, "/a/b/memory.max");
    write_file(*state, "memory.max", "1048576\n"); /* in a cgroup namespace the mount is ours */
    is(*state, 1048576, "/memory.max");
}

static void test_version_1(void **state)
{
    write_file(*state, "cgroup", "5:cpu,cpuacct:/c\n4:hugetlb,memory:/pod/one\n0::/\n");
    write_file(*state, "memory/memory.limit_in_bytes", "9223372036854771712\n");
    is(*state, 0, NULL);
    write_file(*state, "memory/pod/memory.limit_in_bytes", "67108864\n");
    is(*state, 67108864, "/memory/pod/memory.limit_in_bytes");
}

/* The path is the host's: only the mount is to be seen. */
static void test_a_path_that_is_not_there(void **state)
{
    write_file(*state, "cgroup", "4:memory:/kubepods/pod1/c1\n");
    write_file(*state, "memory/memory.limit_in_bytes", "134217728\n");
    is(*state, 134217728, "/memory/memory.limit_in_bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_smallest_above_us, setup, teardown),
        cmocka_unit_test_setup_teardown(test_version_1, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_path_that_is_not_there, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
