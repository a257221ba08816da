#include "convert/convert.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t number(struct ty_arena *a, const char *directive, const char *path)
{
    struct ty_converted done;
    char *text = ty_arena_printf(a, "#!/bin/sh\n#SBATCH %s\nsrun a\n", directive);
    int64_t n = -1;
    assert_true(ty_convert_is_sbatch(ty_str(text)));
    if (ty_convert_sbatch(a, "dir/my_Job.sh", ty_str(text), &done) < 0)
        return -1;
    assert_true(ty_str_is(ty_json_str_at(done.job, "metadata.name"), "my-job"));
    ty_json_int_at(done.job, path, &n);
    return n;
}

static void test_numbers(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    static const struct {
        const char *directive, *path;
        int64_t want;
    } rows[] = {
        { "-N 3", "spec.trainer.numNodes", 3 },
        { "-N3", "spec.trainer.numNodes", 3 },
        { "--nodes=3 # three", "spec.trainer.numNodes", 3 },
        { "--nodes 3", "spec.trainer.numNodes", 3 },
        { "-n 8 --ntasks-per-node=4", "spec.trainer.numNodes", 2 },
        { "-N 2 -n 7", "spec.trainer.numProcPerNode", 4 },
        { "-t 90", "spec.activeDeadlineSeconds", 5400 },
        { "-t 1:30", "spec.activeDeadlineSeconds", 90 },
        { "-t 2:00:01", "spec.activeDeadlineSeconds", 7201 },
        { "-t 1-1", "spec.activeDeadlineSeconds", 90000 },
        { "-c 4 --ntasks-per-node=2", "spec.trainer.resourcesPerNode.limits.cpu", 8 },
        { "-N 0", "spec.trainer.numNodes", -1 },
        { "-N", "spec.trainer.numNodes", -1 },
        { "--mem=lots", "spec.trainer.numNodes", -1 },
        { "-t 1:2:3:4", "spec.activeDeadlineSeconds", -1 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(number(a, rows[i].directive, rows[i].path), rows[i].want);
}

static void test_steps(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_converted done;
    const char *text = "#!/bin/sh\n#SBATCH -N 1\nexport A=1\nsrun -n 2 \\\n  python x.py\nsrun b\n";
    assert_int_equal(ty_convert_sbatch(a, "x", ty_str(text), &done), 0);
    const struct ty_json *args = ty_json_at(done.job, "spec.trainer.args");
    assert_true(
        ty_str_is(ty_json_text_of(ty_json_item(args, 0)), "export A=1\nexec python x.py\n"));
    size_t n = 0;
    for (const struct ty_convert_note *w = done.warnings; w; w = w->next)
        n++;
    assert_int_equal(n, 3); /* -n, the second step, the image */
}

static void test_not_a_script(void **state)
{
    (void)state;
    assert_false(ty_convert_is_sbatch(TY_LIT("#!/bin/sh\necho\n")));
    assert_false(ty_convert_is_sbatch(TY_LIT("kind: TrainJob\n#SBATCH\n")));
    assert_false(ty_convert_is_sbatch((struct ty_str){ 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_not_a_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
