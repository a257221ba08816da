#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "api/kinds.h"
#include "store/local.h"

struct world {
    struct ty_arena *a;
    struct ty_local *l;
    char log[4096]; /* "+pods/a ~pods/a -pods/a " */
};

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1767323045;
}

static void note(void *ctx, enum ty_stored_change what, const struct ty_stored *obj)
{
    struct world *w = ctx;
    size_t n = strlen(w->log);

    snprintf(w->log + n, sizeof(w->log) - n, "%c%s/%s ", "+~-"[what], obj -> kind -> plural,
             obj -> name);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    w->a = ty_arena_new((size_t)64 << 20);
    w->l = ty_local_new(noon, NULL);
    ty_local_watch(w->l, note, w);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    ty_local_free(w->l);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

static struct ty_json *obj(struct world *w, const char *api, const char *kind, const char *name,
                           const struct ty_json *owner)
{
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(
        w->a,
        "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
        "\"ns\"%s%.*s%s},\"spec\":{\"x\":1}}",
        api, kind, name, owner ? ",\"ownerReferences\":[{\"controller\":true,\"uid\":\"" : "",
        TY_ARG(ty_json_str_at(owner, "metadata.uid")), owner ? "\"}]" : "");
    struct ty_json *v = ty_json_parse(w->a, ty_str(text), NULL, &err);

    assert_non_null(v);
    return v;
}

static struct ty_json *create(struct world *w, const char *api, const char *kind, const char *name,
                              const struct ty_json *owner)
{
    struct ty_json *v = obj(w, api, kind, name, owner);
    struct ty_err err = { 0 };

    assert_int_equal(ty_local_create(w->l, w->a, v, &err), 0);
    return v;
}

static struct ty_json *stored(struct world *w, const struct ty_kind *kind, const char *name)
{
    return ty_local_get(w->l, w->a, kind, TY_LIT("ns"), ty_str(name));
}

static void test_create_fills_metadata(void **state)
{
    struct world *w = *state;
    struct ty_json *v = create(w, "batch/v1", "Job", "a", NULL);
    struct ty_err err = { 0 };

    assert_int_equal(ty_json_str_at(v, "metadata.uid").n, 36);
    assert_true(ty_str_is(ty_json_str_at(v, "metadata.creationTimestamp"), "2026-01-02T03:04:05Z"));
    assert_true(ty_str_is(ty_json_str_at(v, "metadata.resourceVersion"), "1"));
    assert_true(ty_json_eq(v, stored(w, &ty_kind_job, "a")));
    assert_int_equal(ty_local_create(w->l, w->a, obj(w, "batch/v1", "Job", "a", NULL), &err),
                     -EEXIST);
    assert_string_equal(err.text, "jobs \"a\" already exists");
    assert_null(ty_local_find(w->l, &ty_kind_job, TY_LIT("other"), TY_LIT("a")));
}

static void test_update_and_conflict(void **state)
{
    struct world *w = *state;
    struct ty_json *v = create(w, "batch/v1", "Job", "a", NULL);
    struct ty_json *stale = ty_json_copy(w->a, v, 0);
    struct ty_err err = { 0 };

    assert_int_equal(ty_local_update(w->l, w->a, ty_json_copy(w->a, v, 0), &err), 0);
    assert_string_equal(w->log, "+jobs/a "); /* no change, nobody told */
    ty_json_set(w->a, ty_json_get(v, "spec"), "x", ty_json_int(w->a, 2));
    assert_int_equal(ty_local_update(w->l, w->a, v, &err), 0);
    int64_t generation = 0;
    assert_true(ty_json_int_at(stored(w, &ty_kind_job, "a"), "metadata.generation", &generation));
    assert_int_equal(generation, 2);
    assert_int_equal(ty_local_update(w->l, w->a, stale, &err), -ESTALE);
    assert_int_equal(ty_local_update(w->l, w->a, obj(w, "batch/v1", "Job", "b", NULL), &err),
                     -ENOENT);
    assert_string_equal(err.text, "jobs \"b\" not found");
}

static void test_status_is_apart(void **state)
{
    struct world *w = *state;
    struct ty_json *v = create(w, "batch/v1", "Job", "a", NULL);
    struct ty_json *with = ty_json_copy(w->a, v, 0);
    struct ty_err err = { 0 };

    ty_json_set(w->a, ty_json_need_object(w->a, with, "status"), "active", ty_json_int(w->a, 3));
    ty_json_set(w->a, ty_json_get(with, "spec"), "x", ty_json_int(w->a, 9));
    assert_int_equal(ty_local_status(w->l, w->a, with, &err), 0);
    int64_t n = 0;
    assert_true(ty_json_int_at(stored(w, &ty_kind_job, "a"), "status.active", &n) && n == 3);
    assert_true(ty_json_int_at(stored(w, &ty_kind_job, "a"), "spec.x", &n) && n == 1);
    struct ty_json *plain = obj(w, "batch/v1", "Job", "a", NULL); /* an update keeps the status */
    ty_json_set(w->a, ty_json_get(plain, "spec"), "x", ty_json_int(w->a, 5));
    assert_int_equal(ty_local_update(w->l, w->a, plain, &err), 0);
    assert_true(ty_json_int_at(stored(w, &ty_kind_job, "a"), "status.active", &n) && n == 3);
    assert_true(ty_json_int_at(stored(w, &ty_kind_job, "a"), "spec.x", &n) && n == 5);
}

static void test_apply_drops_what_is_no_longer_wanted(void **state)
{
    struct world *w = *state;
    struct ty_json *v = obj(w, "batch/v1", "Job", "a", NULL);
    struct ty_err err = { 0 };

    ty_json_set(w->a, ty_json_get(v, "spec"), "mine", ty_json_int(w->a, 1));
    assert_int_equal(ty_local_apply(w->l, w->a, v, "trainer", &err), 0);
    struct ty_json *other = stored(w, &ty_kind_job, "a"); /* somebody else adds a label */
    ty_json_set(w->a, ty_json_need_object(w->a, ty_json_get(other, "metadata"), "labels"), "l",
                ty_json_cstr(w->a, "theirs"));
    assert_int_equal(ty_local_update(w->l, w->a, other, &err), 0);
    assert_int_equal(
        ty_local_apply(w->l, w->a, obj(w, "batch/v1", "Job", "a", NULL), "trainer", &err), 0);
    struct ty_json *now = stored(w, &ty_kind_job, "a");
    assert_null(ty_json_at(now, "spec.mine"));
    assert_true(ty_str_is(ty_json_str_at(now, "metadata.labels.l"), "theirs"));
}

/* A JobSet's Job stays until its pods have ended; then both go, children first. */
static void test_foreground_deletion(void **state)
{
    struct world *w = *state;
    struct ty_json *set = create(w, "jobset.x-k8s.io/v1alpha2", "JobSet", "s", NULL);
    struct ty_json *job = create(w, "batch/v1", "Job", "j", set);
    struct ty_err err = { 0 };

    create(w, "v1", "Pod", "p", job);
    create(w, "v1", "ConfigMap", "c", set);
    w->log[0] = 0;
    assert_int_equal(ty_local_delete(w->l, w->a, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("s"), &err),
                     0);
    assert_string_equal(w->log, "~jobsets/s -configmaps/c ~jobs/j ~pods/p ");
    assert_true(ty_local_find(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"))->deleting);
    w->log[0] = 0;
    ty_local_delete(w->l, w->a, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("s"),
                    &err); /* again: nothing */
    assert_string_equal(w->log, "");
    ty_local_finish(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"));
    assert_string_equal(w->log, "-pods/p -jobs/j -jobsets/s ");
    assert_int_equal(ty_local_count(w->l), 0);
    assert_int_equal(ty_local_delete(w->l, w->a, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("s"), &err),
                     -ENOENT);
}

static void count_child(void *ctx, const struct ty_stored *child)
{
    assert_string_equal(child->kind->kind, "Pod");
    (*(size_t *)ctx)++;
}

static void test_many_pods_cost_little(void **state)
{
    struct world *w = *state;
    struct ty_json *job = create(w, "batch/v1", "Job", "j", NULL);
    size_t n = 0;

    ty_local_unwatch(w->l, note, w);
    for (int i = 0; i < 1000; i++)
        create(w, "v1", "Pod", ty_arena_printf(w->a, "p%d", i), job);
    ty_local_children(w->l, ty_local_find(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"))->uid,
                      count_child, &n);
    assert_int_equal(n, 1000);
    assert_true(ty_local_bytes(w->l) < 1000 * 1024);
    for (int i = 0; i < 1000; i++)
        ty_local_finish(w->l, &ty_kind_pod, TY_LIT("ns"), ty_str(ty_arena_printf(w->a, "p%d", i)));
    assert_int_equal(ty_local_count(w->l), 1);
}

static struct ty_json *status_of(struct world *w, const char *name, const char *text)
{
    struct ty_json *v = obj(w, "v1", "Pod", name, NULL);
    ty_json_set(w->a, v, "status", ty_json_parse(w->a, ty_str(text), NULL, NULL));
    return v;
}

/* Siblings that drift apart, two ways in turn, and one that is all by itself: each reads back as it
 * was written, whoever goes first, and nothing is left in the count. */
static void test_sisters_are_kept_as_differences(void **state)
{
    struct world *w = *state;
    size_t before = ty_local_bytes(w->l);
    struct ty_json *job = create(w, "batch/v1", "Job", "j", NULL);
    struct ty_err err = { 0 };
    char text[4200], *name = NULL;

    for (int i = 0; i < 40; i++)
        create(w, "v1", "Pod", ty_arena_printf(w->a, "p%d", i), job);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 40; i++) {
            snprintf(text, sizeof(text), "{\"phase\":\"%d\",\"n\":%d,\"long\":\"%0*d\"}", round, i,
                     i % 2 ? 2000 : 200, i % 7 ? 5 : i);
            name = ty_arena_printf(w->a, "p%d", i);
            assert_int_equal(ty_local_status(w->l, w->a, status_of(w, name, text), &err), 0);
        }
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof(text), "{\"phase\":\"2\",\"n\":%d,\"long\":\"%0*d\"}", i,
                 i % 2 ? 2000 : 200, i % 7 ? 5 : i);
        name = ty_arena_printf(w->a, "p%d", i);
        struct ty_json *pod = ty_local_get(w->l, w->a, &ty_kind_pod, TY_LIT("ns"), ty_str(name));
        assert_string_equal(ty_json_text(w->a, ty_json_get(pod, "status")).p, text);
        assert_true(ty_str_is(ty_json_str_at(pod, "metadata.name"), name));
        ty_local_finish(w->l, &ty_kind_pod, TY_LIT("ns"), ty_str(name));
    }
    ty_local_finish(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"));
    assert_int_equal(ty_local_count(w->l), 0);
    assert_in_range(ty_local_bytes(w->l) - before, 0, 64 * 2 * sizeof(void *) * 4); /* slots */
}

static void test_managers_apply_side_by_side(void **state)
{
    struct world *w = *state;
    struct ty_err err = { 0 };
    struct ty_json *one = obj(w, "batch/v1", "Job", "j", NULL);
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

static void test_two_watchers(void **state)
{
    struct world *w = *state, second = { .a = w->a };

    ty_local_watch(w->l, note, &second);
    create(w, "batch/v1", "Job", "a", NULL);
    assert_string_equal(w->log, "+jobs/a ");
    assert_string_equal(second.log, "+jobs/a ");
    ty_local_unwatch(w->l, note, &second);
    create(w, "batch/v1", "Job", "b", NULL);
    assert_string_equal(w->log, "+jobs/a +jobs/b ");
    assert_string_equal(second.log, "+jobs/a ");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_create_fills_metadata),
        T(test_update_and_conflict),
        T(test_status_is_apart),
        T(test_apply_drops_what_is_no_longer_wanted),
        T(test_foreground_deletion),
        T(test_many_pods_cost_little),
        T(test_sisters_are_kept_as_differences),
        T(test_managers_apply_side_by_side),
        T(test_two_watchers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
