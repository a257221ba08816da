#include "convert/convert_testing.h"

static int convert_line(struct ty_arena *a, const char *directive, struct ty_convert_result *ret)
{
    char *text = ty_arena_printf(a, "#!/bin/sh\n#SBATCH %s\nsrun a\n", directive);
    return ty_convert_sbatch(a, "x", ty_str(text), ret);
}

#define NODES "spec.trainer.numNodes"
#define PROCS "spec.trainer.numProcPerNode"
#define TIME  "spec.activeDeadlineSeconds"
#define LIMIT "spec.trainer.resourcesPerNode.limits"

static void test_carried_over(void **state TY_UNUSED)
{
    static const struct {
        const char *directive, *path, *want;
    } rows[] = {
        { "-N 3", NODES, "3" },
        { "-N3", NODES, "3" },
        { "--nodes=3 # three", NODES, "3" },
        { "--nodes 3", NODES, "3" },
        { "--nodes='3'", NODES, "3" },
        { "--nodes=2-4", NODES, "2" },
        { "-n 8 --ntasks-per-node=4", NODES, "2" },
        { "-N 2 -n 8", PROCS, "4" },
        { "-N 2 -n 7", PROCS, "4" },
        { "--tasks-per-node=2", PROCS, "2" },
        { "-t 90", TIME, "5400" },
        { "-t 1:30", TIME, "90" },
        { "-t 2:00:01", TIME, "7201" },
        { "-t 1-1", TIME, "90000" },
        { "-t 1-1:30", TIME, "91800" },
        { "--time=1-01:30:05", TIME, "91805" },
        { "-t 0", TIME, "null" },
        { "--time=UNLIMITED", TIME, "null" },
        { "-c 4 --ntasks-per-node=2", LIMIT, "{\"cpu\":8}" },
        { "--mem=512", LIMIT, "{\"memory\":\"512Mi\"}" },
        { "--mem=2048M", LIMIT, "{\"memory\":\"2Gi\"}" },
        { "--mem=1000K", LIMIT, "{\"memory\":\"1000Ki\"}" },
        { "--mem=3t", LIMIT, "{\"memory\":\"3Ti\"}" },
        { "--mem=0", LIMIT, "null" },
        { "--mem-per-cpu=2G -c 4", LIMIT, "{\"cpu\":4,\"memory\":\"8Gi\"}" },
        { "--mem-per-gpu=10G --gpus-per-node=2", LIMIT,
          "{\"memory\":\"20Gi\",\"nvidia.com/gpu\":2}" },
        { "--gpus-per-node=4", LIMIT, "{\"nvidia.com/gpu\":4}" },
        { "--gpus-per-node=a100:4", LIMIT, "{\"nvidia.com/gpu\":4}" },
        { "--gpus-per-task=2 --ntasks-per-node=2", LIMIT, "{\"nvidia.com/gpu\":4}" },
        { "-N 2 -G 8", LIMIT, "{\"nvidia.com/gpu\":4}" },
        { "--gres=gpu", LIMIT, "{\"nvidia.com/gpu\":1}" },
        { "--gres=gpu:2", LIMIT, "{\"nvidia.com/gpu\":2}" },
        { "--gres=gpu:a100", LIMIT, "{\"nvidia.com/gpu\":1}" },
        { "--gres=gpu:a100:8", LIMIT, "{\"nvidia.com/gpu\":8}" },
        { "--gres=gpu:2,nvme:1", LIMIT, "{\"nvidia.com/gpu\":2}" },
        { "--gres=nvme:1", LIMIT, "null" },
        { "-J 'My first job'", "metadata.name", "\"my-first-job\"" },
        { "--job-name=9lives", "metadata.name", "\"lives\"" },
        { "--frobnicate 7 -N 2", NODES, "2" },
        { "--exclusive -N 2", NODES, "2" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done;
        if (convert_line(a, rows[i].directive, &done) < 0)
            fail_msg("%s: %s", rows[i].directive, done.bad->text);
        if (strcmp(json_at(a, done.job, rows[i].path), rows[i].want) != 0)
            fail_msg("%s: %s", rows[i].directive, json_at(a, done.job, rows[i].path));
    }
}

static void test_refused(void **state TY_UNUSED)
{
    static const struct {
        const char *directive, *path, *words;
    } rows[] = {
        { "-N 0", "#SBATCH -N", "\"0\" is no whole number from 1 to 1000000" },
        { "-N -1", "#SBATCH -N", "a value is needed" },
        { "-N", "#SBATCH -N", "a value is needed" },
        { "-N 99999999999999999999", "#SBATCH -N", "is no whole number" },
        { "-n many", "#SBATCH -n", "is no whole number" },
        { "--mem=lots", "#SBATCH --mem=lots", "\"lots\" is no amount of memory" },
        { "--mem=G", "#SBATCH --mem=G", "is no amount of memory" },
        { "--mem=9999999999999G", "#SBATCH --mem=9999999999999G", "is no amount of memory" },
        { "-t 1:2:3:4", "#SBATCH -t", "\"1:2:3:4\" is no time" },
        { "-t soon", "#SBATCH -t", "is no time" },
        { "-t -5", "#SBATCH -t", "a value is needed" },
        { "--gres=gpu:a100:many", "#SBATCH --gres=gpu:a100:many", "is no whole number" },
        { "--array=all", "#SBATCH --array=all", "is no list of array tasks" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done;
        assert_int_equal(convert_line(a, rows[i].directive, &done), -EINVAL);
        assert_string_equal(done.bad->path, rows[i].path);
        assert_int_equal(done.bad->line, 2);
        if (!strstr(done.bad->text, rows[i].words))
            fail_msg("%s: %s", rows[i].directive, done.bad->text);
    }
}

static void test_told_with_its_line(void **state TY_UNUSED)
{
    static const struct {
        const char *directive, *path, *words;
    } rows[] = {
        { "--partition gpu", "#SBATCH --partition", "use a nodeSelector" },
        { "-p gpu", "#SBATCH -p", "use a nodeSelector" },
        { "--frobnicate=7", "#SBATCH --frobnicate=7", "trainyard knows nothing like it" },
        { "-Z", "#SBATCH -Z", "trainyard knows nothing like it" },
        { "stray", "#SBATCH stray", "trainyard knows nothing like it" },
        { "--gres=gpu:h100:2", "#SBATCH --gres=gpu:h100:2", "GPUs of type h100" },
        { "--gres=gpu:2,nvme:1", "#SBATCH --gres=gpu:2,nvme:1", "nvme:1 is no GPU" },
        { "--mem=0", "#SBATCH --mem=0", "all memory of a node is not known" },
        { "-N 2 -n 7", "#SBATCH --ntasks", "7 tasks on 2 nodes become 4 on each" },
        { "--array=5-9%2", "#SBATCH --array=5-9%2", "this one is task 5" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done;
        assert_int_equal(convert_line(a, rows[i].directive, &done), 0);
        const char *text = warning(&done, rows[i].path);
        if (!text || !strstr(text, rows[i].words))
            fail_msg("%s: %s", rows[i].directive, text ? text : "no warning");
        for (const struct ty_convert_note *n = done.warnings; n; n = n->next)
            assert_true(n->line == 1 || n->line == 2);
    }
}

static void test_array_task(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    assert_int_equal(convert_line(a, "--array=0-3", &done), 0);
    assert_true(ty_str_is(trainer_env(&done, "SLURM_ARRAY_TASK_ID"), "0"));
    assert_int_equal(convert_line(a, "-N 1", &done), 0);
    assert_true(trainer_env(&done, "SLURM_ARRAY_TASK_ID").n == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carried_over),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_told_with_its_line),
        cmocka_unit_test(test_array_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
