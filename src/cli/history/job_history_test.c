#include "cli/cmds.h"
#include "cli/history/job_history_testing.h"
#include "cli/history/job_state.h"

static bool note_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    char *log = ctx;
    size_t n = strlen(log);

    snprintf(log + n, 512 - n, "%d %s %s %d; ", (int)job->run.id, job->name,
             ty_job_state_text(a, job), job->jobset != NULL);
    return true;
}

static void test_jobs_newest_first(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;
    char log[512] = "";

    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    struct ty_job_history_query q = { .cli = &h->b.cli, .d = d, .fn = note_job, .ctx = log };
    assert_int_equal(ty_job_history_query(&q), TY_EXIT_OK);
    assert_string_equal(log, "2 ddp Interrupted 1; 2 other Interrupted 0; 1 ddp Failed 1; ");
}

static void test_one_job(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;
    struct ty_job_history_opts which = { 0 };
    struct ty_job_history_entry job;

    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    assert_int_equal(ty_job_history_entry(&h->b.cli, d, &which, "ddp", &job), TY_EXIT_OK);
    assert_int_equal(job.run.id, 2);
    which.run = "1";
    assert_int_equal(ty_job_history_entry(&h->b.cli, d, &which, "ddp", &job), TY_EXIT_OK);
    assert_int_equal(job.run.id, 1);
    assert_true(ty_str_is(ty_json_str_at(job.job, "metadata.name"), "ddp"));
    which.ns = "elsewhere";
    assert_int_equal(ty_job_history_entry(&h->b.cli, d, &which, "ddp", &job), TY_EXIT_BAD);
    fixture_flush(&h->b);
    assert_string_equal(h->b.err, "error: trainjobs.trainer.kubeflow.org \"ddp\" not found\n");
}

static void test_no_history_is_no_error(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;

    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    assert_null(d);
    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_WRITE, &d), TY_EXIT_OK);
    assert_null(d); /* nothing to take out of: none is made */
    assert_int_equal(access("trainyard", F_OK), -1);
}

static void test_a_file_that_is_none(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;

    mkdir("trainyard", 0700);
    fixture_file("trainyard/trainyard.db",
                 "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
                 "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_BAD);
    fixture_flush(&h->b);
    assert_has(h->b.err, "trainyard/trainyard.db: file is not a database");
}

static void test_run_numbers(void **state)
{
    struct hist *h = *state;

    assert_int_equal(
        ty_job_history_run_id(&h->b.cli, &ty_cmd_get, &(struct ty_job_history_opts){ 0 }), 0);
    assert_int_equal(
        ty_job_history_run_id(&h->b.cli, &ty_cmd_get, &(struct ty_job_history_opts){ .run = "7" }),
        7);
    assert_int_equal(
        ty_job_history_run_id(&h->b.cli, &ty_cmd_get, &(struct ty_job_history_opts){ .run = "0" }),
        -1);
    assert_int_equal(
        ty_job_history_run_id(&h->b.cli, &ty_cmd_get, &(struct ty_job_history_opts){ .run = "x" }),
        -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HIST_FULL(test_jobs_newest_first),
        HIST_FULL(test_one_job),
        HIST_EMPTY(test_no_history_is_no_error),
        HIST_EMPTY(test_a_file_that_is_none),
        HIST_EMPTY(test_run_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
