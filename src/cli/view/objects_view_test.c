#include "cli/history/job_history_testing.h"
#include "cli/view/objects_view.h"

static void test_one_and_many(void **state)
{
    struct hist *h = *state;
    struct ty_arena *a = h->b.cli.arena;
    static const char text[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}";
    struct ty_json *pod = ty_json_parse(a, ty_str(text), NULL, NULL);
    struct ty_json *objs[] = { pod, pod };

    assert_int_equal(ty_objects_view_print(&h->b.cli, objs, 1, false, "yaml"), TY_EXIT_OK);
    assert_int_equal(ty_objects_view_print(&h->b.cli, objs, 2, true, "name"), TY_EXIT_OK);
    assert_int_equal(ty_objects_view_print(&h->b.cli, objs, 1, true, "yaml"), TY_EXIT_OK);
    assert_int_equal(ty_objects_view_print(&h->b.cli, NULL, 0, true, "json"), TY_EXIT_OK);
    fixture_flush(&h->b);
    assert_string_equal(h->b.out,
                        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"
                        "pod/p\npod/p\n"
                        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n"
                        "    name: p\nkind: List\n"
                        "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n"
                        "    \"kind\": \"List\"\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_EMPTY(test_one_and_many) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
