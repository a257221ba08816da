#include "cli/cmds.h"
#include "cli/history/history_source.h"
#include "cli/history/job_history_testing.h"

static struct ty_job_source *open_source(struct hist *h, const struct ty_job_history_opts *opts)
{
    struct ty_job_source *s = NULL;

    assert_int_equal(ty_history_source_open(&h->b.cli, &ty_cmd_get, opts, &s), TY_EXIT_OK);
    return s;
}

static bool add_job(void *ctx, struct ty_arena *a TY_UNUSED, const struct ty_job_history_entry *job)
{
    ty_buf_printf(ctx, "%lld/%s ", (long long)job->run.id, job->name);
    return true;
}

static bool add_object(void *ctx, struct ty_arena *a TY_UNUSED, const struct ty_job_object *o)
{
    ty_buf_printf(ctx, "%lld/%s%s ", (long long)o->run, o->place, o->cut_off ? "!" : "");
    return true;
}

static void assert_text(struct ty_buf *b, const char *text)
{
    ty_buf_chr(b, '\0');
    assert_string_equal(b->p, text);
    b->n = 0;
}

static void test_jobs(void **state)
{
    ty_auto_job_source *s = open_source(*state, &(struct ty_job_history_opts){ 0 });
    ty_auto_job_source *one = open_source(*state, &(struct ty_job_history_opts){ .run = "1" });
    ty_auto_buf b = { 0 };

    assert_int_equal(s->ops->jobs(s, NULL, add_job, &b), TY_EXIT_OK);
    assert_text(&b, "2/ddp 2/other 1/ddp ");
    assert_int_equal(s->ops->jobs(s, "other", add_job, &b), TY_EXIT_OK);
    assert_text(&b, "2/other ");
    assert_int_equal(one->ops->jobs(one, NULL, add_job, &b), TY_EXIT_OK);
    assert_text(&b, "1/ddp ");
    assert_false(s->empty);
    assert_non_null(ty_history_source_db(s));
}

/* Of the newest run, unless the caller selects by name; a replaced pod is not among them. */
static void test_objects(void **state)
{
    ty_auto_job_source *s = open_source(*state, &(struct ty_job_history_opts){ 0 });
    ty_auto_job_source *one = open_source(*state, &(struct ty_job_history_opts){ .run = "1" });
    ty_auto_buf b = { 0 };

    assert_int_equal(one->ops->objects(one, &ty_kind_pod, false, add_object, &b), TY_EXIT_OK);
    assert_text(&b, "1/ddp-node-0-0! 1/ddp-node-0-1! ");
    assert_int_equal(s->ops->objects(s, &ty_kind_jobset, false, add_object, &b), TY_EXIT_OK);
    struct ty_str newest = ty_buf_str(&b);
    assert_true(ty_str_starts(newest, TY_LIT("2/")) || newest.n == 0);
    b.n = 0;
    assert_int_equal(s->ops->objects(s, &ty_kind_jobset, true, add_object, &b), TY_EXIT_OK);
    ty_buf_chr(&b, '\0');
    assert_has(b.p, "1/ddp");
}

static void test_no_history(void **state)
{
    ty_auto_job_source *s = open_source(*state, &(struct ty_job_history_opts){ 0 });
    ty_auto_buf b = { 0 };

    assert_true(s->empty);
    assert_null(ty_history_source_db(s));
    assert_int_equal(s->ops->jobs(s, NULL, add_job, &b), TY_EXIT_OK);
    assert_int_equal(s->ops->objects(s, &ty_kind_pod, false, add_object, &b), TY_EXIT_OK);
    assert_int_equal(b.n, 0);
}

static void test_a_run_is_a_number(void **state)
{
    struct hist *h = *state;
    struct ty_job_history_opts opts = { .run = "x" };
    struct ty_job_source *s = NULL;

    assert_int_equal(ty_history_source_open(&h->b.cli, &ty_cmd_get, &opts, &s), TY_EXIT_USAGE);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_jobs), HIST_FULL(test_objects),
                                        HIST_EMPTY(test_no_history),
                                        HIST_EMPTY(test_a_run_is_a_number) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
