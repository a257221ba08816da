#include "cli/history/job_history_testing.h"

static void test_all_of_it(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "describe", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out,
               "Name:        ddp\nNamespace:   default\nRun:         1\nState:       Failed\n"
               "Progress:    40%\nRuntime:     torch (ClusterTrainingRuntime)\n"
               "Nodes:       2\nRestarts:    1 of 3\nStarted:     2026-01-02T03:04:05Z (");
    assert_has(h->b.out, "Duration:    60s\nCommand:     trainyard run ddp.yaml\nFolder: ");
    assert_has(h->b.out, "Conditions:\n  Failed=True   FailedJobs   ");
    assert_has(h->b.out, "\n    one failed\nT"); /* Trainer Status, or Timeline */
    assert_has(h->b.out, "\nFailure:\n  node-0-1 failed first\nConditions:\n");
    assert_has(h->b.out,
               "  node-0-0   node        Completed   0                 0          127.1.2.3 "
               "  logs/ddp-node-0-0/node.1.0.log\n");
    assert_has(h->b.out, "  node-0-1   node        Error       143 (signal 15)   0 ");
    assert_has(h->b.out, "Events:\n  LAST SEEN ");
    assert_has(h->b.out, "(x2 over ");
    hist_hasnt(h->b.out, "Process:"); /* it is gone */
}

static void test_interrupted(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "describe", "trainjob", "ddp", "other"), TY_EXIT_OK);
    assert_has(h->b.out, "Interrupted (the run was killed, or the machine stopped)");
    assert_has(h->b.out, "Ended:       <unknown>\n");
    assert_has(h->b.out, "Conditions:\n  <none>\n");
    assert_has(h->b.out, "  node-0-0   node        Interrupted          0 ");
    assert_has(h->b.out, "\n\n\nName:        other\n");
    assert_has(h->b.out, "Nodes:\n  <none>\nEvents:\n  <none>\n");
}

static void test_how_it_was_stopped(void **state)
{
    struct hist *h = *state;

    hist_begin(h, "run-1");
    hist_add(h, hist_trainjob(h, "slow", "{}"));
    hist_end(h, "TimedOut");
    hist_begin(h, "run-2");
    hist_add(h, hist_trainjob(h, "halted", "{}"));
    hist_end(h, "Interrupted");
    assert_int_equal(HIST_RUN(h, "describe", "slow"), TY_EXIT_OK);
    assert_has(h->b.out, "State:       Interrupted (--timeout was over)\n");
    assert_int_equal(HIST_RUN(h, "describe", "halted"), TY_EXIT_OK);
    assert_has(h->b.out, "State:       Interrupted (the run was told to stop)\n");
    assert_has(h->b.out, "Duration:    2m\n");
}

static void test_mistakes(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "describe"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "describe", "ghost"), TY_EXIT_BAD);
    assert_string_equal(h->b.err,
                        "error: trainjobs.trainer.kubeflow.org \"ghost\" not found\n"
                        "note: these are the runs of this machine; a cluster's: trainyard "
                        "get ghost --cluster\n");
    assert_int_equal(HIST_RUN(h, "describe", "ddp", "--run", "9"), TY_EXIT_BAD);
    assert_int_equal(HIST_RUN(h, "describe", "ddp", "--run", "nine"), TY_EXIT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_all_of_it), HIST_FULL(test_interrupted),
                                        HIST_EMPTY(test_how_it_was_stopped),
                                        HIST_FULL(test_mistakes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
