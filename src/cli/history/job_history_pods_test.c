#include "cli/history/job_history_pods.h"
#include "cli/history/job_history_testing.h"

static void test_newest_of_each_host(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;
    struct ty_job_history_opts which = { .run = "1" };
    struct ty_job_history_entry job;
    struct ty_job_history_pod *pods = NULL;
    size_t n = 0;

    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    assert_int_equal(ty_job_history_entry(&h->b.cli, d, &which, "ddp", &job), TY_EXIT_OK);
    assert_int_equal(ty_job_history_pods(&h->b.cli, d, h->b.cli.arena, &job, &pods, &n),
                     TY_EXIT_OK);
    assert_int_equal(n, 2);
    assert_string_equal(pods[0].node, "node-0-0");
    assert_string_equal(pods[1].host, "ddp-node-0-1");
    assert_true(ty_str_is(ty_json_str_at(pods[1].obj, "metadata.name"), "ddp-node-0-1-ccccc"));
    assert_true(ty_job_history_pod_is(&pods[1], "node-0-1"));
    assert_true(ty_job_history_pod_is(&pods[1], "ddp-node-0-1"));
    assert_false(ty_job_history_pod_is(&pods[1], "node-0-0"));
}

static void test_numbers_are_ordered(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;
    struct ty_job_history_opts which = { 0 };
    struct ty_job_history_entry job;
    struct ty_job_history_pod *pods = NULL;
    size_t n = 0;

    hist_begin(h, "run-x");
    hist_add(h, hist_trainjob(h, "j", "{}"));
    hist_add(h, hist_jobset(h, "j", "{}"));
    for (int i = 120; i >= 0; i--)
        hist_add(h, hist_pod(h, "j", ty_arena_printf(h->b.cli.arena, "j-node-0-%d", i), "x", 0,
                             "Running", "{'running':{}}"));
    hist_end(h, NULL);
    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    assert_int_equal(ty_job_history_entry(&h->b.cli, d, &which, "j", &job), TY_EXIT_OK);
    assert_int_equal(ty_job_history_pods(&h->b.cli, d, h->b.cli.arena, &job, &pods, &n),
                     TY_EXIT_OK);
    assert_int_equal(n, 121);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(pods[i].node, ty_arena_printf(h->b.cli.arena, "node-0-%zu", i));
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_newest_of_each_host),
                                        HIST_EMPTY(test_numbers_are_ordered) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
