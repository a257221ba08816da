/* Failures: the sentence, its wrapping, its ceiling. */
#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_err_text(void **state)
{
    (void)state;
    struct ty_err err = { 0 };
    assert_int_equal(ty_fail(&err, -EINVAL, "bad %s", "name"), -EINVAL);
    assert_int_equal(err.code, -EINVAL);
    assert_string_equal(err.text, "bad name");
    assert_int_equal(ty_wrap(&err, "job '%s'", "a"), -EINVAL);
    assert_string_equal(err.text, "job 'a': bad name");
    assert_int_equal(ty_fail(&err, -EIO, "again: %s", err.text), -EIO); /* its own text */
    assert_string_equal(err.text, "again: job 'a': bad name");
    assert_int_equal(ty_fail(NULL, -ENOENT, "nobody hears"), -ENOENT);
    assert_true(ty_wrap(NULL, "nobody hears") < 0);
}

/* A sentence that is too long is cut between characters. */
static void cuts(void **state)
{
    (void)state;
    static const char *const letters[] = { "a", "é", "€", "😀" };
    for (size_t i = 0; i < 4; i++) {
        for (size_t shift = 0; shift < 4; shift++) {
            char text[4096] = "";
            size_t n = shift, each = strlen(letters[i]);
            memset(text, '-', shift);
            for (; n + each < sizeof(text) - 1; n += each)
                memcpy(text + n, letters[i], each);
            struct ty_err err = { 0 };
            ty_fail(&err, -EINVAL, "%s", text);
            size_t got = strlen(err.text);
            assert_int_equal((got - shift) % each, 0);
            assert_true(got >= sizeof(err.text) - 4 && got < sizeof(err.text));
            ty_wrap(&err, "w");
            got = strlen(err.text);
            assert_int_equal((got - shift - 3) % each, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(assert_err_text), cmocka_unit_test(cuts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
