/* Lines as the programs print them; whole logs are in testdata/cascades. */
#include "report/failure_lines.h"

#include "base/testing.h"

static void test_exceptions(void **state)
{
    static const char *const good[] = {
        "ValueError: boom", "KeyboardInterrupt", "torch.cuda.OutOfMemoryError: x",
        "struct.error: x",  "queue.Empty",       "MyBoom: x"
    };
    static const char *const bad[] = { "step 3/10",   "loss: 0.5", "  File",   "",
                                       "12.5",        "done",      "done.",    "http://x",
                                       "Epoch 3: 5%", "::",        "a.b.c://", "3Error: x" };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(good); i++)
        assert_true(ty_failure_lines_exception(ty_str(good[i])));
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        if (ty_failure_lines_exception(ty_str(bad[i])))
            fail_msg("%s", bad[i]);
}

static void test_crashes(void **state)
{
    static const struct {
        const char *line, *error; /* NULL: none */
    } rows[] = {
        { "free(): invalid pointer", "free(): invalid pointer" },
        { "double free or corruption (!prev)", "double free or corruption (!prev)" },
        { "*** stack smashing detected ***: terminated",
          "*** stack smashing detected ***: terminated" },
        { "Fatal Python error: Segmentation fault", "Fatal Python error: Segmentation fault" },
        { "x: x.c:20: f: Assertion `n > 0' failed.", "x: x.c:20: f: Assertion `n > 0' failed." },
        { "[h:14] *** MPI_ERR_RANK: invalid rank", "MPI_ERR_RANK: invalid rank" },
        { "F1117 17:33:43.123456  2190 client.h:80] Terminating process", "Terminating process" },
        { "the call of free(): fine", NULL },
        { "F1117", NULL },
        { "", NULL },
    };
    struct ty_str error;

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_int_equal(ty_failure_lines_crash(ty_str(rows[i].line), &error),
                         rows[i].error != NULL);
        if (rows[i].error)
            assert_true(ty_str_is(error, rows[i].error));
    }
}

static void test_stack_traces(void **state)
{
    static const char *const thrown[][2] = {
        { "Exception in thread \"main\" java.io.IOException: boom", "java.io.IOException: boom" },
        { "Exception in thread \"main", "main" },
        { "Caused by: java.lang.Error: x", "java.lang.Error: x" },
        { "Unhandled exception. System.Exception: x", "System.Exception: x" },
        { "RangeError: x", "RangeError: x" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(thrown); i++)
        assert_true(ty_str_is(ty_failure_lines_thrown(ty_str(thrown[i][0])), thrown[i][1]));
    assert_true(ty_failure_lines_frame(TY_LIT("    at f (train.js:3:5)")));
    assert_false(ty_failure_lines_frame(TY_LIT("at the end")));
    assert_false(ty_failure_lines_frame(TY_LIT("")));
    assert_true(ty_failure_lines_panic(TY_LIT("thread 'main' panicked at src/main.rs:1:13:")));
    assert_false(ty_failure_lines_panic(TY_LIT("thread 'main' is idle:")));
}

static void test_explanations(void **state)
{
    static const char *const good[] = { "ERROR: shard is truncated",
                                        "x: No such file or directory",
                                        "DATA_DIR: unbound variable",
                                        "Permission denied",
                                        "error: 404",
                                        "Error 28",
                                        "Error: 10.0.0.5:6379 refused the connection",
                                        "error: 3.11 is required",
                                        "rpc error: 10.0.0.1 unreachable",
                                        "rpc error: 10.0.0.1",
                                        "error: 3.",
                                        "error: 1.5e-x",
                                        "error: 1.5e",
                                        "error: 1.5 GiB left: 3",
                                        "error: 2.0 - no such version" };
    static const char *const bad[] = { "step 3/10",
                                       "done",
                                       "",
                                       "mean squared error: 0.31",
                                       "val_error=1.5e-3",
                                       "val_error=1.5E+03, lr=0.1",
                                       "{mean_error = 0.5}",
                                       "(error 0.25)",
                                       "[error: 2.5e3]",
                                       "error: 0.31 \r",
                                       "mean_squared_error: 0.0834 - val_loss: 0.0912",
                                       "step 9 val_error: 0.31 best: 0.29",
                                       "error: 12.5%",
                                       "training error 0.31 | validation error 0.40" };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(good); i++)
        assert_true(ty_failure_lines_explain(ty_str(good[i])));
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_false(ty_failure_lines_explain(ty_str(bad[i])));
}

static void test_a_process_that_goes_on(void **state)
{
    (void)state;
    assert_true(ty_failure_lines_bare_step(TY_LIT("Epoch: 3")));
    assert_false(ty_failure_lines_bare_step(TY_LIT("steps")));
    assert_true(ty_failure_lines_progress(TY_LIT("step 3/10 loss 0.5")));
    assert_false(ty_failure_lines_progress(TY_LIT("wandb: step 3/10 loss 0.5")));
    assert_true(ty_failure_lines_logged(TY_LIT("ERROR:root:cache miss")));
    assert_true(ty_failure_lines_aside(TY_LIT("Process SpawnProcess-1:")));
    assert_false(ty_failure_lines_says_something(TY_LIT("=====")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_stack_traces),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_a_process_that_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
