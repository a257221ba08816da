#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/machine.h"

#define GIB ((int64_t)1 << 30)

static const char *const gpus[] = { "0", "1", NULL };

static struct ty_machine good(void)
{
    return (struct ty_machine){
        .host = { .mounts = true,
                  .pid_ns = true,
                  .cpus = 4,
                  .memory = 8 * GIB,
                  .gpus = gpus,
                  .gpu_resource = "nvidia.com/gpu",
                  .pods_most = 1000,
                  .pods_why = "why" },
        .python = "/usr/bin/python3",
        .mpirun = "/usr/bin/mpirun",
        .torch = "2.9.1",
        .cgroup = "/sys/fs/cgroup/x",
        .state = "/s",
        .state_free = 10 * GIB,
        .shm = GIB,
        .port_lo = 32768,
        .port_hi = 60999,
    };
}

/* The line of that name, as "level: what". */
static const char *line(struct ty_arena *a, const struct ty_machine *m, const char *name)
{
    struct ty_check_results c = { .arena = a, .area = "machine" };

    ty_machine_check(m, &c);
    for (const struct ty_check_result *one = c.first; one; one = one->next) {
        if (one->level != TY_CHECK_LEVEL_OK)
            assert_non_null(one->fix);
        if (strcmp(one->name, name) == 0)
            return ty_arena_printf(a, "%s: %s", ty_check_level_names[one->level], one->what);
    }
    return "";
}

static void test_all_is_well(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_machine m = good();
    struct ty_check_results c = { .arena = a, .area = "machine" };

    ty_machine_check(&m, &c);
    assert_int_equal(c.n[TY_CHECK_LEVEL_WARN] + c.n[TY_CHECK_LEVEL_FAIL], 0);
    assert_string_equal(line(a, &m, "devices"),
                        "ok: 4 cpus, 8192 MiB of memory, 2 GPUs (nvidia.com/gpu)");
    assert_string_equal(line(a, &m, "state"), "ok: /s has 10 GiB left");
}

static void test_programs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_machine m = good();

    m.torch = m.mpirun = NULL;
    assert_string_equal(line(a, &m, "torch"),
                        "warn: /usr/bin/python3 has no PyTorch: torchrun jobs cannot run here");
    assert_string_equal(line(a, &m, "mpi"),
                        "warn: no mpirun in PATH: TrainJobs of MPI runtimes cannot run here");
    m.torchrun = "/opt/venv/bin/python3";
    assert_string_equal(line(a, &m, "torch"),
                        "warn: torchrun's /opt/venv/bin/python3 has no PyTorch: torchrun jobs "
                        "cannot run here");
    m.torch = "2.9.1";
    assert_string_equal(line(a, &m, "torch"),
                        "ok: PyTorch 2.9.1, torchrun runs /opt/venv/bin/python3");
    m.python = m.torch = m.torchrun = NULL;
    assert_string_equal(line(a, &m, "torch"), ""); /* one thing at a time */
    assert_string_equal(
        line(a, &m, "python"),
        "warn: no python3 in PATH: TrainJobs that train with Python cannot run here");
}

static void test_kernel(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_machine m = good();

    m.host.pid_ns = false;
    assert_string_equal(line(a, &m, "namespaces"),
                        "warn: pods see each other's processes: no pid namespaces");
    m.host.mounts = false;
    m.host.no_mounts = "unshare: not permitted";
    assert_string_equal(line(a, &m, "namespaces"),
                        "warn: no volumes, no host names and no /etc/hosts for pods: unshare: not "
                        "permitted");
    m.cgroup = NULL;
    m.no_cgroup = "none";
    assert_string_equal(line(a, &m, "cgroups"), "warn: limits of containers are not kept: none");
    m.zygote = "fork: no";
    assert_string_equal(line(a, &m, "processes"), "fail: no process can be started: fork: no");
}

static void test_room(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_machine m = good();

    m.state_free = 500 << 20;
    assert_string_equal(line(a, &m, "state"), "warn: /s has only 500 MiB left");
    m.state_free = 1 << 20;
    assert_string_equal(line(a, &m, "state"), "fail: /s has 1 MiB left: logs will be lost");
    m.state_bad = "/s: Permission denied";
    assert_string_equal(line(a, &m, "state"), "warn: /s: Permission denied: runs leave no history");
    m.shm = 64 << 20;
    assert_string_equal(line(a, &m, "shm"),
                        "warn: /dev/shm has only 64 MiB: data loaders with workers fail");
    m.shm = -1;
    assert_string_equal(line(a, &m, "shm"),
                        "warn: there is no /dev/shm: data loaders with workers fail");
    m.host.pods_most = 8;
    assert_string_equal(line(a, &m, "limits"), "warn: at most 8 pods at once: why");
    m.port_hi = -1;
    m.port_lo = 0;
    assert_string_equal(line(a, &m, "ports"), "warn: the kernel gives out only 0 ports");
}

static void test_libraries(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_machine m = good();

    m.no_curl = "libcurl-gnutls.so.4: cannot open";
    assert_string_equal(line(a, &m, "libraries"),
                        "warn: libcurl: nothing can be downloaded, no cluster be read through a "
                        "proxy: "
                        "libcurl-gnutls.so.4: cannot open");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_well), cmocka_unit_test(test_programs),
        cmocka_unit_test(test_kernel),      cmocka_unit_test(test_room),
        cmocka_unit_test(test_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
