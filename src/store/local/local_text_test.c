#include "store/local/local_testing.h"

static void count_child(void *ctx, const struct ty_stored *child)
{
    assert_string_equal(child->kind->kind, "Pod");
    (*(size_t *)ctx)++;
}

static void test_many_pods_cost_little(void **state)
{
    struct local_world *w = *state;
    struct ty_json *job = local_create(w, "batch/v1", "Job", "j", NULL);
    size_t n = 0;

    ty_local_unwatch(w->l, local_note, w);
    for (int i = 0; i < 1000; i++)
        local_create(w, "v1", "Pod", ty_arena_printf(w->a, "p%d", i), job);
    ty_local_children(w->l, ty_local_find(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"))->uid,
                      count_child, &n);
    assert_int_equal(n, 1000);
    assert_true(ty_local_bytes(w->l) < 1000 * 1024);
    for (int i = 0; i < 1000; i++)
        ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"),
                          ty_str(ty_arena_printf(w->a, "p%d", i)));
    assert_int_equal(ty_local_count(w->l), 1);
}

static struct ty_json *status_of(struct local_world *w, const char *name, const char *text)
{
    struct ty_json *v = local_obj(w, "v1", "Pod", name, NULL);
    ty_json_set(w->a, v, "status", ty_json_parse(w->a, ty_str(text), NULL, NULL));
    return v;
}

/* Siblings whose texts diverge: each reads back as it was written, also after its base was removed,
 * and no memory is left in the count. */
static void test_sisters_are_kept_as_differences(void **state)
{
    struct local_world *w = *state;
    size_t before = ty_local_bytes(w->l);
    struct ty_json *job = local_create(w, "batch/v1", "Job", "j", NULL);
    struct ty_err err = { 0 };
    char text[4200], *name = NULL;

    for (int i = 0; i < 40; i++)
        local_create(w, "v1", "Pod", ty_arena_printf(w->a, "p%d", i), job);
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
        ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), ty_str(name));
    }
    ty_local_finalize(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"));
    assert_int_equal(ty_local_count(w->l), 0);
    assert_in_range(ty_local_bytes(w->l) - before, 0, 64 * 2 * sizeof(void *) * 4); /* slots */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOCAL_TEST(test_many_pods_cost_little),
        LOCAL_TEST(test_sisters_are_kept_as_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
