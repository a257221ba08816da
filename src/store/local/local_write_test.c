#include "store/local/local_testing.h"

static void test_create_fills_metadata(void **state)
{
    struct local_world *w = *state;
    struct ty_json *v = local_create(w, "batch/v1", "Job", "a", NULL);
    struct ty_err err = { 0 };

    assert_int_equal(ty_json_str_at(v, "metadata.uid").n, 36);
    assert_true(ty_str_is(ty_json_str_at(v, "metadata.creationTimestamp"), "2026-01-02T03:04:05Z"));
    assert_true(ty_str_is(ty_json_str_at(v, "metadata.resourceVersion"), "1"));
    assert_true(ty_json_eq(v, local_stored(w, &ty_kind_job, "a")));
    assert_int_equal(ty_local_create(w->l, w->a, local_obj(w, "batch/v1", "Job", "a", NULL), &err),
                     -EEXIST);
    assert_string_equal(err.text, "jobs \"a\" already exists");
    assert_null(ty_local_find(w->l, &ty_kind_job, TY_LIT("other"), TY_LIT("a")));
}

static void test_update_and_conflict(void **state)
{
    struct local_world *w = *state;
    struct ty_json *v = local_create(w, "batch/v1", "Job", "a", NULL);
    struct ty_json *stale = ty_json_copy(w->a, v, 0);
    struct ty_err err = { 0 };

    assert_int_equal(ty_local_update(w->l, w->a, ty_json_copy(w->a, v, 0), &err), 0);
    assert_string_equal(w->log, "+jobs/a "); /* no change, nobody told */
    ty_json_set(w->a, ty_json_get(v, "spec"), "x", ty_json_int(w->a, 2));
    assert_int_equal(ty_local_update(w->l, w->a, v, &err), 0);
    int64_t generation = 0;
    assert_true(
        ty_json_int_at(local_stored(w, &ty_kind_job, "a"), "metadata.generation", &generation));
    assert_int_equal(generation, 2);
    assert_int_equal(ty_local_update(w->l, w->a, stale, &err), -ESTALE);
    assert_int_equal(ty_local_update(w->l, w->a, local_obj(w, "batch/v1", "Job", "b", NULL), &err),
                     -ENOENT);
    assert_string_equal(err.text, "jobs \"b\" not found");
}

static void test_status_is_apart(void **state)
{
    struct local_world *w = *state;
    struct ty_json *v = local_create(w, "batch/v1", "Job", "a", NULL);
    struct ty_json *with = ty_json_copy(w->a, v, 0);
    struct ty_err err = { 0 };

    ty_json_set(w->a, ty_json_ensure_object(w->a, with, "status"), "active", ty_json_int(w->a, 3));
    ty_json_set(w->a, ty_json_get(with, "spec"), "x", ty_json_int(w->a, 9));
    assert_int_equal(ty_local_status(w->l, w->a, with, &err), 0);
    int64_t n = 0;
    assert_true(ty_json_int_at(local_stored(w, &ty_kind_job, "a"), "status.active", &n) && n == 3);
    assert_true(ty_json_int_at(local_stored(w, &ty_kind_job, "a"), "spec.x", &n) && n == 1);
    struct ty_json *plain =
        local_obj(w, "batch/v1", "Job", "a", NULL); /* an update keeps the status */
    ty_json_set(w->a, ty_json_get(plain, "spec"), "x", ty_json_int(w->a, 5));
    assert_int_equal(ty_local_update(w->l, w->a, plain, &err), 0);
    assert_true(ty_json_int_at(local_stored(w, &ty_kind_job, "a"), "status.active", &n) && n == 3);
    assert_true(ty_json_int_at(local_stored(w, &ty_kind_job, "a"), "spec.x", &n) && n == 5);
}

static void test_apply_drops_what_is_no_longer_wanted(void **state)
{
    struct local_world *w = *state;
    struct ty_json *v = local_obj(w, "batch/v1", "Job", "a", NULL);
    struct ty_err err = { 0 };

    ty_json_set(w->a, ty_json_get(v, "spec"), "mine", ty_json_int(w->a, 1));
    assert_int_equal(ty_local_apply(w->l, w->a, v, "trainer", &err), 0);
    struct ty_json *other = local_stored(w, &ty_kind_job, "a"); /* somebody else adds a label */
    ty_json_set(w->a, ty_json_ensure_object(w->a, ty_json_get(other, "metadata"), "labels"), "l",
                ty_json_cstr(w->a, "theirs"));
    assert_int_equal(ty_local_update(w->l, w->a, other, &err), 0);
    assert_int_equal(
        ty_local_apply(w->l, w->a, local_obj(w, "batch/v1", "Job", "a", NULL), "trainer", &err), 0);
    struct ty_json *now = local_stored(w, &ty_kind_job, "a");
    assert_null(ty_json_at(now, "spec.mine"));
    assert_true(ty_str_is(ty_json_str_at(now, "metadata.labels.l"), "theirs"));
}

