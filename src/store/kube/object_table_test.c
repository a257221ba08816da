#include "store/kube/object_table.h"

#include <stdlib.h>

#include "base/testing.h"

static struct ty_object_entry *entry(const struct ty_kind *kind, const char *ns, const char *name)
{
    return ty_object_entry_new(kind, ty_str(ns), ty_str(name), TY_LIT("u1"));
}

static void free_all(struct ty_object_table *t)
{
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    while ((e = ty_object_table_next(t, NULL, &at)))
        free(e);
    ty_object_table_done(t);
}

static void test_get_by_kind_namespace_and_name(void **state TY_UNUSED)
{
    struct ty_object_table t = { 0 };
    struct ty_object_entry *e = entry(&ty_kind_jobset, "ab", "c");

    assert_null(ty_object_table_get(&t, &ty_kind_jobset, TY_LIT("ab"), TY_LIT("c")));
    assert_null(ty_object_table_put(&t, e));
    assert_null(ty_object_table_put(&t, entry(&ty_kind_runtimeclass, "", "c")));
    assert_ptr_equal(ty_object_table_get(&t, &ty_kind_jobset, TY_LIT("ab"), TY_LIT("c")), e);
    assert_string_equal(e->ns, "ab");
    assert_string_equal(e->name, "c");
    assert_string_equal(e->uid, "u1");
    /* The same bytes, divided differently, or of another kind. */
    assert_null(ty_object_table_get(&t, &ty_kind_jobset, TY_LIT("a"), TY_LIT("bc")));
    assert_null(ty_object_table_get(&t, &ty_kind_trainjob, TY_LIT("ab"), TY_LIT("c")));
    /* A cluster-wide object has no namespace, whatever the caller passes. */
    assert_non_null(ty_object_table_get(&t, &ty_kind_runtimeclass, TY_LIT("ab"), TY_LIT("c")));
    free(ty_object_table_del(&t, &ty_kind_jobset, TY_LIT("ab"), TY_LIT("c")));
    assert_null(ty_object_table_del(&t, &ty_kind_jobset, TY_LIT("ab"), TY_LIT("c")));
    free_all(&t);
}

static void test_a_replaced_entry_passes_its_round_on(void **state TY_UNUSED)
{
    struct ty_object_table t = { 0 };
    struct ty_object_entry *e = entry(&ty_kind_jobset, "ns", "a");

    ty_object_table_put(&t, e);
    assert_int_equal(e->round, 0);
    e->round = 7;
    struct ty_object_entry *later = entry(&ty_kind_jobset, "ns", "a");
    assert_ptr_equal(ty_object_table_put(&t, later), e);
    assert_int_equal(later->round, 7);
    free(e);
    free_all(&t);
}

static void test_next_of_one_kind(void **state TY_UNUSED)
{
    struct ty_object_table t = { 0 };
    size_t at = 0;

    ty_object_table_put(&t, entry(&ty_kind_trainjob, "ns", "a"));
    ty_object_table_put(&t, entry(&ty_kind_jobset, "ns", "a"));
    ty_object_table_put(&t, entry(&ty_kind_trainjob, "ns", "b"));
    assert_string_equal(ty_object_table_next(&t, &ty_kind_trainjob, &at)->name, "a");
    assert_string_equal(ty_object_table_next(&t, &ty_kind_trainjob, &at)->name, "b");
    assert_null(ty_object_table_next(&t, &ty_kind_trainjob, &at));
    free_all(&t);
}

static void test_which_versions_are_news(void **state TY_UNUSED)
{
    struct ty_object_entry e = { .version = 100 };

    assert_true(ty_object_entry_is_older(&e, 101));
    assert_false(ty_object_entry_is_older(&e, 100));
    assert_false(ty_object_entry_is_older(&e, 99));
    assert_true(ty_object_entry_is_older(&e, 0)); /* not a number: it cannot be compared */
    e.any_version = true;
    assert_true(ty_object_entry_is_older(&e, 99));
    e = (struct ty_object_entry){ 0 };
    assert_true(ty_object_entry_is_older(&e, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_by_kind_namespace_and_name),
        cmocka_unit_test(test_a_replaced_entry_passes_its_round_on),
        cmocka_unit_test(test_next_of_one_kind),
        cmocka_unit_test(test_which_versions_are_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
