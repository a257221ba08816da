#include "base/path.h"

#include "base/str.h"
#include "base/testing.h"

static void test_below(void **state)
{
    static const struct {
        const char *path, *dir, *rest;
    } rows[] = {
        { "/a/b", "/a", "/b" },
        { "/a", "/a", "" },
        { "/a", "/a//", "" },
        { "//a///b/c", "/a/b/", "/c" },
        { "/a", "/", "/a" },
        { "/", "/", "/" },
        { "/ab", "/a", NULL },
        { "/a", "/ab", NULL },
        { "/a", "/a/b", NULL },
        { "/", "/a", NULL },
        /* relative names */
        { "data", "d", NULL },
        { "d/ata", "d", "/ata" },
        { "d", "d", "" },
        { "d", "/", NULL },
        { "/d", "d", NULL },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *rest = ty_path_below(rows[i].path, rows[i].dir);
        if (rows[i].rest)
            assert_string_equal(rest, rows[i].rest);
        else
            assert_null(rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_below) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
