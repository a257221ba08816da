#include "cli/run/run_env.h"

#include <errno.h>

#include "base/buf.h"
#include "cli/testing.h"

/* The variables, one for each line, or "error: …". */
static const char *parse(struct ty_arena *a, const char *text)
{
    struct ty_strlist got = { 0 };
    struct ty_err err = { 0 };
    ty_auto_buf b = { 0 };

    if (ty_run_env_parse(a, "x.env", ty_str(text), &got, &err) < 0)
        return ty_arena_printf(a, "error: %s", err.text);
    for (size_t i = 0; i < got.n; i++)
        ty_buf_printf(&b, "%s\n", got.v[i]);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static void the_format(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "A=1\nB=two words \n", "A=1\nB=two words \n" },
        { "# a comment\n\n  \t\n  A=1", "A=1\n" },
        { "A=\"quoted\"\nB='x'\nC=a=b#c\nD=\n", "A=\"quoted\"\nB='x'\nC=a=b#c\nD=\n" },
        { "A=1\r\nB=2\r\n", "A=1\nB=2\n" },
        { "\xEF\xBB\xBF"
          "A=1\n",
          "A=1\n" },
        { "TY_TEST_SET\n", "TY_TEST_SET=here\n" },
        { "", "" },
        { "A=1\n\nTY_TEST_UNSET\n",
          "error: x.env:3: TY_TEST_UNSET is not set in your environment: write "
          "TY_TEST_UNSET=VALUE" },
        { "=1\n", "error: x.env:1: the name of the variable is missing" },
        { "A=1\nexport B=2\n", "error: x.env:2: the name \"export B\" has a space" },
        { "A =1\n", "error: x.env:1: the name \"A \" has a space" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    setenv("TY_TEST_SET", "here", 1);
    unsetenv("TY_TEST_UNSET");
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(parse(a, rows[i].text), rows[i].want);
}

static void words_come_last(void **state TY_UNUSED)
{
    struct ty_strlist files = { 0 }, words = { 0 }, bad = { 0 };
    struct ty_cli_fixture b;
    struct ty_err err = { 0 };
    const char **got = NULL;

    fixture_open(&b);
    fixture_file("x.env", "A=file\n");
    ty_strlist_add(b.cli.arena, &files, "x.env");
    ty_strlist_add(b.cli.arena, &words, "A=word");
    ty_strlist_add(b.cli.arena, &words, "TY_TEST_SET");
    setenv("TY_TEST_SET", "here", 1);
    assert_int_equal(ty_run_env_read(b.cli.arena, &files, &words, &got, &err), 0);
    assert_string_equal(got[0], "A=file");
    assert_string_equal(got[1], "A=word");
    assert_string_equal(got[2], "TY_TEST_SET=here");
    assert_null(got[3]);
    ty_strlist_add(b.cli.arena, &bad, "no such file");
    assert_int_equal(ty_run_env_read(b.cli.arena, &bad, &words, &got, &err), -ENOENT);
    ty_strlist_add(b.cli.arena, &words, "TY_TEST_UNSET");
    assert_int_equal(ty_run_env_read(b.cli.arena, &files, &words, &got, &err), -EINVAL);
    assert_string_equal(err.text,
                        "--env TY_TEST_UNSET: TY_TEST_UNSET is not set in your environment: write "
                        "TY_TEST_UNSET=VALUE");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_format),
                                        cmocka_unit_test(words_come_last) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
