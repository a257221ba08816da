#include "cli/testing.h"
#include "cli/view/printer.h"

static struct ty_json *make_object(struct ty_arena *a, const char *json)
{
    return ty_json_parse(a, ty_str(json), NULL, NULL);
}

static void print_two(struct ty_cli_fixture *b, struct ty_printer *p, const char *format)
{
    p->cli = &b->cli;
    ty_printer_begin(p, format);
    ty_printer_add(p, b->cli.arena, &ty_kind_jobset,
                   make_object(b->cli.arena, "{\"kind\":\"JobSet\",\"metadata\":{\"name\":\"j\"}}"),
                   NULL);
    ty_printer_add(
        p, b->cli.arena, &ty_kind_secret,
        make_object(b->cli.arena, "{\"metadata\":{\"name\":\"s\"},\"data\":{\"k\":\"c2VjcmV0\"}}"),
        NULL);
    ty_printer_end(p);
    fixture_flush(b);
    assert_int_equal(p->code, TY_EXIT_OK);
}

static void test_yaml(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_printer p = { 0 };
    fixture_open(&b);
    print_two(&b, &p, NULL);
    assert_string_equal(b.out, "kind: JobSet\nmetadata:\n  name: j\n---\nmetadata:\n  name: s\n"
                               "data:\n  k: c2VjcmV0\n");
    fixture_close(&b);
}

static void test_json_is_one_list(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_printer p = { .redact = true };
    struct ty_err err = { 0 };
    fixture_open(&b);
    print_two(&b, &p, "json");
    struct ty_json *list = ty_json_parse(b.cli.arena, ty_str(b.out), NULL, &err);
    assert_non_null(list);
    assert_true(ty_str_is(ty_json_str_at(list, "kind"), "List"));
    assert_int_equal(ty_json_len(ty_json_get(list, "items")), 2);
    assert_has(b.out, "\n    {\n      \"kind\": \"JobSet\",\n");
    assert_has(b.out, "\"k\": \"<redacted>\"");
    assert_null(strstr(b.out, "c2VjcmV0"));
    fixture_close(&b);
}

static void test_empty_json_list(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    struct ty_printer p = { .cli = &b.cli };
    ty_printer_begin(&p, "json");
    ty_printer_end(&p);
    fixture_flush(&b);
    assert_non_null(ty_json_parse(b.cli.arena, ty_str(b.out), NULL, NULL));
    fixture_close(&b);
}

static void test_names(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    struct ty_printer p = { 0 };
    fixture_open(&b);
    print_two(&b, &p, "name");
    assert_string_equal(b.out, "jobset.jobset.x-k8s.io/j\nsecret/s\n");
    fixture_close(&b);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    FILE *was = b.cli.out;
    b.cli.out = fopen("/dev/full", "we");
    assert_non_null(b.cli.out);
    struct ty_printer p = { .cli = &b.cli };
    ty_printer_begin(&p, "json");
    assert_int_equal(p.code, TY_EXIT_BAD);
    fixture_flush(&b);
    assert_string_equal(b.err, "error: cannot write the output: No space left on device\n");
    fclose(b.cli.out);
    b.cli.out = was;
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_json_is_one_list),
        cmocka_unit_test(test_empty_json_list),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
