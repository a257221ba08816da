#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/object_meta.h"

#define LONG_63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

/* All errors of this metadata; each has the place of its value. */
static void check(const char *meta, const char *want)
{
    ty_auto_arena *a = ty_arena_new(8 << 20);
    struct ty_errs errs = { .arena = a };
    const struct ty_json *obj = ty_json_parse(a, ty_str(meta), NULL, NULL);

    assert_non_null(obj);
    ty_object_meta_check(obj, TY_KEY(NULL, "metadata"), &errs);
    assert_string_equal(ty_errs_text(a, &errs), want);
    for (const struct ty_field_err *e = errs.first; e; e = e->next)
        assert_non_null(e->at);
}

static void test_valid(void **state TY_UNUSED)
{
    check("{}", "");
    check("{\"labels\":null,\"annotations\":{}}", "");
    check("{\"labels\":{\"a\":\"\",\"example.com/A_b.c\":\"My_value.1\",\"" LONG_63 "\":\"" LONG_63
          "\"}}",
          "");
    /* the decoder reports values of other types */
    check("{\"labels\":{\"a\":1,\"b\":null},\"annotations\":[]}", "");
    /* annotations hold any text, and case does not matter in their keys */
    check("{\"annotations\":{\"Example.COM/x\":\"a b\\n\"}}", "");
}

/* The words of the API server, checked against 1.36. */
static void test_keys(void **state TY_UNUSED)
{
#define KEY_RULE                                                                                   \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    check("{\"labels\":{\"a b\":\"x\"}}",
          "metadata.labels: Invalid value: \"a b\": name part " KEY_RULE);
    check("{\"labels\":{\"" LONG_63 "l\":\"x\"}}", "metadata.labels: Invalid value: \"" LONG_63
                                                   "l\": name part must be no more than 63 bytes");
    check("{\"labels\":{\"/a\":\"x\"}}",
          "metadata.labels: Invalid value: \"/a\": prefix part must be non-empty");
    check("{\"labels\":{\"a/\":\"x\"}}",
          "metadata.labels: Invalid value: \"a/\": name part must be non-empty");
    check("{\"labels\":{\"a/b/c\":\"x\"}}",
          "metadata.labels: Invalid value: \"a/b/c\": a valid label key " KEY_RULE
          " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    check("{\"labels\":{\"Example.com/a\":\"x\"}}",
          "metadata.labels: Invalid value: \"Example.com/a\": prefix part a lowercase RFC 1123 "
          "subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
          "start and end with an alphanumeric character (e.g. 'example.com', regex used for "
          "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    check("{\"annotations\":{\"A b\":\"x\"}}",
          "metadata.annotations: Invalid value: \"A b\": name part " KEY_RULE);
}

static void test_values(void **state TY_UNUSED)
{
    check("{\"labels\":{\"a\":\"b c\"}}",
          "metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or "
          "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
          "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
          "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    check("{\"labels\":{\"a\":\"" LONG_63 "l\"}}",
          "metadata.labels: Invalid value: \"" LONG_63 "l\": must be no more than 63 bytes");
}

static void check_annotation(const struct ty_buf *value, const char *want)
{
    ty_auto_buf out = { 0 };

    ty_buf_printf(&out, "{\"annotations\":{\"a\":\"%.*s\"}}", (int)value->n, value->p);
    ty_buf_chr(&out, '\0');
    check(out.p, want);
}

/* Keys and values together, at most 256 KiB. */
static void test_size(void **state TY_UNUSED)
{
    enum { MOST = 256 << 10 };
    ty_auto_buf value = { 0 };

    while (value.n < MOST - 1)
        ty_buf_chr(&value, 'x');
    check_annotation(&value, "");
    ty_buf_chr(&value, 'x');
    check_annotation(&value, "metadata.annotations: Too long: may not be more than 262144 bytes");
}

/* A map of thousands of wrong keys does not become a message of megabytes. */
static void test_bounded(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(8 << 20);
    struct ty_errs errs = { .arena = a };
    struct ty_json *meta = ty_json_object(a), *labels = ty_json_ensure_object(a, meta, "labels");

    for (int i = 0; i < 1000; i++)
        ty_json_set(a, labels, ty_arena_printf(a, "a b %d", i), ty_json_cstr(a, "c d"));
    ty_object_meta_check(meta, NULL, &errs);
    assert_in_range(errs.n, 16, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid), cmocka_unit_test(test_keys),    cmocka_unit_test(test_values),
        cmocka_unit_test(test_size),  cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
