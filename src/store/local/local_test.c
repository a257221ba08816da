#include "store/local/local_testing.h"

static void test_two_watchers(void **state)
{
    struct local_world *w = *state, second = { .a = w->a };

    ty_local_watch(w->l, local_note, &second);
    local_create(w, "batch/v1", "Job", "a", NULL);
    assert_string_equal(w->log, "+jobs/a ");
    assert_string_equal(second.log, "+jobs/a ");
    ty_local_unwatch(w->l, local_note, &second);
    local_create(w, "batch/v1", "Job", "b", NULL);
    assert_string_equal(w->log, "+jobs/a +jobs/b ");
    assert_string_equal(second.log, "+jobs/a ");
}

static void collect(void *ctx, const struct ty_stored *found)
{
    char *log = ctx;
    size_t n = strlen(log);

    snprintf(log + n, 256 - n, "%s/%s ", found->kind->plural, found->name);
}

/* A kind is part of the key, a namespace only where the kind has one, and a uid finds any. */
static void test_finding(void **state)
{
    struct local_world *w = *state;
    struct ty_json *job = local_create(w, "batch/v1", "Job", "a", NULL);
    struct ty_str uid = ty_json_str_at(job, "metadata.uid");
    const char *runtimes = "trainer.kubeflow.org/v1alpha1";
    char log[256] = "";

    local_create(w, "v1", "Pod", "a", job);
    local_create(w, runtimes, "ClusterTrainingRuntime", "r", NULL);
    assert_ptr_equal(ty_local_by_uid(w->l, ty_arena_cstr(w->a, uid)),
                     ty_local_find(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("a")));
    assert_null(ty_local_by_uid(w->l, "nobody"));
    assert_null(ty_local_find(w->l, &ty_kind_job, TY_LIT(""), TY_LIT("a")));
    assert_non_null(
        ty_local_find(w->l, &ty_kind_clustertrainingruntime, TY_LIT("any"), TY_LIT("r")));
    ty_local_each(w->l, &ty_kind_pod, collect, log);
    assert_string_equal(log, "pods/a ");
    log[0] = 0;
    ty_local_children(w->l, "nobody", collect, log);
    assert_string_equal(log, "");
    assert_int_equal(local_count(w), 3);
}

/* A tree that was read stays as it was when the object changes and when it is removed. */
static void test_a_tree_outlives_its_text(void **state)
{
    struct local_world *w = *state;
    struct ty_json *job = local_create(w, "batch/v1", "Job", "j", NULL);
    struct ty_json *pod = NULL, *next = NULL;
    struct ty_err err = { 0 };
    size_t n = 0;

    for (int i = 0; i < 100; i++)
        local_create(w, "v1", "Pod", ty_arena_printf(w->a, "p%d", i), job);
    ty_local_children(w->l, ty_local_find(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"))->uid,
                      local_add_one, &n);
    assert_int_equal(n, 100);
    pod = local_stored(w, &ty_kind_pod, "p7");
    next = json_read(w->a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                           "\"p7\",\"namespace\":\"ns\"},\"status\":{\"phase\":\"Failed\"}}");
    assert_int_equal(ty_local_status(w->l, w->a, next, &err), 0);
    next = local_stored(w, &ty_kind_pod, "p7");
    for (int i = 0; i < 100; i++)
        ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"),
                          ty_str(ty_arena_printf(w->a, "p%d", i)));
    assert_int_equal(local_count(w), 1);
    assert_true(ty_str_is(ty_json_str_at(pod, "metadata.name"), "p7"));
    assert_null(ty_json_get(pod, "status"));
    assert_true(ty_str_is(ty_json_str_at(next, "status.phase"), "Failed"));
}

/* A name longer than any key finds nothing, and is not mistaken for its own beginning. */
static void test_a_name_without_end(void **state)
{
    struct local_world *w = *state;
    char name[4096];

    local_create(w, "batch/v1", "Job", "a", NULL);
    memset(name, 'a', sizeof(name));
    assert_null(ty_local_find(w->l, &ty_kind_job, TY_LIT("ns"), (struct ty_str){ name, 4096 }));
    assert_null(ty_local_find(w->l, &ty_kind_job, (struct ty_str){ name, 4096 }, TY_LIT("a")));
    assert_null(ty_local_find(w->l, &ty_kind_job, TY_LIT("ns"), (struct ty_str){ 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOCAL_TEST(test_two_watchers),
        LOCAL_TEST(test_finding),
        LOCAL_TEST(test_a_tree_outlives_its_text),
        LOCAL_TEST(test_a_name_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
