#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* As torchrun of torch 1.13 prints it, with two processes and --tee. */
#define TORCHRUN(before, rank, exit, traceback)                                                    \
    before                                                                                         \
        "[default0]:loading data\n[default1]:loading data\n"                                       \
        "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 7 closing signal "  \
        "SIGTERM\n"                                                                                \
        "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 1\n" \
        "Traceback (most recent call last):\n"                                                     \
        "  File \"<frozen runpy>\", line 198, in _run_module_as_main\n"                            \
        "  File \"/usr/lib/python3/dist-packages/torch/distributed/run.py\", line 766, in "        \
        "<module>\n"                                                                               \
        "    main()\n"                                                                             \
        "           ^^^^^^\n"                                                                      \
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"                    \
        "============================================================\n"                           \
        "train.py FAILED\n"                                                                        \
        "------------------------------------------------------------\n"                           \
        "Failures:\n[1]:\n  rank      : 3 (local_rank: 1)\n  exitcode  : 1 (pid: 71)\n"            \
        "------------------------------------------------------------\n"                           \
        "Root Cause (first observed failure):\n"                                                   \
        "[0]:\n"                                                                                   \
        "  time      : 2026-11-15_23:45:12\n"                                                      \
        "  host      : localhost\n"                                                                \
        "  rank      : " rank " (local_rank: 1)\n"                                                 \
        "  exitcode  : " exit " (pid: 22768)\n"                                                    \
        "  error_file: <N/A>\n"                                                                    \
        "  traceback : " traceback "\n"                                                            \
        "============================================================\n"
#define TO_ENABLE "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
#define BOOM                                                                                       \
    "Traceback (most recent call last):\n"                                                         \
    "  File \"train.py\", line 4, in <module>\n"                                                   \
    "    raise ValueError(\"boom\")\n"                                                             \
    "ValueError: boom\n"

static void reads(const char *log, const char *error, const char *last, size_t hidden)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_failure_tail t;

    ty_failure_summary_tail(a, &(struct ty_failure_tail_in){ .log = ty_str(log) }, &t);
    assert_string_equal(ty_arena_cstr(a, t.error), error);
    assert_true(t.n <= TY_TAIL_LINES);
    assert_string_equal(t.n ? t.lines[t.n - 1] : "", last);
    assert_int_equal(t.hidden, hidden);
}

static void test_last_lines(void **state)
{
    (void)state;
    reads("", "", "", 0);
    reads("one\ntwo\n", "", "two", 0);
    reads("one\ntwo", "", "two", 0);
    reads("one\n\n\n", "", "one", 0);
    reads("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n", "",
          "22", 0);
    reads(" 10%|#\r 20%|##\r 30%|###\r\n", "", " 30%|###", 0);
    reads("\033[31mred\033[0m\033[2J\n", "", "red", 0);
}

static void test_traceback(void **state)
{
    (void)state;
    reads(BOOM, "ValueError: boom", "ValueError: boom", 0);
    reads(BOOM "cleaning up\n", "ValueError: boom", "cleaning up", 0);
    /* the root of a chain is the reason */
    reads(BOOM "\nDuring handling of the above exception, another exception occurred:\n\n"
               "Traceback (most recent call last):\n  File \"x\", line 1\nKeyError: 'lr'\n",
          "ValueError: boom", "KeyError: 'lr'", 0);
    reads("Traceback (most recent call last):\n  File \"x\", line 1\n", "", "  File \"x\", line 1",
          0);
}

static void test_torchrun_talks_about_its_child(void **state)
{
    (void)state;
    reads(TORCHRUN(BOOM, "1", "1", TO_ENABLE), "ValueError: boom", "[default1]:loading data", 25);
    reads(TORCHRUN("", "1", "-9", "Signal 9 (SIGKILL) received by PID 23383"),
          "rank 1: Signal 9 (SIGKILL) received by PID 23383", "[default1]:loading data", 25);
    reads(TORCHRUN("", "0", "7", TO_ENABLE), "rank 0 failed with exit code 7: loading data",
          "[default1]:loading data", 25);
}

/* Newer torch marks lines by rank, and ranks speak at the same time. */
static void test_ranks_mixed(void **state)
{
    const char *mixed = "[rank3]: Traceback (most recent call last):\n"
                        "[rank1]: Traceback (most recent call last):\n"
                        "[rank3]:   File \"train.py\", line 9, in <module>\n"
                        "[rank1]:   File \"train.py\", line 4, in <module>\n"
                        "[rank1]: ValueError: boom\n"
                        "[rank3]: RuntimeError: Connection closed by peer\n";
    char log[8192];

    (void)state;
    reads(mixed, "ValueError: boom", "[rank1]: ValueError: boom", 1);
    snprintf(log, sizeof(log), "%s%s", mixed, TORCHRUN("", "1", "1", TO_ENABLE));
    reads(log, "ValueError: boom", "[rank1]: ValueError: boom", 28);
}

/* Two tracebacks without a mark, and torchrun names one process only: it can be of both. */
static void test_an_uncertain_rank(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_failure_tail_in in = {
        .log = TY_LIT(BOOM "Traceback (most recent call last):\n  File \"x\", line 1\n"
                           "RuntimeError: Connection closed by peer\n"
                           "Traceback (most recent call last):\n  File \"run.py\", line 7\n"
                           "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
                           "Root Cause (first observed failure):\n[0]:\n"
                           "  rank      : 2 (local_rank: 0)\n  exitcode  : 1 (pid: 4)\n"),
        .first_rank = 2,
        .procs = 2,
    };
    struct ty_failure_tail t;

    (void)state;
    ty_failure_summary_tail(a, &in, &t);
    assert_string_equal(ty_arena_cstr(a, t.error), "ValueError: boom");
    assert_int_equal(t.n_ranks, 2);
    assert_int_equal(t.ranks[0], 2);
    assert_int_equal(t.ranks[1], 3);
}

