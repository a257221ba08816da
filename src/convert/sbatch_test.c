#include "convert/convert_testing.h"

static struct ty_convert_result script(struct ty_arena *a, const char *text)
{
    struct ty_convert_result done;
    if (ty_convert_sbatch(a, "dir/my_Job.sh", ty_str(text), &done) < 0)
        fail_msg("%s: %s", done.bad->path, done.bad->text);
    return done;
}

static void refuse_script(struct ty_arena *a, const char *text, unsigned line, const char *words)
{
    struct ty_convert_result done;
    assert_int_equal(ty_convert_sbatch(a, "x", ty_str(text), &done), -EINVAL);
    assert_null(done.job);
    assert_int_equal(done.bad->line, line);
    if (!strstr(done.bad->text, words))
        fail_msg("\"%s\" does not say \"%s\"", done.bad->text, words);
}

static void test_what_a_script_is(void **state TY_UNUSED)
{
    assert_true(ty_convert_is_sbatch(TY_LIT("#!/bin/sh\n#SBATCH -N 1\n")));
    assert_false(ty_convert_is_sbatch(TY_LIT("#!/bin/sh\necho\n")));
    assert_false(ty_convert_is_sbatch(TY_LIT("kind: TrainJob\n#SBATCH\n")));
    assert_false(ty_convert_is_sbatch((struct ty_str){ 0 }));
}

static void test_the_job(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        script(a, "#!/bin/bash -e\n#SBATCH -N 2 -c 4 --mem=1G -t 5\nsrun ./a\n");
    assert_string_equal(json_at(a, done.job, "metadata"), "{\"name\":\"my-job\"}");
    assert_string_equal(json_at(a, done.job, "spec.trainer.command"), "[\"bash\",\"-e\",\"-c\"]");
    assert_string_equal(json_at(a, done.job, "spec.trainer.resourcesPerNode"),
                        "{\"limits\":{\"cpu\":4,\"memory\":\"1Gi\"}}");
    assert_string_equal(json_at(a, done.job, "spec.activeDeadlineSeconds"), "300");
    assert_true(ty_str_is(trainer_env(&done, "SLURM_PROCID"), "$(SLURM_NODEID)"));
    assert_true(ty_str_is(trainer_env(&done, "SLURM_NTASKS"), "2"));
    assert_true(ty_str_is(trainer_env(&done, "SLURM_JOB_NODELIST"),
                          "my-job-node-0-0.my-job,my-job-node-0-1.my-job"));
    assert_true(ty_str_is(ty_json_str_at(done.job, "spec.runtimeRef.name"), "torch-distributed"));
}

static void test_mpi(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = script(a, "#!/bin/sh\n#SBATCH -n 8 -N 2\nmpirun ./pi\n");
    assert_true(ty_str_is(ty_json_str_at(done.job, "spec.runtimeRef.name"), "mpi"));
    assert_string_equal(json_at(a, done.job, "spec.trainer.numProcPerNode"), "4");
    assert_null(ty_json_at(done.job, "spec.trainer.env")); /* mpirun would look for Slurm */
    assert_string_equal(json_at(a, done.job, "spec.trainer.args"), "[\"mpirun ./pi\\n\"]");
    done = script(a, "#SBATCH -n 4 -N 2\nmpirun -x N=$SLURM_NNODES ./pi > $SLURM_JOB_ID.out\n");
    const char *text = json_at(a, done.job, "spec.trainer.args");
    assert_null(ty_json_at(done.job, "spec.trainer.env"));
    assert_has(text, "\\nSLURM_NODEID=0\\nSLURM_PROCID=0\\n");
    assert_has(text, "\\nSLURM_NNODES=2\\n");
    assert_has(text, "\\nSLURM_JOB_ID=my-job\\n");
    assert_has(text, "=my-job-node-0-0.my-job,my-job-launcher-0-0.my-job\\n");
    assert_null(strstr(text, "export"));
    static const char *const launchers[] = { "/usr/bin/mpirun", "mpirun.openmpi",
                                             "mpiexec.hydra -l" };
    for (size_t i = 0; i < TY_COUNT(launchers); i++) {
        done = script(a, ty_arena_printf(a, "#SBATCH -N 2\ntime %s ./pi\n", launchers[i]));
        assert_true(ty_str_is(ty_json_str_at(done.job, "spec.runtimeRef.name"), "mpi"));
    }
    done = script(a, "#SBATCH -N 2\n./mpirunner /opt/mpi/run\n");
    assert_true(ty_str_is(ty_json_str_at(done.job, "spec.runtimeRef.name"), "torch-distributed"));
    done = script(a, "#!/bin/sh\n#SBATCH -n 8 -N 2\nsrun --mpi=pmix ./pi\n");
    assert_true(ty_str_is(ty_json_str_at(done.job, "spec.runtimeRef.name"), "mpi"));
    assert_has(json_at(a, done.job, "spec.trainer.args"), "exec mpirun");
}

static void test_first_lines(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    script(a, "#!/usr/bin/env bash\n#SBATCH -N 1\na\n");
    script(a, "#SBATCH -N 1\na\n"); /* --from sbatch */
    refuse_script(a, "#!/usr/bin/env python3\n#SBATCH -N 1\nprint()\n", 1,
                  "only scripts of sh and bash can be converted, not of python3");
    refuse_script(a, "#!/bin/csh\n#SBATCH -N 1\na\n", 1, "not of csh");
}

static void test_what_cannot_be(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done;
    refuse_script(a, "#!/bin/sh\n#SBATCH -N 2\n", 1, "the script has no command");
    refuse_script(a, "", 1, "the script has no command");
    refuse_script(a, "#SBATCH --mem-per-cpu=900000000T -c 1000000 --ntasks-per-node=9\na\n", 1,
                  "no node has so much memory");
    refuse_script(a, "#SBATCH --mem=900000000T\na\n", 1, "no node has so much memory");
    refuse_script(a, "#!/bin/sh\n#SBATCH -N 20000\na\n", 1, "20000 nodes are too many");
    assert_int_equal(ty_convert_sbatch(a, "x", (struct ty_str){ "a\0b", 3 }, &done), -EINVAL);
    assert_string_equal(done.bad->text, "this is no text: byte 2 is no UTF-8");
    refuse_script(a, "#!/bin/sh\n#SBATCH -N 1\necho \xff\n", 3, "byte 29 is no UTF-8");
    refuse_script(a, "a \xc3", 1, "byte 3 is no UTF-8"); /* cut in the middle */
    assert_int_equal(ty_convert_sbatch(a, "x", (struct ty_str){ 0 }, &done), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_script_is),
        cmocka_unit_test(test_the_job),
        cmocka_unit_test(test_mpi),
        cmocka_unit_test(test_first_lines),
        cmocka_unit_test(test_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
