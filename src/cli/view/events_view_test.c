#include "cli/history/history_source.h"
#include "cli/history/job_history_testing.h"
#include "cli/view/events_view.h"

static int print_events(struct hist *h, const char *run, const char *output)
{
    ty_auto_job_source *source = NULL;
    struct ty_job_history_opts opts = { .run = run };

    assert_int_equal(ty_history_source_open(&h->b.cli, NULL, &opts, &source), TY_EXIT_OK);
    return ty_events_view_print(source, NULL, output);
}

static void test_as_objects(void **state)
{
    struct hist *h = *state;

    assert_int_equal(print_events(h, "1", "json"), TY_EXIT_OK);
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

    assert_int_equal(print_events(h, NULL, NULL), TY_EXIT_OK);
    fixture_flush(&h->b);
    assert_string_equal(h->b.out, "");
    assert_string_equal(h->b.err, "No events found\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_as_objects), HIST_EMPTY(test_none) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
