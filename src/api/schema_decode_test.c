/* tests/schema/typed.json holds objects and what Go's decoder said of them. */
#include "api/schema_testing.h"

static void says_what_go_says(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *cases = json_file(a, "tests/schema/typed.json");
    size_t seen = 0;

    ty_each_item (it, cases) {
        const struct ty_json *obj = ty_json_get(*it, "object");
        struct ty_str want = ty_json_str_at(*it, "error");
        struct ty_err err = { 0 };
        int r = ty_schema_decode(ty_kind_of(obj)->schema, obj, &err);
        if (r != (want.n ? -EINVAL : 0) || !ty_str_eq(ty_str(err.text), want))
            fail_msg("%s\nwant %.*s\n got %s", json_show(a, obj), TY_ARG(want), err.text);
        seen += want.n > 0;
    }
    assert_true(seen > 40);
}

static void the_whole_may_be_wrong(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_err err = { 0 };

    assert_int_equal(ty_schema_decode(&ty_schema_TrainingRuntime, parse(a, "[5]"), &err), -EINVAL);
    assert_string_equal(err.text, "json: cannot unmarshal array into Go value of type "
                                  "v1alpha1.TrainingRuntime");
    assert_int_equal(ty_schema_decode(&ty_schema_TrainJob, parse(a, "{'spec':5}"), NULL), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_go_says),
        cmocka_unit_test(the_whole_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