/* torchrun reports one process, and two tracebacks have no mark: it died of the last one. */
static void test_one_that_is_not_reported(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_failure_tail_in in = {
        .log =
            TY_LIT("Traceback (most recent call last):\n  File \"x\", line 1\nKeyError: 'x'\n" BOOM
                   "Traceback (most recent call last):\n  File \"run.py\", line 7\n"
                   "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
                   "Root Cause (first observed failure):\n[0]:\n"
                   "  rank      : 3 (local_rank: 1)\n  exitcode  : 1 (pid: 4)\n"),
        .first_rank = 2,
        .procs = 2,
    };
    struct ty_failure_tail t;

    (void)state;
    ty_failure_summary_tail(a, &in, &t);
    assert_string_equal(ty_arena_cstr(a, t.error), "ValueError: boom");
    assert_int_equal(t.n_ranks, 1);
    assert_int_equal(t.ranks[0], 3);
}

#define STEPS "[default0]:step 1/9\n[default0]:step 2/9\n[default0]:step 3/9\n"
#define GONE                                                                                       \
    "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n"               \
    "RuntimeError: [pair.cc:598] Connection closed by peer\n"

/* More tracebacks than processes that torchrun reports: training shows whether one was survived. A
 * process that exits prints the steps that it still had in a buffer. */
static void test_steps_of_another_stream(void **state)
{
    static const struct {
        const char *log, *want;
    } rows[] = {
        { BOOM STEPS GONE GONE GONE, "RuntimeError: [pair.cc:598] Connection closed by peer" },
        { BOOM STEPS GONE, "ValueError: boom" }, /* as many as it reports */
        { BOOM GONE STEPS GONE GONE, "RuntimeError: [pair.cc:598] Connection closed by peer" },
        { BOOM GONE GONE GONE STEPS, "ValueError: boom" },
        { BOOM "[default0]:step 1/9\n" GONE GONE GONE, "ValueError: boom" },
        { "ERROR:root:no cache\n" BOOM "[default0]:step 1/9\n" GONE GONE GONE,
          "RuntimeError: [pair.cc:598] Connection closed by peer" },
    };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
        struct ty_failure_tail t;
        const char *log = ty_arena_printf(a, "%s" TORCHRUN("", "2", "1", TO_ENABLE), rows[i].log);
        struct ty_failure_tail_in in = { .log = ty_str(log), .first_rank = 2, .procs = 2 };
        ty_failure_summary_tail(a, &in, &t);
        assert_string_equal(ty_arena_cstr(a, t.error), rows[i].want);
    }
}

static void test_launcher_alone(void **state)
{
    (void)state;
    reads("going\n" BOOM
          "Traceback (most recent call last):\n  File \"accelerate\", line 8, in <module>\n"
          "subprocess.CalledProcessError: Command '['python', 'x']' returned non-zero exit status "
          "1.\n",
          "ValueError: boom", "ValueError: boom", 3);
}

static void test_long_lines_are_cut(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    char *log = ty_arena_alloc(a, TY_TAIL_BYTES, 1);
    struct ty_failure_tail t;

    (void)state;
    memset(log, 'x', TY_TAIL_BYTES);
    struct ty_failure_tail_in in = { .log = { log, TY_TAIL_BYTES } };
    ty_failure_summary_tail(a, &in, &t);
    assert_int_equal(t.n, 1);
    assert_int_equal(strlen(t.lines[0]), 400 - 128);
    memset(log, '\n', TY_TAIL_BYTES);
    ty_failure_summary_tail(a, &in, &t);
    assert_int_equal(t.n, 0);
}

/* The error alone is longer than what is read otherwise: its beginning is looked for. */
static void test_a_line_that_fills_the_tail(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    size_t n = 3 * (size_t)TY_TAIL_BYTES;
    char *log = ty_arena_alloc(a, n + 1, 1);
    struct ty_failure_tail t;

    (void)state;
    memset(log, 'x', n);
    log[n] = '\0';
    struct ty_failure_tail_in in = { .log =
                                         ty_failure_summary_tail_part((struct ty_str){ log, n }) };
    assert_int_equal(in.log.n, TY_TAIL_BYTES); /* it has no beginning */
    memcpy(log, BOOM, sizeof(BOOM) - 2);       /* without its newline: "ValueError: boomxxx…" */
    assert_true(ty_failure_summary_tail_is_short((struct ty_str){ log, n }));
    in.log = ty_failure_summary_tail_part((struct ty_str){ log, n });
    ty_failure_summary_tail(a, &in, &t);
    assert_true(ty_str_starts(t.error, TY_LIT("ValueError: boomxxx")));
    log[n - TY_TAIL_BYTES + 100] = '\n'; /* a short line is left alone */
    in.log = ty_failure_summary_tail_part((struct ty_str){ log, n });
    assert_int_equal(in.log.n, TY_TAIL_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_lines),
        cmocka_unit_test(test_traceback),
        cmocka_unit_test(test_torchrun_talks_about_its_child),
        cmocka_unit_test(test_ranks_mixed),
        cmocka_unit_test(test_an_uncertain_rank),
        cmocka_unit_test(test_one_that_is_not_reported),
        cmocka_unit_test(test_steps_of_another_stream),
        cmocka_unit_test(test_launcher_alone),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_a_line_that_fills_the_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
