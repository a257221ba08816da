#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/cluster_snapshot.h"

#define NS(s) TY_LIT(s)

static void put(struct ty_cluster_snapshot *s, const char *ns, const char *name, const char *text)
{
    ty_cluster_snapshot_put(s, &ty_kind_trainjob, ty_str(ns), ty_str(name), ty_str(text));
}

static void test_in_order_each_once(void **state TY_UNUSED)
{
    struct ty_cluster_snapshot *s = ty_cluster_snapshot_new();
    size_t at = 0;

    put(s, "b", "x", "{}");
    put(s, "a", "y", "{}");
    put(s, "a", "x", "{\"v\":1}");
    put(s, "a", "x", "{\"v\":2}");
    ty_cluster_snapshot_put(s, &ty_kind_jobset, NS("a"), NS("x"), NS("{}"));
    ty_cluster_snapshot_put_error(s, &ty_kind_trainjob, NS("a"), NS("gone"), -ENOENT,
                                  NS("not found"));
    assert_int_equal(ty_cluster_snapshot_count(s, &ty_kind_trainjob), 3);
    assert_string_equal(ty_cluster_snapshot_next(s, &ty_kind_trainjob, &at)->text.p, "{\"v\":2}");
    assert_string_equal(ty_cluster_snapshot_next(s, &ty_kind_trainjob, &at)->name.p, "y");
    assert_string_equal(ty_cluster_snapshot_next(s, &ty_kind_trainjob, &at)->ns.p, "b");
    assert_null(ty_cluster_snapshot_next(s, &ty_kind_trainjob, &at));
    ty_cluster_snapshot_free(s);
}

static void test_objects_say_what_they_are(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_cluster_snapshot *s = ty_cluster_snapshot_new();

    /* As a list's item, and as metadata alone is answered. */
    put(s, "a", "x", "{\"metadata\":{\"name\":\"x\"}}");
    ty_cluster_snapshot_put(
        s, &ty_kind_secret, NS("a"), NS("x"),
        NS("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\"}"));
    assert_ptr_equal(ty_kind_of(ty_cluster_snapshot_get(a, s, &ty_kind_trainjob, NS("a"), NS("x"))),
                     &ty_kind_trainjob);
    assert_ptr_equal(ty_kind_of(ty_cluster_snapshot_get(a, s, &ty_kind_secret, NS("a"), NS("x"))),
                     &ty_kind_secret);
    assert_null(ty_cluster_snapshot_get(a, s, &ty_kind_secret, NS("b"), NS("x")));
    ty_cluster_snapshot_free(s);
}

static void test_a_namespace_is_nothing_to_cluster_kinds(void **state TY_UNUSED)
{
    struct ty_cluster_snapshot *s = ty_cluster_snapshot_new();

    ty_cluster_snapshot_put(s, &ty_kind_clustertrainingruntime, NS(""), NS("rt"), NS("{}"));
    assert_non_null(
        ty_cluster_snapshot_find(s, &ty_kind_clustertrainingruntime, NS("team"), NS("rt")));
    ty_cluster_snapshot_free(s);
}

static void test_asked_or_not(void **state TY_UNUSED)
{
    struct ty_cluster_snapshot *s = ty_cluster_snapshot_new();

    assert_false(ty_cluster_snapshot_is_queried(s, &ty_kind_jobset, NS("a"), NS("x")));
    ty_cluster_snapshot_set_listed(s, &ty_kind_jobset, NS("a"));
    assert_true(ty_cluster_snapshot_is_queried(s, &ty_kind_jobset, NS("a"), NS("x")));
    assert_false(ty_cluster_snapshot_is_queried(s, &ty_kind_jobset, NS("b"), NS("x")));
    ty_cluster_snapshot_set_listed(s, &ty_kind_jobset, NS(""));
    assert_true(ty_cluster_snapshot_is_queried(s, &ty_kind_jobset, NS("b"), NS("x")));
    assert_int_equal(ty_cluster_snapshot_count(s, &ty_kind_jobset),
                     0); /* a list is not an object */
    assert_null(ty_cluster_snapshot_list_error(s, &ty_kind_jobset));
    /* A user who may not list may still get. */
    ty_cluster_snapshot_put_error(s, &ty_kind_secret, NS(""), NS(""), -EACCES, NS("forbidden"));
    assert_false(ty_cluster_snapshot_is_queried(s, &ty_kind_secret, NS("a"), NS("x")));
    assert_string_equal(ty_cluster_snapshot_list_error(s, &ty_kind_secret)->why, "forbidden");
    ty_cluster_snapshot_put_error(s, &ty_kind_secret, NS("a"), NS("x"), -ENOENT, NS(""));
    assert_true(ty_cluster_snapshot_is_queried(s, &ty_kind_secret, NS("a"), NS("x")));
    ty_cluster_snapshot_free(s);
    ty_cluster_snapshot_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order_each_once),
        cmocka_unit_test(test_objects_say_what_they_are),
        cmocka_unit_test(test_a_namespace_is_nothing_to_cluster_kinds),
        cmocka_unit_test(test_asked_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
