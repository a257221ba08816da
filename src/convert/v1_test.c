/* Reading by tables, and the places of the result. */
#include "convert/convert_testing.h"
#include "convert/v1.h"

struct fix {
    struct ty_arena *arena;
    struct ty_convert_result out;
    struct ty_json *v1;
    struct ty_v1_conversion c;
};

static int setup(void **state)
{
    struct ty_arena *a = ty_arena_new(TESTING_CEILING);
    struct fix *f = ty_new(a, struct fix);
    f->arena = a;
    f->v1 = ty_json_object(a);
    f->v1->line = 9;
    f->c = (struct ty_v1_conversion){ .arena = a,
                                      .out = &f->out,
                                      .v1 = f->v1,
                                      .kind = &ty_v1_jax,
                                      .name = "j",
                                      .jobset = ty_json_object(a) };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fix *f = *state;
    ty_arena_free(f->arena);
    return 0;
}

static struct ty_json *yaml(struct fix *f, const char *text)
{
    struct ty_yaml_docs docs = { 0 };
    assert_int_equal(ty_yaml_parse(f->arena, "t", ty_str(text), NULL, &docs, NULL), 0);
    return docs.v[0];
}

static void test_warnings_keep_their_order(void **state)
{
    struct fix *f = *state;
    struct ty_json *v = yaml(f, "a: 1\nb:\n  c: 2\n");
    ty_v1_warn(&f->c, ty_json_at(v, "b.c"), TY_KEY(TY_KEY(NULL, "b"), "c"), "is %d", 2);
    ty_v1_warn(&f->c, NULL, NULL, "all of it");
    assert_string_equal(f->out.warnings->path, "b.c");
    assert_string_equal(f->out.warnings->text, "is 2");
    assert_int_equal(f->out.warnings->line, 3);
    assert_string_equal(f->out.warnings->next->path, "");
    assert_int_equal(f->out.warnings->next->line, 9); /* where the object begins */
    assert_null(f->out.warnings->next->next);
}

static void test_first_mistake_counts(void **state)
{
    struct fix *f = *state;
    ty_v1_error(&f->c, NULL, TY_KEY(NULL, "a"), "one");
    ty_v1_error(&f->c, NULL, TY_KEY(NULL, "b"), "two");
    assert_string_equal(f->out.bad->text, "one");
}

static void count(struct ty_v1_conversion *c, const struct ty_json *v TY_UNUSED,
                  const struct ty_field_path *at TY_UNUSED)
{
    c->procs++;
}

static const struct ty_v1_field rows[] = {
    { "taken", count, NULL },
    { "left", NULL, "nobody wants it" },
    { "elsewhere", NULL, NULL },
    { NULL, NULL, NULL },
};

static void test_rows(void **state)
{
    struct fix *f = *state;
    const struct ty_field_path *at = TY_KEY(NULL, "spec");
    struct ty_json *v = yaml(f, "{taken: 1, left: 2, elsewhere: 3, unknown: 4, \"\": 5}");
    ty_v1_convert_fields(&f->c, v, at, rows);
    assert_int_equal(f->c.procs, 1);
    assert_string_equal(warning(&f->out, "spec.left"), "not carried over: nobody wants it");
    assert_has(warning(&f->out, "spec.unknown"), "no field of JAXJob");
    assert_true(warned(&f->out, "spec."));
    assert_false(warned(&f->out, "spec.elsewhere"));
    assert_null(f->out.bad);
}

static void test_null_is_absent(void **state)
{
    struct fix *f = *state;
    struct ty_json *v = yaml(f, "{taken: null, left: ~, unknown: null}");
    ty_v1_convert_fields(&f->c, v, NULL, rows);
    ty_v1_convert_fields(&f->c, NULL, NULL, rows);
    ty_v1_convert_fields(&f->c, ty_json_null(f->arena), NULL, rows);
    assert_int_equal(f->c.procs, 0);
    assert_null(f->out.warnings);
    assert_null(f->out.bad);
    assert_null(ty_v1_get(v, "taken"));
    assert_null(ty_v1_get(v, "nothing"));
    assert_null(ty_v1_get(NULL, "nothing"));
}

static void test_rows_of_no_object(void **state)
{
    struct fix *f = *state;
    ty_v1_convert_fields(&f->c, yaml(f, "[1]"), TY_KEY(NULL, "spec"), rows);
    assert_string_equal(f->out.bad->path, "spec");
    assert_string_equal(f->out.bad->text, "must be an object");
}

static void test_numbers(void **state)
{
    struct fix *f = *state;
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        { "0", true },    { "7", true },     { "8", false },
        { "-1", false },  { "1.5", false },  { "'1'", false },
        { "[1]", false }, { "true", false }, { "99999999999999999999", false },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        int64_t n = -5;
        f->out.bad = NULL;
        assert_int_equal(ty_v1_int(&f->c, yaml(f, cases[i].text), TY_KEY(NULL, "n"), 0, 7, &n),
                         cases[i].good);
        assert_true(cases[i].good == (f->out.bad == NULL) && cases[i].good == (n != -5));
    }
    assert_string_equal(f->out.bad->text, "must be a whole number from 0 to 7");
}

static void test_words(void **state)
{
    struct fix *f = *state;
    bool b = false;
    assert_true(ty_v1_bool(&f->c, yaml(f, "true"), NULL, &b) && b);
    assert_true(ty_str_is(ty_v1_str(&f->c, yaml(f, "text"), NULL), "text"));
    assert_null(f->out.bad);
    assert_false(ty_v1_bool(&f->c, yaml(f, "'true'"), NULL, &b));
    assert_string_equal(f->out.bad->text, "must be true or false");
    f->out.bad = NULL;
    assert_true(ty_v1_str(&f->c, yaml(f, "5"), NULL).n == 0);
    assert_string_equal(f->out.bad->text, "must be a text");
    assert_string_equal(ty_v1_cstr(&f->c, (struct ty_str){ 0 }), "");
}

static void test_places(void **state)
{
    struct fix *f = *state;
    static const char *const done[] = { "a", "b", NULL };
    assert_string_equal(ty_v1_host(&f->c, "node", 12), "j-node-0-12.j");
    assert_false(f->c.own);
    ty_v1_success(&f->c, done);
    assert_true(f->c.own); /* no built-in runtime has it */
    assert_string_equal(json_at(f->arena, f->c.jobset, "successPolicy"),
                        "{\"operator\":\"All\",\"targetReplicatedJobs\":[\"a\",\"b\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_warnings_keep_their_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_first_mistake_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_null_is_absent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows_of_no_object, setup, teardown),
        cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words, setup, teardown),
        cmocka_unit_test_setup_teardown(test_places, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
