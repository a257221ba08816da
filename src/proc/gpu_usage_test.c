#include "proc/gpu_usage.h"

#include "base/testing.h"

static void test_tables(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_gpu_usages u = { 0 };

    (void)state;
    ty_gpu_usage_parse_gpus(a, "GPU-1, 35\nGPU-2, [N/A]\nno devices were found\nGPU-3", &u);
    assert_int_equal(u.n_gpus, 3);
    assert_int_equal(u.gpus[0].percent, 35);
    assert_int_equal(u.gpus[1].percent, 0);
    ty_gpu_usage_parse_processes(a,
                                 "GPU-2, 77, 1024\nGPU-1, 78, [Insufficient Permissions]\n"
                                 "GPU-9, 79, 1\nGPU-1, -1, 5\nGPU-1, x, 5\nGPU-1\n\n, ,",
                                 &u);
    assert_int_equal(u.n_processes, 2);
    assert_int_equal(u.processes[0].gpu, 1);
    assert_int_equal(u.processes[0].pid, 77);
    assert_int_equal(u.processes[0].memory, (int64_t)1 << 30);
    assert_int_equal(u.processes[1].gpu, 0);
    assert_int_equal(u.processes[1].memory, 0);
}

static void test_nothing(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_gpu_usages u = { 0 };

    (void)state;
    ty_gpu_usage_parse_gpus(a, "NVIDIA-SMI has failed: no driver, 0\n", &u);
    assert_int_equal(u.n_gpus, 0);
    ty_gpu_usage_parse_processes(a, "GPU-1, 77, 1024\n", &u);
    assert_int_equal(u.n_processes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
