/* What lies between quotes: escapes and folded lines. Wanted texts are those of go-yaml. */
#include "json/yaml_inner.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct row {
    struct ty_str raw, want; /* want.p NULL: refused */
};

static void assert_rows(const struct row *rows, size_t n, char quote)
{
    for (size_t i = 0; i < n; i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        struct ty_str got = { 0 };
        bool ok = ty_yaml_unquote(a, rows[i].raw, quote, &got);
        if (ok != (rows[i].want.p != NULL) || !ty_str_eq(got, rows[i].want))
            fail_msg("%s: got %s", ty_yaml_text_show(a, rows[i].raw), ty_yaml_text_show(a, got));
    }
}

static void doubles(void **state TY_UNUSED)
{
    const struct row rows[] = {
        { TY_LIT(""), TY_LIT("") },
        { TY_LIT("  x  "), TY_LIT("  x  ") },
        { TY_LIT("\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\/\\\\\\N\\_\\L\\P"),
          TY_LIT("\0\a\b\t\n\v\f\r\x1b \"/\\\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9") },
        { TY_LIT("\\x41\\u00e9\\u263A\\U0001F600"),
          TY_LIT("A\xc3\xa9\xe2\x98\xba\xf0\x9f\x98\x80") },
        { TY_LIT("\\ud83d\\ude00"), TY_LIT("\xf0\x9f\x98\x80") },
        { TY_LIT("a \t\n b"), TY_LIT("a b") },
        { TY_LIT("a\\t\n b"), TY_LIT("a\t b") },
        { TY_LIT("n\\ \n b"), TY_LIT("n  b") },
        { TY_LIT("a\n\n\n b\n "), TY_LIT("a\n\nb ") },
        { TY_LIT("a \\\n  \\ b"), TY_LIT("a  b") },
        { TY_LIT("a\\\n\n b"), TY_LIT("a\nb") },
        { TY_LIT("a\\\r\n b\r\n c\rd"), TY_LIT("ab c d") },
        { TY_LIT("\n a\n"), TY_LIT(" a ") },
        { TY_LIT("\\q"), { 0 } },
        { TY_LIT("\\x4"), { 0 } },
        { TY_LIT("\\u12g4"), { 0 } },
        { TY_LIT("\\ud83d"), { 0 } },
        { TY_LIT("\\ud83d\\u0041"), { 0 } },
        { TY_LIT("\\U00110000"), { 0 } },
        { TY_LIT("\\"), { 0 } },
    };
    assert_rows(rows, TY_COUNT(rows), '"');
}

static void singles(void **state TY_UNUSED)
{
    const struct row rows[] = {
        { TY_LIT("it''s"), TY_LIT("it's") },
        { TY_LIT("---''''s''"), TY_LIT("---''s'") },
        { TY_LIT("a\\n"), TY_LIT("a\\n") },
        { TY_LIT("a  \n\n  b"), TY_LIT("a\nb") },
        { TY_LIT("x'y"), { 0 } },
    };
    assert_rows(rows, TY_COUNT(rows), '\'');
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(doubles), cmocka_unit_test(singles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
