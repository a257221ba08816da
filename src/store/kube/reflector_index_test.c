#include "store/kube/reflector_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ty_str name_of(char *to, size_t size, unsigned i)
{
    snprintf(to, size, "name-%u", i);
    return ty_str(to);
}

/* Adds and takes at random, beside an array that knows the truth. */
static void like_an_array(void **state)
{
    enum { N = 500 };
    struct ty_reflector_index s = { 0 };
    bool there[N] = { 0 };
    char text[32];
    size_t count = 0;
    unsigned random = 1;
    (void)state;
    for (int step = 0; step < 50000; step++) {
        random = random * 1103515245u + 12345u;
        unsigned i = (random >> 8) % N;
        struct ty_str ns = i % 2 ? TY_LIT("a") : TY_LIT("b");
        struct ty_str name = name_of(text, sizeof(text), i);
        struct ty_reflector_entry *e = ty_reflector_index_find(&s, ns, name);
        assert_int_equal(e != NULL, there[i]);
        if (e) {
            assert_true(ty_str_eq(ty_reflector_entry_name(e), name));
            free(ty_reflector_index_remove(&s, e));
        } else {
            assert_non_null(ty_reflector_index_add(&s, ns, name, TY_LIT("u")));
        }
        there[i] = !there[i];
        count = there[i] ? count + 1 : count - 1;
        assert_int_equal(s.n, count);
    }
    ty_reflector_index_done(&s);
}

static void parts(void **state)
{
    struct ty_reflector_index s = { 0 };
    char name[300];
    (void)state;
    assert_null(ty_reflector_index_find(&s, TY_LIT("a"), TY_LIT("b")));
    struct ty_reflector_entry *e =
        ty_reflector_index_add(&s, TY_LIT("ab"), TY_LIT("c"), TY_LIT("uid"));
    assert_true(ty_str_is(ty_reflector_entry_ns(e), "ab"));
    assert_true(ty_str_is(ty_reflector_entry_name(e), "c"));
    assert_true(ty_str_is(ty_reflector_entry_uid(e), "uid"));
    assert_null(
        ty_reflector_index_find(&s, TY_LIT("a"), TY_LIT("bc"))); /* the same bytes, cut elsewhere */
    assert_null(ty_reflector_index_find(&s, TY_LIT(""), TY_LIT("abc")));
    e = ty_reflector_index_add(&s, TY_LIT(""), TY_LIT("cluster-wide"), TY_LIT(""));
    assert_ptr_equal(ty_reflector_index_find(&s, TY_LIT(""), TY_LIT("cluster-wide")), e);
    memset(name, 'x', sizeof(name));
    assert_null(ty_reflector_index_add(&s, TY_LIT(""), (struct ty_str){ name, 256 }, TY_LIT("")));
    assert_non_null(
        ty_reflector_index_add(&s, TY_LIT(""), (struct ty_str){ name, 253 }, TY_LIT("")));
    ty_reflector_index_done(&s);
}

static void versions(void **state)
{
    struct ty_reflector_entry e = { 0 };
    (void)state;
    ty_reflector_entry_set_version(&e, TY_LIT("100"));
    assert_true(ty_reflector_entry_is_older(&e, TY_LIT("101")));
    assert_false(ty_reflector_entry_is_older(&e, TY_LIT("100")));
    assert_false(ty_reflector_entry_is_older(&e, TY_LIT("99")));
    assert_true(ty_reflector_entry_is_older(&e, TY_LIT("1000"))); /* as numbers, not as text */
    assert_true(ty_reflector_entry_is_older(&e, TY_LIT("abc")));
    ty_reflector_entry_set_version(&e,
                                   TY_LIT("abc")); /* no number: only equal or not can be told */
    assert_false(ty_reflector_entry_is_older(&e, TY_LIT("abc")));
    assert_true(ty_reflector_entry_is_older(&e, TY_LIT("abb")));
    assert_true(ty_reflector_entry_is_older(&e, TY_LIT("1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_an_array),
        cmocka_unit_test(parts),
        cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