static void test_managers_apply_side_by_side(void **state)
{
    struct local_world *w = *state;
    struct ty_err err = { 0 };
    struct ty_json *one = local_obj(w, "batch/v1", "Job", "j", NULL);
    struct ty_json *two = ty_json_copy(w->a, one, 0);
    struct ty_json *live = NULL;

    ty_json_set(w->a, ty_json_get(one, "spec"), "one", ty_json_int(w->a, 1));
    ty_json_set(w->a, ty_json_get(two, "spec"), "two", ty_json_int(w->a, 2));
    assert_int_equal(ty_local_apply(w->l, w->a, one, "a", &err), 0);
    assert_int_equal(ty_local_apply(w->l, w->a, two, "b", &err), 0);
    ty_json_del(ty_json_get(one, "spec"), TY_LIT("one"));
    assert_int_equal(ty_local_apply(w->l, w->a, one, "a", &err), 0);
    live = ty_local_get(w->l, w->a, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"));
    assert_null(ty_json_at(live, "spec.one"));
    assert_non_null(ty_json_at(live, "spec.two"));
    assert_non_null(ty_json_at(live, "spec.x")); /* of both */
    assert_non_null(ty_json_at(live, "metadata.uid"));
}

/* An object without a known kind or a name is refused; watchers are not called. */
static void test_what_is_no_object(void **state)
{
    struct local_world *w = *state;
    struct ty_err err = { 0 };
    struct ty_json *v = ty_json_object(w->a);

    assert_int_equal(ty_local_create(w->l, w->a, v, &err), -EINVAL);
    assert_int_equal(ty_local_apply(w->l, w->a, v, "m", &err), -EINVAL);
    assert_int_equal(ty_local_merge(w->l, w->a, v, &err), -ENOENT);
    assert_int_equal(ty_local_status(w->l, w->a, v, &err), -ENOENT);
    assert_string_equal(err.text, "object \"\" not found");
    assert_int_equal(ty_local_create(w->l, w->a, local_obj(w, "batch/v1", "Job", "", NULL), &err),
                     -EINVAL);
    assert_string_equal(w->log, "");
    assert_int_equal(local_count(w), 0);
}

/* A merge patch changes the members that it has, except immutable metadata and the status. */
static void test_merge(void **state)
{
    struct local_world *w = *state;
    struct ty_json *v = local_create(w, "batch/v1", "Job", "a", NULL);
    struct ty_err err = { 0 };
    struct ty_json *patch = ty_json_parse(
        w->a,
        TY_LIT("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"a\","
               "\"namespace\":\"ns\",\"uid\":\"stolen\",\"generation\":77,\"labels\":{\"l\":"
               "\"1\"}},\"spec\":{\"x\":null,\"y\":2},\"status\":{\"active\":1}}"),
        NULL, &err);

    assert_int_equal(ty_local_merge(w->l, w->a, patch, &err), 0);
    struct ty_json *now = local_stored(w, &ty_kind_job, "a");
    assert_string_equal(ty_json_text(w->a, ty_json_get(now, "spec")).p, "{\"y\":2}");
    assert_true(ty_str_eq(ty_json_str_at(now, "metadata.uid"), ty_json_str_at(v, "metadata.uid")));
    int64_t generation = 0;
    assert_true(ty_json_int_at(now, "metadata.generation", &generation) && generation == 2);
    assert_true(ty_str_is(ty_json_str_at(now, "metadata.labels.l"), "1"));
    assert_null(ty_json_get(now, "status")); /* that has a door of its own */
    assert_string_equal(w->log, "+jobs/a ~jobs/a ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOCAL_TEST(test_create_fills_metadata),
        LOCAL_TEST(test_update_and_conflict),
        LOCAL_TEST(test_status_is_apart),
        LOCAL_TEST(test_apply_drops_what_is_no_longer_wanted),
        LOCAL_TEST(test_managers_apply_side_by_side),
        LOCAL_TEST(test_what_is_no_object),
        LOCAL_TEST(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
