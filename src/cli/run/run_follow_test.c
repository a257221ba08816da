#include "cli/run/run_follow.h"

#include "cli/history/job_history_testing.h"
#include "store/history/run_lock.h"

#define NOON_MS 1767323045000

static void note_pod(void *ctx TY_UNUSED, const struct ty_pod_update *news TY_UNUSED)
{
}

static void note_job(void *ctx TY_UNUSED, const char *job TY_UNUSED,
                     const struct ty_json *trainjob TY_UNUSED, int64_t time_ms TY_UNUSED)
{
}

static void note_event(void *ctx, const struct ty_kind *kind TY_UNUSED, const char *name TY_UNUSED,
                       const char *type TY_UNUSED, const char *reason,
                       const char *message TY_UNUSED, int64_t time_ms TY_UNUSED)
{
    struct ty_buf *seen = ctx;

    ty_buf_printf(seen, "%s ", reason);
}

static void add_event(struct hist *h, const char *reason, int64_t ms)
{
    ty_history_record_event(h->r, &ty_kind_trainjob, "ddp", "Normal", reason, "", ms);
}

static void expect_poll(struct ty_run_follow *f, struct ty_buf *seen, const char *want)
{
    seen->n = 0;
    assert_false(ty_run_follow_poll(f));
    ty_buf_chr(seen, 0);
    assert_string_equal(seen->p, want);
}

/* Each occurrence once, also those of one millisecond and those written late. */
static void test_events(void **state)
{
    struct hist *h = *state;
    ty_auto_buf seen = { 0 };
    ty_auto_history_db *d = NULL;
    struct ty_err err = { 0 };
    struct ty_job_history_entry job;
    struct ty_engine_observer to = {
        .ctx = &seen, .pod = note_pod, .event = note_event, .job = note_job
    };
    struct ty_run_follow f = { .cli = &h->b.cli, .job = &job, .to = &to };

    hist_begin(h, "run-1");
    int lock = ty_run_lock_acquire(h->dir, &err); /* it is live */
    hist_add(h, hist_trainjob(h, "ddp", "{}"));
    add_event(h, "Before", NOON_MS);
    hist_write(h);
    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    assert_int_equal(
        ty_job_history_entry(&h->b.cli, d, &(struct ty_job_history_opts){ 0 }, "ddp", &job),
        TY_EXIT_OK);
    f.d = d;
    expect_poll(&f, &seen, "");
    add_event(h, "A", NOON_MS);
    add_event(h, "B", NOON_MS);
    hist_write(h);
    expect_poll(&f, &seen, "A B ");
    add_event(h, "A", NOON_MS + 1);
    add_event(h, "Late", NOON_MS - 1);
    add_event(h, "C", NOON_MS);
    hist_write(h);
    expect_poll(&f, &seen, "Late C A ");
    hist_write(h);
    expect_poll(&f, &seen, "");
    ty_run_follow_done(&f);
    hist_end(h, NULL);
    close(lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_EMPTY(test_events) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
