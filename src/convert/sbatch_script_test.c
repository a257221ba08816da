#include "convert/convert_testing.h"

static struct ty_convert_result script(struct ty_arena *a, const char *body)
{
    struct ty_convert_result done;
    char *text = ty_arena_printf(a, "#!/bin/bash\n#SBATCH -N 2\n%s", body);
    if (ty_convert_sbatch(a, "x", ty_str(text), &done) < 0)
        fail_msg("%s: %s", done.bad->path, done.bad->text);
    return done;
}

static const char *command(struct ty_arena *a, const struct ty_convert_result *done)
{
    struct ty_str s = ty_json_as_str(ty_json_item(ty_json_at(done->job, "spec.trainer.args"), 0));
    return ty_arena_cstr(a, s);
}

static bool ends_with(const char *text, const char *end)
{
    return ty_str_ends(ty_str(text), ty_str(end));
}

/* The commands are the user's, byte for byte. */
static void test_text_stays(void **state TY_UNUSED)
{
    static const char *const bodies[] = {
        "srun a\n",
        "# why\n  srun --label \\\n    python x.py \\\n    --lr 1\n\n# more\n",
        "cat > c.json <<EOF\n{ \"srun\": 1 }\n#SBATCH -N 9\n  EOF\nEOF\nsrun a c.json\n",
        "cat <<-'END' > f\n\tsrun b\n\tmodule load x\n\tEND\nsrun a\n",
        "if [ -e x ]; then\n  srun a\nelse\n  srun b\nfi\n",
        "for i in 1 2; do srun a $i & done; wait\n",
        "grep x <<< \"$y\"\nsrun a\n",
    };
    for (size_t i = 0; i < TY_COUNT(bodies); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done = script(a, bodies[i]);
        const char *text = command(a, &done);
        const char *from = strncmp(bodies[i], "# why\n", 6) == 0 ? bodies[i] + 6 : bodies[i];
        if (!ends_with(text, from)) /* comments before the first command are #SBATCH's place */
            fail_msg("%s", text);
        assert_null(warning(&done, "#SBATCH"));
        assert_int_equal(ty_json_at(done.job, "spec.trainer.numNodes")->i, 2);
    }
}

/* A here-document holds no commands. */
static void test_documents_are_no_commands(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        script(a, "cat > run.sh <<EOF\nsqueue\nmodule load x\n$SLURM_FOO\nEOF\nsrun bash run.sh\n");
    assert_false(warned(&done, "line 4"));
    assert_null(strstr(command(a, &done), "module()"));
    done = script(a, "x=$((1<<4))\nsqueue\nsrun a\n");
    assert_string_equal(warning(&done, "line 4"), "there is no squeue in a container");
    done = script(a, "cat <<EOF\nsrun a\n");
    assert_has(warning(&done, ""), "the here-document EOF does not end");
}

static void test_warnings_have_lines(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        script(a, "module load cuda\n\necho $SLURM_TOPOLOGY_ADDR $SLURM_NNODES\nsrun --label \\\n "
                  " -n 2 a\n#SBATCH -N 3\necho done\nsrun b\n");
    assert_has(warning(&done, "line 3"), "not from modules");
    assert_string_equal(warning(&done, "line 5"),
                        "SLURM_TOPOLOGY_ADDR is a variable that only Slurm sets: it is empty here");
    assert_has(warning(&done, "line 6"), "--label is not carried over");
    assert_has(warning(&done, "#SBATCH"), "stops at the first command");
    assert_has(warning(&done, "line 9"), "runs on every node");
    assert_has(warning(&done, "line 10"), "another step");
}

/* Kubernetes would make one dollar of two, and look for a variable called hostname. */
static void test_dollars_survive_kubernetes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        script(a, "t=/tmp/x.$$ h=$(hostname) d=$(date +%s) n=$((1 + 2)) c=${t} e=$\nsrun a\n");
    assert_has(command(a, &done), "t=/tmp/x.$$$$ h=$$(hostname) d=$(date +%s) "
                                  "n=$((1 + 2)) c=${t} e=$\n");
}

static void test_stand_ins(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = script(a, "a\n");
    assert_string_equal(command(a, &done), "a\n");
    assert_has(warning(&done, ""), "there is no srun or mpirun");
    done =
        script(a, "h=$(scontrol show hostnames | head -n 1)\nsrun torchrun --rdzv-id $RANDOM a\n");
    assert_has(command(a, &done), "scontrol() {");
    assert_has(command(a, &done), "RANDOM=1");
    assert_has(command(a, &done), "srun() (");
    assert_null(strstr(command(a, &done), "ty_i++"));
    done = script(a, "#SBATCH --ntasks-per-node=2\nsrun a\n");
    assert_has(command(a, &done), "ty_i++");
}

static void test_carriage_returns(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = script(a, "#SBATCH -c 3\r\nsrun a\r\n");
    assert_true(ends_with(command(a, &done), "\nsrun a\n"));
    assert_string_equal(json_at(a, done.job, "spec.trainer.resourcesPerNode.limits.cpu"), "3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_stays),
        cmocka_unit_test(test_documents_are_no_commands),
        cmocka_unit_test(test_warnings_have_lines),
        cmocka_unit_test(test_dollars_survive_kubernetes),
        cmocka_unit_test(test_stand_ins),
        cmocka_unit_test(test_carriage_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
