/* Which form a string takes. */
#include "json/yaml_inner.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_form(struct ty_str s, enum ty_yaml_quoting how, const char *want)
{
    ty_auto_buf out = { 0 };
    assert_int_equal(ty_yaml_quote_choose(s, true), how);
    ty_yaml_quote_put(&out, s, how);
    ty_buf_chr(&out, '\0');
    assert_string_equal(out.p, want);
}

static void plain(void **state TY_UNUSED)
{
    const char *texts[] = { "a",
                            "a b",
                            "--lr=1",
                            "-x",
                            "http://x:80/y#z",
                            "a,b [c]",
                            "127.0.0.1",
                            "10Gi",
                            "1.2.3",
                            "it's",
                            "a\"b",
                            "a:b",
                            "v1",
                            "$(HOME)/x",
                            "a-b_c.d/e",
                            "\xc3\xa9t",
                            "nvidia.com/gpu",
                            "..",
                            "nope",
                            "(x)",
                            "a#b",
                            "/bin/sh",
                            "~/x",
                            "=x",
                            "<none>" };
    for (size_t i = 0; i < TY_COUNT(texts); i++)
        assert_form(ty_str(texts[i]), TY_YAML_PLAIN, texts[i]);
}

static void words(void **state TY_UNUSED)
{
    const char *texts[] = { "yes", "no",  "on",    "off",  "y",  "n",          "Y",     "1.0",
                            "0x1", "1e3", "null",  "~",    "12", "2001-01-01", "12:30", "true",
                            "<<",  "=",   "1_000", ".inf", ".5", "0o7",        "-1",    "" };
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        char want[40];
        snprintf(want, sizeof(want), "\"%s\"", texts[i]);
        assert_form(ty_str(texts[i]), TY_YAML_DOUBLE, want);
    }
}

static void punctuation(void **state TY_UNUSED)
{
    const char *texts[] = { " a",  "a ",   "a: b", "a:",    "a #b",   "#a",  "*a",  "&a",
                            "!a",  "|",    ">x",   "@a",    "`a",     "%a",  "- a", "-",
                            "? a", "?a",   ":a",   ",a",    "[a]",    "{a}", "]",   "}",
                            "---", "---a", "...",  "\"a\"", "{{ x }}" };
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        char want[40];
        snprintf(want, sizeof(want), "'%s'", texts[i]);
        assert_form(ty_str(texts[i]), TY_YAML_SINGLE, want);
    }
    assert_form(TY_LIT("'a'"), TY_YAML_SINGLE, "'''a'''");
}

static void escapes(void **state TY_UNUSED)
{
    assert_form(TY_LIT("a\tb"), TY_YAML_DOUBLE, "\"a\\tb\"");
    assert_form(TY_LIT("a\nb"), TY_YAML_DOUBLE, "\"a\\nb\"");
    assert_form(TY_LIT("\r\b\f\"\\"), TY_YAML_DOUBLE, "\"\\r\\b\\f\\\"\\\\\"");
    assert_form(TY_LIT("\0\x1b\x7f"), TY_YAML_DOUBLE, "\"\\u0000\\u001b\\u007f\"");
    assert_form(TY_LIT("\xc2\x85\xe2\x80\xa8\xef\xbb\xbf"), TY_YAML_DOUBLE,
                "\"\\u0085\\u2028\\ufeff\"");
    assert_form(TY_LIT("a\xff"), TY_YAML_DOUBLE, "\"a\\ufffd\"");
}

static void assert_block(struct ty_str s, const char *want)
{
    ty_auto_buf out = { 0 };
    assert_int_equal(ty_yaml_quote_choose(s, false), TY_YAML_BLOCK);
    ty_yaml_quote_header(&out, s);
    ty_buf_chr(&out, '\n');
    ty_yaml_quote_block(&out, s, 2);
    ty_buf_chr(&out, '\0');
    assert_string_equal(out.p, want);
}

static void blocks(void **state TY_UNUSED)
{
    assert_block(TY_LIT("a\nb"), "|-\n  a\n  b\n");
    assert_block(TY_LIT("a\n"), "|\n  a\n");
    assert_block(TY_LIT("a\n\n b: #\n\n"), "|+\n  a\n\n   b: #\n\n");
    assert_block(TY_LIT("\na"), "|2-\n\n  a\n");
    assert_block(TY_LIT("a\n\tb\n"), "|\n  a\n  \tb\n");
    const struct ty_str never[] = {
        TY_LIT("\n"),    TY_LIT(" a\nb"),  TY_LIT("a\n "),           TY_LIT("a\nb "),
        TY_LIT("\n\ta"), TY_LIT("a\r\nb"), TY_LIT("a\n\xe2\x80\xa8")
    };
    for (size_t i = 0; i < TY_COUNT(never); i++)
        assert_int_equal(ty_yaml_quote_choose(never[i], false), TY_YAML_DOUBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),   cmocka_unit_test(words),  cmocka_unit_test(punctuation),
        cmocka_unit_test(escapes), cmocka_unit_test(blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
