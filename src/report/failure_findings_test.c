#include "report/failure_findings.h"

#include "base/buf.h"
#include "base/testing.h"

#define HEAD "Traceback (most recent call last):\n"
#define A    HEAD "  File \"a.py\", line 1\nValueError: boom\n"
#define B    HEAD "  File \"b.py\", line 2\nConnectionResetError: gone\n"

/* All findings as "error" or "error (survived)", one a line. */
static void finds_of(const char *text, int64_t procs, const char *want)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 24);
    struct ty_failure_findings *f = ty_new(a, struct ty_failure_findings);
    struct ty_failure_log log;
    ty_auto_buf b = { 0 };

    ty_failure_log_read(a, ty_str(text), &log);
    ty_failure_findings_read(&log, procs, f);
    for (size_t i = 0; i < f->n; i++)
        ty_buf_printf(&b, "%.*s%s\n", TY_ARG(f->v[i].error), f->v[i].survived ? " (survived)" : "");
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void finds(const char *text, const char *want)
{
    finds_of(text, 0, want);
}

static void test_chains(void **state)
{
    (void)state;
    finds(A, "ValueError: boom\n");
    finds(A "\nDuring handling of the above exception, another exception occurred:\n\n" B,
          "ValueError: boom\n");
    finds(B "\nThe above exception was the direct cause of the following exception:\n\n" HEAD
            "  File \"c.py\", line 3\nRuntimeError: all-reduce failed\n",
          "ConnectionResetError: gone\n");
    finds(HEAD "  File \"d.py\", line 4\nIndexError: Caught IndexError in DataLoader worker 0.\n"
               "Original Traceback (most recent call last):\n  File \"e.py\"\nIndexError: 7\n",
          "IndexError: 7\n");
    finds("Exception ignored in: <function X.__del__ at 0x7f>\n" HEAD
          "  File \"f.py\"\nTypeError: x\n",
          "");
    finds(HEAD "  File \"a.py\", line 1\n", ""); /* cut off */
}

/* Two processes without marks print at the same time. */
static void test_interleaved(void **state)
{
    (void)state;
    finds_of(HEAD "  File \"a.py\"\n" HEAD
                  "    f()\n  File \"b.py\"\nstep 3 of 10\nValueError: boom\n"
                  "RuntimeError: Connection closed by peer\n",
             2, "ValueError: boom\nRuntimeError: Connection closed by peer\n");
}

static void test_survived(void **state)
{
    ty_auto_buf b = { 0 };

    (void)state;
    finds(A "step 1\nstep 2\n" B, "ValueError: boom (survived)\nConnectionResetError: gone\n");
    /* one process prints the traceback that it dies of last; of two each can print one */
    finds(A B, "ValueError: boom (survived)\nConnectionResetError: gone\n");
    finds_of(A B, 1, "ValueError: boom (survived)\nConnectionResetError: gone\n");
    finds_of(A B, 2, "ValueError: boom\nConnectionResetError: gone\n");
    finds("ERROR:root:bad row skipped\n" B A,
          "ConnectionResetError: gone (survived)\nValueError: boom\n");
    /* a thread or a worker dies, and its process of that */
    finds("Exception in thread Thread-1 (f):\n" A B,
          "ValueError: boom\nConnectionResetError: gone\n");
    finds("Process SpawnProcess-1:\n" A B, "ValueError: boom\nConnectionResetError: gone\n");
    finds(A "bye\n", "ValueError: boom\n");
    ty_buf_cstr(&b, A);
    for (int i = 0; i < 60; i++)
        ty_buf_printf(&b, "step %d\n", i);
    ty_buf_chr(&b, '\0');
    finds(b.p, "ValueError: boom (survived)\n");
    /* It went on training: whatever ended it later, it was not that. */
    finds(A "retrying\nstep 2/9 loss 0.3\ngiving up\n", "ValueError: boom (survived)\n");
    finds(A "retrying\ngiving up\n", "ValueError: boom\n"); /* may be its message */
    finds(A "step 0\nstep 1\nstep 2\nno disk space\n", "ValueError: boom (survived)\n");
    finds(A "step 7\nstep by step\nstepping 3\nStep: 8\n", "ValueError: boom\n");
    finds(A "wandb: epoch 3/9\n", "ValueError: boom\n");
    finds_of(A "step 2/9 loss 0.3\n", 2, "ValueError: boom\n"); /* of another process */
}

/* The line before tells that it was caught: in the same stream, and of that traceback only. */
static void test_logged(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 24);
    struct ty_failure_findings *f = ty_new(a, struct ty_failure_findings);
    struct ty_failure_log log;

    (void)state;
    ty_failure_log_read(a, TY_LIT("ERROR:root:cache miss\n" A "going on\n" A), &log);
    ty_failure_findings_read(&log, 0, f);
    assert_int_equal(f->n, 2);
    assert_true(f->v[0].logged);
    assert_false(f->v[1].logged);
}

