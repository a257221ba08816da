#include "cli/history/job_history_testing.h"
#include "store/history/run_lock.h"

static bool path_exists(struct hist *h, const char *path)
{
    return access(ty_arena_printf(h->b.cli.arena, "trainyard/runs/%s", path), F_OK) == 0;
}

static void test_newest_then_older(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "ddp"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n");
    assert_true(path_exists(h, "run-2")); /* "other" is still in it */
    assert_false(path_exists(h, "run-2/logs/ddp-node-0-0"));
    assert_true(path_exists(h, "run-1/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "other"), TY_EXIT_OK);
    assert_false(path_exists(h, "run-2"));
    assert_int_equal(HIST_RUN(h, "delete", "trainjob", "ddp"), TY_EXIT_OK);
    assert_false(path_exists(h, "run-1"));
    assert_int_equal(HIST_RUN(h, "delete", "ddp"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: trainjobs.trainer.kubeflow.org \"ddp\" not found\n"
                                  "note: these are the runs of this machine; a cluster's: "
                                  "trainyard get ddp --cluster\n");
    assert_int_equal(HIST_RUN(h, "get"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "");
}

static void test_one_run(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_false(path_exists(h, "run-1"));
    assert_true(path_exists(h, "run-2/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--run", "1"), TY_EXIT_BAD);
}

static void test_all(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--all"), TY_EXIT_OK);
    assert_false(path_exists(h, "run-1"));
    assert_true(path_exists(h, "run-2"));
    assert_int_equal(HIST_RUN(h, "delete", "--all"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"other\" deleted\n");
    assert_false(path_exists(h, "run-2"));
    assert_int_equal(HIST_RUN(h, "delete", "--all"),
                     TY_EXIT_OK); /* nothing to delete is no error */
}

/* Run 1 ended long ago; run 2 was cut off, as long ago; none of them runs. */
static void test_old_ones(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "--older-than", "100000d"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "");
    assert_int_equal(HIST_RUN(h, "delete", "--older-than", "1h", "--dry-run"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted (dry run)\n"
                                  "trainjob.trainer.kubeflow.org \"other\" deleted (dry run)\n"
                                  "trainjob.trainer.kubeflow.org \"ddp\" deleted (dry run)\n");
    assert_true(path_exists(h, "run-1/logs/ddp-node-0-0") &&
                path_exists(h, "run-2/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--older-than", "1h", "--keep", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n");
    assert_false(path_exists(h, "run-1"));
    assert_true(path_exists(h, "run-2/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "ghost", "--older-than", "1h"), TY_EXIT_OK);
    assert_int_equal(HIST_RUN(h, "delete", "--older-than", "1h"), TY_EXIT_OK);
    assert_false(path_exists(h, "run-2"));
}

static void test_all_but_the_newest(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "--keep", "3"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "");
    assert_int_equal(HIST_RUN(h, "delete", "ddp", "other", "--keep", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n");
    assert_false(path_exists(h, "run-1"));
    assert_int_equal(HIST_RUN(h, "delete", "--keep", "0"), TY_EXIT_OK);
    assert_false(path_exists(h, "run-2"));
}

static void test_what_runs_is_not_old(void **state)
{
    struct hist *h = *state;
    struct ty_err err = { 0 };
    int lock = ty_run_lock_acquire(h->dir, &err); /* run 2 is live */

    assert_true(lock >= 0);
    assert_int_equal(HIST_RUN(h, "delete", "--older-than", "1h", "--keep", "0"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n");
    assert_false(path_exists(h, "run-1"));
    assert_true(path_exists(h, "run-2/logs/ddp-node-0-0"));
    close(lock);
}

static void test_mistakes_about_age(void **state)
{
    static const char *const rows[][3] = { { "--older-than", "", "--older-than : write" },
                                           { "--older-than", "30", "--older-than 30: write" },
                                           { "--older-than", "-3d", "--older-than -3d: write" },
                                           { "--keep", "-1", "--keep -1: write" },
                                           { "--keep", "1x", "--keep 1x: write" } };
    struct hist *h = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        assert_int_equal(HIST_RUN(h, "delete", rows[i][0], rows[i][1]), TY_EXIT_USAGE);
        assert_has(h->b.err, rows[i][2]);
    }
    assert_int_equal(HIST_RUN(h, "delete", "ddp", "--run", "1", "--keep", "1"), TY_EXIT_USAGE);
    assert_has(h->b.err, "--run names one run");
    assert_true(path_exists(h, "run-1"));
}

static void test_mistakes(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete"), TY_EXIT_USAGE);
    assert_has(h->b.err, "name a TrainJob, or say --all");
    assert_int_equal(HIST_RUN(h, "delete", "x", "--run", "0"), TY_EXIT_USAGE);
}

/* A word before the name may be a kind that trainyard does not know. */
static void test_several_names(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "deployment", "other"), TY_EXIT_BAD);
    assert_string_equal(h->b.out, "");
    assert_has(h->b.err, "\"deployment\" not found");
    assert_has(h->b.err, "note: nothing was deleted, because not all of these TrainJobs exist\n");
    assert_int_equal(HIST_RUN(h, "delete", "other", "svc", "--dry-run"), TY_EXIT_BAD);
    assert_string_equal(h->b.out, "");
    assert_int_equal(HIST_RUN(h, "delete", "ns", "ddp", "--keep", "0"), TY_EXIT_BAD);
    assert_string_equal(h->b.out, "");
    assert_true(path_exists(h, "run-2/logs/ddp-node-0-0"));
    assert_int_equal(HIST_RUN(h, "delete", "trainjob", "ghost", "--keep", "0"), TY_EXIT_OK);
    assert_int_equal(HIST_RUN(h, "delete", "ddp", "other"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n"
                                  "trainjob.trainer.kubeflow.org \"other\" deleted\n");
}

/* "claims" is the kind, unless a TrainJob has that name: then the user says which. */
static void test_a_job_named_as_a_kind(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "claims", "--all"), TY_EXIT_OK);
    hist_begin(h, "run-3");
    hist_add(h, hist_trainjob(h, "claims", "{}"));
    hist_end(h, "Complete");
    assert_int_equal(HIST_RUN(h, "delete", "claims", "--all"), TY_EXIT_USAGE);
    assert_has(h->b.err, "write --claims for the claims, or trainjob/claims");
    assert_int_equal(HIST_RUN(h, "delete", "claims", "ddp"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "delete", "--claims", "--all"), TY_EXIT_OK);
    assert_int_equal(HIST_RUN(h, "delete", "trainjob/claims", "--all"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"claims\" deleted\n");
}

/* Nothing is deleted if the user means another kind. */
static void test_other_kinds(void **state)
{
    static const char *const kinds[] = {
        "pods",   "po", "Pod",      "jobset",    "jobs",
        "events", "ev", "PodGroup", "pods,jobs", "jobsets.jobset.x-k8s.io"
    };
    struct hist *h = *state;

    for (size_t i = 0; i < TY_COUNT(kinds); i++) {
        assert_int_equal(HIST_RUN(h, "delete", kinds[i], "ddp"), TY_EXIT_USAGE);
        assert_has(h->b.err, ": delete works on TrainJobs, not on other kinds; a TrainJob of ");
    }
    assert_int_equal(HIST_RUN(h, "delete", "pvc", "ddp", "--cluster"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "wait", "pod", "ddp", "--for", "failed"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "describe", "pod", "ddp"), TY_EXIT_USAGE);
    assert_true(path_exists(h, "run-2/logs/ddp-node-0-0"));
    hist_begin(h, "run-3");
    hist_add(h, hist_trainjob(h, "pods", "{}"));
    hist_end(h, "Complete");
    assert_int_equal(HIST_RUN(h, "delete", "pods"), TY_EXIT_OK); /* a word alone is a name */
    assert_int_equal(HIST_RUN(h, "delete", "trainjob/pods", "other"), TY_EXIT_BAD); /* it was */
    assert_int_equal(HIST_RUN(h, "delete", "trainjobs.trainer.kubeflow.org", "ddp"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org \"ddp\" deleted\n");
}

static void test_no_history_is_made(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "delete", "x"), TY_EXIT_BAD);
    assert_int_equal(access("trainyard", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_newest_then_older),
                                        HIST_FULL(test_one_run),
                                        HIST_FULL(test_all),
                                        HIST_FULL(test_old_ones),
                                        HIST_FULL(test_all_but_the_newest),
                                        HIST_FULL(test_what_runs_is_not_old),
                                        HIST_FULL(test_mistakes_about_age),
                                        HIST_FULL(test_mistakes),
                                        HIST_FULL(test_several_names),
                                        HIST_FULL(test_a_job_named_as_a_kind),
                                        HIST_FULL(test_other_kinds),
                                        HIST_EMPTY(test_no_history_is_made) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
