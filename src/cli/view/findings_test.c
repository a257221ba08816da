#include "cli/testing.h"
#include "cli/view/findings.h"

static const char text[] = "{\"metadata\":{\"name\":\"j\"},\n\"spec\":{\"runtimeRef\":{},\n"
                           "\"trainer\":{\n  \"env\":[{\"name\":\"A\"},\n  {\"name\":\"A\"}]}}}";

struct findings_fixture {
    struct ty_arena *a;
    struct ty_doc d;
    struct ty_findings f;
    struct ty_errs errs;
};

static int setup(void **state)
{
    struct findings_fixture *w = calloc(1, sizeof(*w));
    struct ty_err err = { 0 };

    assert_non_null(w);
    w->a = ty_arena_new(1 << 20);
    w->d = (struct ty_doc){
        .file = "job.yaml",
        .obj = ty_json_parse(w->a, ty_str(text), NULL, &err),
        .kind = &ty_kind_trainjob,
        .name = TY_LIT("j"),
    };
    assert_non_null(w->d.obj);
    w->f.arena = w->a;
    w->errs.arena = w->a;
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct findings_fixture *w = *state;

    ty_findings_done(&w->f);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

/* All of errs, in their order. */
static void find_all(struct findings_fixture *w)
{
    for (const struct ty_field_err *e = w->errs.first; e; e = e->next)
        ty_findings_field(&w->f, &w->d, e);
}

static const char *print_findings(struct findings_fixture *w)
{
    ty_auto_buf out = { 0 };

    ty_findings_print(&out, &w->f, false);
    return ty_arena_cstr(w->a, ty_buf_str(&out));
}

static void test_lines(void **state)
{
    struct findings_fixture *w = *state;
    const struct ty_field_path *trainer = TY_KEY(TY_KEY(NULL, "spec"), "trainer");
    ty_errs_add(&w->errs, TY_KEY(trainer, "numNode"), TY_UNKNOWN, NULL, "%s", "")->hint =
        "did you mean \"numNodes\"?";
    ty_errs_add(&w->errs, TY_KEY(TY_IDX(TY_KEY(trainer, "env"), 1), "name"), TY_DUPLICATE, "\"A\"",
                "%s", "");
    ty_errs_add(&w->errs, TY_KEY(TY_KEY(NULL, "spec"), "runtimeRef"), TY_REQUIRED, NULL, "%s",
                "say it");
    find_all(w);
    ty_findings_warn(&w->f, &w->d, "mind the gap");
    ty_findings_error(&w->f, &w->d, "no %s", "luck");
    ty_findings_input_error(&w->f, &(struct ty_input_error){ .file = "x.yaml", .text = "gone" });
    assert_string_equal(
        print_findings(w),
        "job.yaml:3:11: spec.trainer.numNode: unknown field (did you mean \"numNodes\"?)\n"
        "job.yaml:5:11: spec.trainer.env[1].name: Duplicate value: \"A\"\n"
        "job.yaml:2:22: spec.runtimeRef: Required value: say it\n"
        "job.yaml:1: warning: TrainJob j: mind the gap\n"
        "job.yaml:1: TrainJob j: no luck\n"
        "x.yaml: gone\n");
    assert_int_equal(w->f.n_errors, 5);
    assert_int_equal(w->f.n_warnings, 1);
}

static void test_long_values_are_left_out(void **state)
{
    struct findings_fixture *w = *state;
    char value[200];
    memset(value, 'v', sizeof(value) - 1);
    value[sizeof(value) - 1] = 0;
    ty_findings_field(
        &w->f, &w->d,
        ty_errs_add(&w->errs, TY_KEY(NULL, "spec"), TY_INVALID, value, "%s", "wrong"));
    assert_string_equal(print_findings(w), "job.yaml:2:8: spec: Invalid value: wrong\n");
    /* programs get it whole */
    struct ty_json *first = ty_json_item(ty_findings_json(w->a, &w->f), 0);
    assert_int_equal(ty_json_str_at(first, "value").n, 199);
}

static void test_json(void **state)
{
    struct findings_fixture *w = *state;
    ty_findings_field(&w->f, &w->d,
                      ty_errs_add(&w->errs, TY_KEY(NULL, "spec"), TY_FORBIDDEN, NULL, "%s", "no"));
    ty_findings_warn(&w->f, &w->d, "hm");
    struct ty_str got = ty_json_text(w->a, ty_findings_json(w->a, &w->f));
    assert_string_equal(
        got.p, "[{\"severity\":\"error\",\"file\":\"job.yaml\",\"line\":2,\"column\":8,\"kind\":"
               "\"TrainJob\","
               "\"name\":\"j\",\"path\":\"spec\",\"type\":\"Forbidden\",\"detail\":\"no\"},"
               "{\"severity\":\"warning\",\"file\":\"job.yaml\",\"line\":1,\"kind\":\"TrainJob\","
               "\"name\":\"j\",\"detail\":\"hm\"}]");
}

static void test_sort(void **state)
{
    struct findings_fixture *w = *state;
    static const struct ty_input_error rows[] = {
        { .file = "b", .line = 9, .text = "1" },           { .file = "a", .line = 2, .text = "2" },
        { .file = "b", .line = 3, .col = 7, .text = "3" }, { .file = "b", .line = 3, .text = "4" },
        { .file = "b", .line = 9, .text = "5" },           { .file = "a", .text = "6" },
    };
    ty_findings_sort(&w->f); /* nothing is fine */
    assert_null(w->f.first);
    for (size_t i = 0; i < 6; i++)
        ty_findings_input_error(&w->f, &rows[i]);
    ty_findings_sort(&w->f);
    assert_string_equal(print_findings(w), "b:3: 4\nb:3:7: 3\nb:9: 1\nb:9: 5\na: 6\na:2: 2\n");
    assert_string_equal(w->f.last->detail, "2");
}

/* The API server's echoes of one mistake. */
static void test_echoes(void **state)
{
    struct findings_fixture *w = *state;
    const struct ty_field_path *spec = TY_KEY(NULL, "spec"), *meta = TY_KEY(NULL, "metadata");
    ty_errs_add(&w->errs, spec, TY_TYPE_INVALID, NULL, "%s", "wrong type");
    ty_errs_add(&w->errs, TY_KEY(spec, "runtimeRef"), TY_REQUIRED, NULL, "%s", "");
    ty_errs_add(&w->errs, NULL, TY_INVALID, NULL, "%s", "some validation rules were not checked");
    ty_errs_add(&w->errs, NULL, TY_INVALID, NULL, "%s", "metadata.name must be short");
    ty_errs_add(&w->errs, TY_KEY(meta, "name"), TY_INVALID, NULL, "%s", "too long");
    find_all(w);
    assert_string_equal(print_findings(w), "job.yaml:2:8: spec: Invalid value: wrong type\n"
                                           "job.yaml:1:21: metadata.name must be short\n");
    assert_true(w->f.unchecked);
}

/* The file may be of others. */
static void test_escapes_are_not_printed(void **state)
{
    struct findings_fixture *w = *state;
    ty_auto_buf out = { 0 };
    ty_errs_add(&w->errs, TY_KEY(NULL, "sp\033[2Jec"), TY_INVALID, "\"\033]0;t\a\"", "%s",
                "no\x9b\nline");
    find_all(w);
    ty_findings_warn(&w->f, &w->d, "mind\r\033[A the gap");
    ty_findings_print(&out, &w->f, true);
    assert_string_equal(ty_arena_cstr(w->a, ty_buf_str(&out)),
                        "\033[1mjob.yaml:1:\033[0m spec: Invalid value: \"\": no?\nline\n"
                        "\033[1mjob.yaml:1:\033[0m \033[1;33mwarning:\033[0m TrainJob j: mind the "
                        "gap\n");
}

#define WITH(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(test_lines), WITH(test_long_values_are_left_out), WITH(test_json), WITH(test_echoes),
        WITH(test_sort),  WITH(test_escapes_are_not_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
