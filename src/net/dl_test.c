#include "net/dl.h"
#include "net/testing.h"

#include <errno.h>

static void finds_a_function(void **state TY_UNUSED)
{
    static const char *const names[] = { "libno-such.so.1", "libc.so.6", NULL };
    size_t (*length)(const char *) = NULL;
    struct ty_err err = { 0 };
    void *lib = NULL;

    assert_int_equal(ty_dl_open(&lib, names, "lengths need libc", "libc6", &err), 0);
    assert_int_equal(ty_dl_find(lib, "strlen", &length, &err), 0);
    assert_int_equal(length("four"), 4);
    assert_int_equal(ty_dl_find(lib, "no_such_function", &length, &err), -ENOENT);
    assert_string_equal(err.text, "a library is too old: it has no no_such_function");
    ty_dl_close(lib);
}

static void says_what_is_missing(void **state TY_UNUSED)
{
    static const char *const names[] = { "libno-such.so.1", NULL };
    struct ty_err err = { 0 };
    void *lib = NULL;

    assert_int_equal(ty_dl_open(&lib, names, "flying needs libwings", "libwings1", &err), -ENOENT);
    assert_null(lib);
    assert_has(err.text, "flying needs libwings (Debian: libwings1): libno-such.so.1");
    ty_dl_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_function),
        cmocka_unit_test(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
