#include "cli/history/job_history_testing.h"
#include "cli/view/get_view.h"

static void test_jobs(void **state)
{
    struct hist *h = *state;
    struct ty_arena *a = h->b.cli.arena;
    struct ty_table t = { .arena = a };
    struct ty_get_columns columns = { .wide = true, .runs = true };
    ty_auto_buf out = { 0 };
    static const char *const jobs[] = {
        "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"1970-01-01T00:00:00Z\"},"
        "\"spec\":{\"completions\":4},\"status\":{\"succeeded\":4,"
        "\"startTime\":\"1970-01-01T00:00:10Z\",\"completionTime\":\"1970-01-01T00:01:00Z\","
        "\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}}",
        "{\"metadata\":{\"name\":\"b\",\"creationTimestamp\":\"1970-01-01T00:00:00Z\"},"
        "\"spec\":{\"suspend\":true}}",
    };

    ty_get_jobs_head(&t, &columns);
    for (size_t i = 0; i < 2; i++)
        for (int cut = 0; cut < 2; cut++) {
            struct ty_job_object o = { .run = 3, .cut_off = cut };
            ty_get_jobs_row(
                &t, &(struct ty_get_row){ .a = a,
                                          .of = &o,
                                          .obj = ty_json_parse(a, ty_str(jobs[i]), NULL, NULL),
                                          .columns = columns,
                                          .now_ms = 100000 });
        }
    ty_table_print(&t, &out);
    ty_buf_chr(&out, 0);
    assert_string_equal(out.p, "NAME   STATUS        COMPLETIONS   DURATION   AGE    RUN\n"
                               "a      Complete      4/4           50s        100s   3\n"
                               "a      Complete      4/4           50s        100s   3\n"
                               "b      Suspended     0/1                      100s   3\n"
                               "b      Interrupted   0/1                      100s   3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_EMPTY(test_jobs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
