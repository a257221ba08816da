#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/patch_inner.h"

#define CEILING ((size_t)64 << 20)

/* Old items "a b c", order of turns "x b a": what the table of a patch looks like. */
static const char *ordered(struct ty_arena *a, const char *old, const char *turns)
{
    struct ty_patch_list l;
    char *text = ty_new_n(a, char, 64);
    size_t at = 0;

    ty_patch_list_init(&l, a, strlen(old) + strlen(turns));
    for (size_t i = 0; old[i]; i++) {
        struct ty_json *v = ty_json_strf(a, "%c", old[i]);
        ty_patch_list_add(&l, v, v, i);
    }
    for (size_t i = 0; turns[i]; i++) {
        struct ty_json *v = ty_json_strf(a, "%c", turns[i]);
        if (!ty_patch_list_find(&l, v))
            ty_patch_list_add(&l, v, v, TY_PATCH_NOT_FOUND);
        struct ty_patch_list_item *it = ty_patch_list_find(&l, v);
        if (it->turn == TY_PATCH_NOT_FOUND)
            it->turn = i;
    }
    const struct ty_json *list = ty_patch_list_order(&l);
    ty_each_item (it, list)
        text[at++] = (*it)->s[0];
    return text;
}

static void test_order(void **state TY_UNUSED)
{
    static const char *const cases[][3] = {
        { "", "", "" },
        { "ab", "", "ab" },
        { "", "ab", "ab" },
        { "12", "32", "312" },  /* the variables of the specification's example */
        { "vw", "vn", "vnw" },  /* and its volumes */
        { "abc", "ca", "bca" }, /* the patch's order wins; b stays before c */
        { "abc", "b", "abc" },
        { "abc", "n", "nabc" },
        { "abc", "cn", "abcn" },
        { "abcd", "xby", "xabycd" },
        { "aab", "b", "aab" },   /* doubles of the old list stay */
        { "abab", "a", "aabb" }, /* beside each other when named */
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        assert_string_equal(ordered(a, cases[i][0], cases[i][1]), cases[i][2]);
    }
}

static void test_find(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_patch_list l;
    enum { N = 5000 };

    ty_patch_list_init(&l, a, 2 * N + 3);
    for (int i = 0; i < N; i++) {
        ty_patch_list_add(&l, ty_json_int(a, i), ty_json_int(a, -i), (size_t)i);
        ty_patch_list_add(&l, ty_json_strf(a, "%d", i), ty_json_null(a), TY_PATCH_NOT_FOUND);
    }
    for (int i = 0; i < N; i++) {
        const struct ty_patch_list_item *it = ty_patch_list_find(&l, ty_json_int(a, i));
        assert_non_null(it);
        assert_int_equal(it->value->i, -i);
        it = ty_patch_list_find(&l, ty_json_strf(a, "%d", i)); /* "1" is not 1 */
        assert_int_equal(it->value->type, TY_JSON_NULL);
    }
    assert_null(ty_patch_list_find(&l, ty_json_int(a, N)));
    assert_null(ty_patch_list_find(&l, ty_json_bool(a, true)));
    assert_null(ty_patch_list_find(&l, ty_json_object(a)));
}

/* A removed item is removed with its duplicates; a later item with the same key is new. */
static void test_gone(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *key = ty_json_cstr(a, "k"), *other = ty_json_cstr(a, "o");
    struct ty_patch_list l;

    ty_patch_list_init(&l, a, 4);
    ty_patch_list_add(&l, key, ty_json_int(a, 1), 0);
    ty_patch_list_add(&l, other, ty_json_int(a, 2), 1);
    ty_patch_list_add(&l, key, ty_json_int(a, 3), 2);
    ty_patch_list_find(&l, key)->gone = true;
    assert_null(ty_patch_list_find(&l, key));
    ty_patch_list_add(&l, key, ty_json_int(a, 4), TY_PATCH_NOT_FOUND);
    assert_int_equal(ty_patch_list_find(&l, key)->value->i, 4);
    assert_string_equal(ty_json_text(a, ty_patch_list_order(&l)).p, "[2,4]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
