#include "fetch/safename.h"
#include "fetch/testing.h"

static void test_names_stay_below(void **state)
{
    (void)state;
    static const char *const good[] = { "a",   "a/b",   ".hidden", "..a",
                                        "a..", "a b/ü", "...",     "x/" TY_FETCH_FOLDER };
    static const char *const bad[] = { "",
                                       "/a",
                                       "a/",
                                       "a//b",
                                       ".",
                                       "..",
                                       "../a",
                                       "a/../b",
                                       "a/..",
                                       "./a",
                                       "a\nb",
                                       "a\x7f",
                                       TY_FETCH_FOLDER,
                                       TY_FETCH_FOLDER "/lock" };
    for (size_t i = 0; i < TY_COUNT(good); i++)
        if (ty_safename_check(ty_str(good[i]), NULL) < 0)
            fail_msg("\"%s\" is refused", good[i]);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        if (ty_safename_check(ty_str(bad[i]), NULL) == 0)
            fail_msg("\"%s\" is accepted", bad[i]);
}

static void test_long_names(void **state)
{
    (void)state;
    char name[3000];
    struct ty_err err = { 0 };
    memset(name, 'x', sizeof(name));
    assert_int_equal(ty_safename_check((struct ty_str){ name, 255 }, &err), 0);
    assert_true(ty_safename_check((struct ty_str){ name, 256 }, &err) < 0);
    assert_has(err.text, "longer than 255 bytes");
    for (size_t i = 100; i < sizeof(name); i += 100)
        name[i] = '/';
    assert_true(ty_safename_check((struct ty_str){ name, sizeof(name) }, &err) < 0);
    assert_true(ty_safename_check((struct ty_str){ "a\0b", 3 }, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_stay_below),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
