/* Field errors: the texts of the API server. */
#include "json/errs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void paths(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_field_path *spec = TY_KEY(NULL, "spec");
    const struct ty_field_path *env = TY_KEY(TY_KEY(spec, "trainer"), "env");
    assert_string_equal(ty_errs_path_text(a, NULL), "<nil>");
    assert_string_equal(ty_errs_path_text(a, spec), "spec");
    assert_string_equal(ty_errs_path_text(a, TY_KEY(TY_IDX(env, 1), "name")),
                        "spec.trainer.env[1].name");
    assert_string_equal(ty_errs_path_text(a, TY_IDX(TY_IDX(env, 0), 12)),
                        "spec.trainer.env[0][12]");
    assert_string_equal(
        ty_errs_path_text(a, TY_MAPKEY(TY_KEYS(spec, TY_LIT("annotations")), TY_LIT("a.b/c"))),
        "spec.annotations[a.b/c]");
    assert_string_equal(ty_errs_path_text(a, TY_IDX(NULL, 3)), "[3]");
}

static void texts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    static const struct {
        enum ty_field_err_type why;
        const char *value, *detail, *want;
    } cases[] = {
        { TY_REQUIRED, NULL, "", "spec.a: Required value" },
        { TY_REQUIRED, "1", "must be set", "spec.a: Required value: must be set" },
        { TY_INVALID, "2", "must be 1", "spec.a: Invalid value: 2: must be 1" },
        { TY_INVALID, "\"\"", "", "spec.a: Invalid value: \"\"" },
        { TY_INVALID, NULL, "field is immutable", "spec.a: Invalid value: field is immutable" },
        { TY_TYPE_INVALID, "\"string\"", "must be a number",
          "spec.a: Invalid value: \"string\": must be a number" },
        { TY_UNSUPPORTED, "\"Intel\"", "supported values: \"OpenMPI\", \"\"",
          "spec.a: Unsupported value: \"Intel\": supported values: \"OpenMPI\", \"\"" },
        { TY_FORBIDDEN, "1", "it is reserved", "spec.a: Forbidden: it is reserved" },
        { TY_TOO_LONG, "\"x\"", "may not be more than 63 bytes",
          "spec.a: Too long: may not be more than 63 bytes" },
        { TY_TOO_MANY, "17", "must have at most 16 items",
          "spec.a: Too many: 17: must have at most 16 items" },
        { TY_DUPLICATE, "{\"name\":\"A\"}", "", "spec.a: Duplicate value: {\"name\":\"A\"}" },
        { TY_INTERNAL, NULL, "no key", "spec.a: Internal error: no key" },
        { TY_UNKNOWN, NULL, "", "unknown field \"spec.a\"" },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_errs errs = { .arena = a };
        const struct ty_field_err *e =
            ty_errs_add(&errs, TY_KEY(TY_KEY(NULL, "spec"), "a"), cases[i].why, cases[i].value,
                        "%s", cases[i].detail);
        ty_auto_buf out = { 0 };
        ty_errs_print(&out, e);
        ty_buf_chr(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
        assert_string_equal(ty_errs_text(a, &errs), cases[i].want);
        assert_int_equal(e->why, cases[i].why);
    }
}

static void aggregates(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs errs = { .arena = a };
    const struct ty_field_path *x = TY_KEY(NULL, "x"), *y = TY_KEY(NULL, "y");
    assert_string_equal(ty_errs_text(a, &errs), "");
    ty_errs_add(&errs, x, TY_REQUIRED, NULL, " ")->detail = "";
    ty_errs_add(&errs, x, TY_REQUIRED, NULL, " ")->detail = "";
    assert_string_equal(ty_errs_text(a, &errs), "x: Required value");
    ty_errs_add(&errs, y, TY_INVALID, "3", "must be %d", 1)->hint = "not printed";
    ty_errs_add(&errs, x, TY_REQUIRED, NULL, " ")->detail = "";
    ty_errs_add(&errs, NULL, TY_INVALID, "null", "not checked");
    assert_string_equal(ty_errs_text(a, &errs),
                        "[x: Required value, y: Invalid value: 3: must be 1, "
                        "<nil>: Invalid value: null: not checked]");
    assert_int_equal(errs.n, 5);
    assert_ptr_equal(errs.first->next->next->next->next, errs.last);
}

/* Thousands of mistakes, half of them said twice: found in no time, in order. */
static void many(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_errs errs = { .arena = a };
    ty_auto_buf want = { 0 };
    for (int i = 0; i < 40000; i++) {
        ty_errs_add(&errs, TY_IDX(NULL, i / 2), TY_FORBIDDEN, NULL, "no");
        if (i % 2 == 0)
            ty_buf_printf(&want, "%s[%d]: Forbidden: no", i ? ", " : "[", i / 2);
    }
    ty_buf_put(&want, "]", 2);
    assert_string_equal(ty_errs_text(a, &errs), want.p);
}

static void joins(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs into = { .arena = a }, from = { .arena = a };
    ty_errs_join(&into, &from);
    assert_true(!into.first && !into.last && into.n == 0);
    ty_errs_add(&from, TY_KEY(NULL, "x"), TY_FORBIDDEN, NULL, "1");
    ty_errs_join(&into, &from);
    from = (struct ty_errs){ .arena = a };
    ty_errs_add(&from, TY_KEY(NULL, "y"), TY_FORBIDDEN, NULL, "2");
    ty_errs_add(&from, TY_KEY(NULL, "z"), TY_FORBIDDEN, NULL, "3");
    ty_errs_join(&into, &from);
    assert_int_equal(into.n, 3);
    assert_string_equal(into.first->path, "x");
    assert_string_equal(into.first->next->path, "y");
    assert_string_equal(into.last->path, "z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths), cmocka_unit_test(texts), cmocka_unit_test(aggregates),
        cmocka_unit_test(many),  cmocka_unit_test(joins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
