#include "net/dl.h"
#include "net/testing.h"

#include <errno.h>

struct libc {
    void *lib;
    size_t (*length)(const char *);
    int (*absolute)(int);
};

enum { LENGTH, ABSOLUTE, TOMORROW };
static const struct ty_dl_fn fns[] = {
    [LENGTH] = { "strlen", offsetof(struct libc, length) },
    [ABSOLUTE] = { "abs", offsetof(struct libc, absolute) },
    [TOMORROW] = { "strlen_of_tomorrow", offsetof(struct libc, length) },
};

static void fills_the_struct(void **state TY_UNUSED)
{
    static const char *const files[] = { "libno-such.so.1", "libc.so.6", NULL };
    const struct ty_dl want = { files, "lengths need libc", "libc6", fns, TOMORROW };
    struct ty_err err = { 0 };
    struct libc c = { 0 };

    assert_int_equal(ty_dl_load(&want, &c.lib, &c, &err), 0);
    assert_int_equal(c.length("four"), 4);
    assert_int_equal(c.absolute(-4), 4);
    assert_int_equal(err.code, 0); /* the first file is no failure: the second was there */
    ty_dl_close(c.lib);
    assert_int_equal(c.length("it stays"), 8);
}

/* The last function of three is missing: none of them may be called. */
static void too_old(void **state TY_UNUSED)
{
    static const char *const files[] = { "libc.so.6", NULL };
    const struct ty_dl want = { files, "lengths need libc", "libc6", fns, TOMORROW + 1 };
    struct ty_err err = { 0 };
    struct libc c = { 0 };

    assert_int_equal(ty_dl_load(&want, &c.lib, &c, &err), -ENOENT);
    assert_string_equal(err.text, "lengths need libc (Debian: libc6): "
                                  "what is installed is too old, it has no strlen_of_tomorrow");
    assert_null(c.lib);
    assert_null(c.length);
    assert_null(c.absolute);
}

static void says_what_is_missing(void **state TY_UNUSED)
{
    static const char *const files[] = { "libno-such.so.1", NULL };
    const struct ty_dl want = { files, "flying needs libwings", "libwings1", fns, 1 };
    struct ty_err err = { 0 };
    struct libc c = { 0 };

    assert_int_equal(ty_dl_load(&want, &c.lib, &c, &err), -ENOENT);
    assert_null(c.lib);
    assert_null(c.length);
    assert_has(err.text, "flying needs libwings (Debian: libwings1): libno-such.so.1");
    ty_dl_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_struct),
        cmocka_unit_test(too_old),
        cmocka_unit_test(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