static void test_other_last_words(void **state)
{
    (void)state;
    finds("terminate called after throwing an instance of 'std::runtime_error'\n"
          "  what():  shard 3 is truncated\nAborted\n",
          "shard 3 is truncated\n");
    finds("ranks: ranks.c:20: fail: Assertion `cells > 0' failed.\n",
          "ranks: ranks.c:20: fail: Assertion `cells > 0' failed.\n");
    finds("[host:00014] *** MPI_ERR_RANK: invalid rank\n", "MPI_ERR_RANK: invalid rank\n");
    finds("Fatal Python error: Segmentation fault\n", "Fatal Python error: Segmentation fault\n");
    finds("F1117 17:33:43.123456  2190 client.h:80] Terminating process because of y\n",
          "Terminating process because of y\n");
}

/* More tracebacks than are kept: the last ones count. */
static void test_a_flood(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 26);
    struct ty_failure_findings *f = ty_new(a, struct ty_failure_findings);
    struct ty_failure_log log;
    ty_auto_buf b = { 0 };

    (void)state;
    for (int i = 0; i < 1000; i++)
        ty_buf_printf(&b, "[rank%d]: " HEAD "[rank%d]: ValueError: %d\n", i % 50, i % 50, i);
    ty_failure_log_read(a, ty_buf_str(&b), &log);
    ty_failure_findings_read(&log, 0, f);
    assert_int_equal(f->n, TY_FAILURE_FINDINGS);
    assert_true(ty_str_is(f->v[f->n - 1].error, "ValueError: 999"));
}

#define GROUP                                                                                      \
    "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1\n"

static void test_groups(void **state)
{
    (void)state;
    finds(GROUP "  | ExceptionGroup: x (2 sub-exceptions)\n  +-+---- 1 ----\n"
                "    | Traceback (most recent call last):\n    |   File \"b.py\", line 2\n"
                "    | ConnectionResetError: gone\n    +---- 2 ----\n    | OSError: disk\n"
                "    +------------\n",
          "OSError: disk\n");
    finds(GROUP "  | ExceptionGroup: x (1 sub-exception)\n  +-+---- 1 ----\n"
                "    | ExceptionGroup: y (1 sub-exception)\n    +-+---- 1 ----\n"
                "      | KeyError: 'lr'\n      +------------\nepoch 1\n" A,
          "KeyError: 'lr' (survived)\nValueError: boom\n");
    finds(A "\nThe above exception was the direct cause of the following exception:\n\n" GROUP
            "  | ExceptionGroup: x (1 sub-exception)\n  +-+---- 1 ----\n    | OSError: disk\n",
          "ValueError: boom\n");
    finds(GROUP, "");
}

#define SIGN "[train] "

/* Something is before every line, or only before the head. */
static void test_prefixes(void **state)
{
    (void)state;
    finds(SIGN HEAD SIGN
          "  File \"a.py\", line 1\n" SIGN "KeyError: 'lr'\n" SIGN "\n" SIGN
          "The above exception was the direct cause of the following exception:\n" SIGN
          "\n" SIGN HEAD SIGN "  File \"a.py\", line 2\n" SIGN "ValueError: boom\n" SIGN "bye\n",
          "KeyError: 'lr'\n");
    finds("loading 50%" A, "ValueError: boom\n");
    finds(SIGN HEAD "[", "");
    finds(SIGN HEAD, "");
}

static void test_threads(void **state)
{
#define TWO "[rank1]: "
    (void)state;
    finds(TWO "Exception in thread Thread-1 (f):\n" TWO HEAD TWO "  File \"a.py\", line 1\n" TWO
              "Exception in thread Thread-2 (f):\n" TWO HEAD TWO "  File \"a.py\", line 1\n" TWO
              "ValueError: b\n" TWO "  File \"a.py\", line 2\n" TWO "ValueError: a\n",
          "ValueError: b\nValueError: a\n");
}

static void test_other_languages(void **state)
{
    (void)state;
    finds("Exception in thread \"main\" java.lang.Error: x\n\tat A.main(A.java:1)\n"
          "Caused by: java.io.IOException: disk\n\tat A.f(A.java:2)\n\t... 1 more\n",
          "java.io.IOException: disk\n");
    finds("train.js:3\n    throw x;\n    ^\n\nRangeError: n\n    at f (train.js:3:5)\n",
          "RangeError: n\n");
    finds("we are\n  at the end\n  at last\n", "");
    finds("  at f (x.js)\n", "");
    finds("thread 'main' panicked at src/main.rs:1:13:\nn is 0\nnote: run with x\n", "n is 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),   cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_other_languages),
        cmocka_unit_test(test_chains),   cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_survived), cmocka_unit_test(test_other_last_words),
        cmocka_unit_test(test_a_flood),  cmocka_unit_test(test_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
