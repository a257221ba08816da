#include "cli/history/job_history_testing.h"
#include "cli/view/events_view.h"

static void test_as_objects(void **state)
{
    struct hist *h = *state;
    ty_auto_history_db *d = NULL;

    assert_int_equal(ty_job_history_open(&h->b.cli, TY_HISTORY_DB_READ, &d), TY_EXIT_OK);
    assert_int_equal(ty_events_view_print(
                         &h->b.cli, d, &(struct ty_history_read_filter){ .run = 1 }, "json", NULL),
                     TY_EXIT_OK);
    fixture_flush(&h->b);
    struct ty_json *v = ty_json_parse(h->b.cli.arena, ty_str(h->b.out), NULL, NULL);
    const struct ty_json *e = ty_json_item(ty_json_get(v, "items"), 0);
    int64_t count = 0;
    assert_int_equal(ty_json_len(ty_json_get(v, "items")), 2);
    assert_true(ty_str_is(ty_json_str_at(e, "involvedObject.name"), "ddp-node-0-1"));
    assert_true(ty_str_is(ty_json_str_at(e, "involvedObject.apiVersion"), "v1"));
    assert_true(ty_str_is(ty_json_str_at(e, "firstTimestamp"), "2026-01-02T03:04:05Z"));
    assert_true(ty_str_is(ty_json_str_at(e, "lastTimestamp"), "2026-01-02T03:04:25Z"));
    assert_true(ty_json_int_at(e, "count", &count) && count == 2);
}

static void test_none(void **state)
{
    struct hist *h = *state;

    assert_int_equal(
        ty_events_view_print(&h->b.cli, NULL, &(struct ty_history_read_filter){ 0 }, NULL, "  "),
        TY_EXIT_OK);
    assert_int_equal(
        ty_events_view_print(&h->b.cli, NULL, &(struct ty_history_read_filter){ 0 }, NULL, NULL),
        TY_EXIT_OK);
    fixture_flush(&h->b);
    assert_string_equal(h->b.out, "  <none>\n");
    assert_string_equal(h->b.err, "No events found\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_as_objects), HIST_EMPTY(test_none) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
