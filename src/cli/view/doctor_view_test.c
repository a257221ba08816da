#include "cli/testing.h"
#include "cli/view/doctor_view.h"

static struct ty_check_results make_results(struct ty_arena *a)
{
    struct ty_check_results c = { .arena = a, .area = "machine" };

    ty_check_add(&c, TY_CHECK_LEVEL_OK, "python", "python3 is here");
    c.area = "cluster";
    ty_check_set_fix(&c, ty_check_add(&c, TY_CHECK_LEVEL_FAIL, "crds", "no \033[2J CRD"),
                     "apply it");
    return c;
}

static void test_lines(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_check_results c = make_results(a);
    ty_auto_buf b = { 0 };

    ty_doctor_view_print(a, &b, &c, false);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, "machine\n"
                             "ok    python3 is here\n"
                             "\ncluster\n"
                             "fail  no  CRD  -- fix: apply it\n"
                             "\n1 ok, 0 warnings, 1 failed\n");
    b.n = 0;
    ty_doctor_view_print(a, &b, &c, true);
    ty_buf_chr(&b, '\0');
    assert_has(b.p, "\033[31mfail\033[0m  no  CRD");
    assert_has(b.p, "\033[32mok  \033[0m  python3");
}

static void test_for_programs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_check_results c = make_results(a);
    const struct ty_json *o = ty_doctor_view_json(a, &c);
    const struct ty_json *last = ty_json_item(ty_json_get(o, "checks"), 1);

    assert_true(ty_json_get(o, "ok") && !ty_json_true_at(o, "ok"));
    assert_true(ty_str_is(ty_json_str_at(last, "level"), "fail"));
    assert_true(ty_str_is(ty_json_str_at(last, "fix"), "apply it"));
    assert_true(ty_str_is(ty_json_str_at(last, "area"), "cluster"));
    assert_null(ty_json_get(ty_json_item(ty_json_get(o, "checks"), 0), "fix"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
