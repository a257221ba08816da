/* Which texts are refused before parsing, and where documents begin. */
#include "json/yaml_inner.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void checks(void **state TY_UNUSED)
{
    const struct {
        struct ty_str text;
        const char *want; /* NULL: fine */
    } rows[] = {
        { TY_LIT(""), NULL },
        { TY_LIT("a: \xc3\xa9\t\xf0\x9f\x98\x80 \xc2\x85\r\n"), NULL },
        { TY_LIT("a: b\0c"), "f:1:5: a NUL byte; is this a text file?" },
        { TY_LIT("a\r\nb\rc\n\xc3\xa9x\xff"), "f:4:3: byte 0xff is not UTF-8 text" },
        { TY_LIT("\xed\xa0\x80"), "f:1:1: byte 0xed is not UTF-8 text" },
        { TY_LIT("a: \x07"), "f:1:4: the control character U+0007 must be written as an escape in "
                             "double quotes" },
        { TY_LIT("\x7f"), "f:1:1: the control character U+007F must be written as an escape in "
                          "double quotes" },
        { TY_LIT("\xc2\x80"), "f:1:1: the control character U+0080 must be written as an escape in "
                              "double quotes" },
        { TY_LIT("\xff\xfe"
                 "a\0"),
          "f:1:1: the text is UTF-16; save it as UTF-8" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_err err = { 0 };
        int r = ty_yaml_text_check("f", rows[i].text, &err);
        assert_int_equal(r, rows[i].want ? -EINVAL : 0);
        assert_string_equal(err.text, rows[i].want ? rows[i].want : "");
    }
}

/* The parts of a text, each as "LINE<text>". */
static void assert_parts(const char *text, const char *want)
{
    ty_auto_buf got = { 0 };
    struct ty_str rest = ty_str(text);
    uint32_t line = 1;
    struct ty_yaml_part part;
    while (ty_yaml_text_next(&rest, &line, &part))
        ty_buf_printf(&got, "%u<%.*s>", part.line, TY_ARG(part.text));
    ty_buf_chr(&got, '\0');
    assert_string_equal(got.p, want);
}

static void splits(void **state TY_UNUSED)
{
    assert_parts("", "");
    assert_parts("a", "1<a>");
    assert_parts("a\n---\nb\n", "1<a\n>2<---\nb\n>");
    assert_parts("---\na\n--- b\n---\tc\n----\n", "1<---\na\n>3<--- b\n>4<---\tc\n----\n>");
    assert_parts("%YAML 1.2\n# x\n---\na\n", "1<%YAML 1.2\n# x\n---\na\n>");
    assert_parts("a\n...\n%YAML 1.2\n---\nb\n", "1<a\n...\n>3<%YAML 1.2\n---\nb\n>");
    assert_parts("a\r\n---\r\nb\r---\rc", "1<a\r\n>2<---\r\nb\r>4<---\rc>");
    assert_parts(" ---\n", "1< ---\n>");
    assert_parts("---\n---\n", "1<---\n>2<---\n>");
}

static void shows(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char longs[200];
    memset(longs, 'x', sizeof(longs));
    assert_string_equal(ty_yaml_text_show(a, TY_LIT("a\"\n")), "\"a\\\"\\n\"");
    const char *cut = ty_yaml_text_show(a, (struct ty_str){ longs, sizeof(longs) });
    assert_int_equal(strlen(cut), 80 + strlen("\"…\""));
    assert_true(ty_str_ends(ty_str(cut), TY_LIT("x…\"")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks),
        cmocka_unit_test(splits),
        cmocka_unit_test(shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
