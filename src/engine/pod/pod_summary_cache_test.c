/* Summaries of pods: read when the pod changed, and only then. */
#include "engine/engine_testing.h"
#include "engine/pod/pod_summary_cache.h"

static const struct ty_stored *create(struct engine_fixture *w, const char *name)
{
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(
        w->a,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
        "\"default\",\"annotations\":{\"batch.kubernetes.io/job-completion-index\":\"3\"}}}",
        name);
    struct ty_json *pod = ty_json_parse(w->a, ty_str(text), NULL, NULL);

    if (!w->e)
        fixture_open(w);
    assert_int_equal(ty_local_create(w->e->store, w->a, pod, &err), 0);
    return ty_local_find(w->e->store, &ty_kind_pod, TY_LIT("default"), ty_str(name));
}

static void set_status(struct engine_fixture *w, const char *name, const char *status)
{
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(
        w->a,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
        "\"default\"},\"status\":%s}",
        name, status);

    assert_int_equal(
        ty_local_status(w->e->store, w->a, ty_json_parse(w->a, ty_str(text), NULL, NULL), &err), 0);
}

static void once_for_each_version(void **state)
{
    struct engine_fixture *w = *state;
    const struct ty_stored *pod = create(w, "p");
    const struct ty_pod_summary *first =
        ty_pod_summary_cache_get(&w->e->pod_summaries, w->e->scratch, pod);

    assert_true(ty_str_is(first->name, "p"));
    assert_true(ty_str_is(first->uid, pod->uid));
    assert_int_equal(first->index, 3);
    assert_int_equal(first->phase, TY_PENDING);
    assert_ptr_equal(ty_pod_summary_cache_get(&w->e->pod_summaries, w->e->scratch, pod), first);
    set_status(w, "p",
               "{\"phase\":\"Failed\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"},"
               "{\"type\":\"DisruptionTarget\",\"status\":\"True\"}],\"containerStatuses\":[{"
               "\"name\":\"main\",\"restartCount\":2,\"state\":{\"terminated\":{\"exitCode\":42,"
               "\"finishedAt\":\"2026-01-02T03:04:05Z\"}}}]}");
    const struct ty_pod_summary *next =
        ty_pod_summary_cache_get(&w->e->pod_summaries, w->e->scratch, pod);
    assert_int_equal(next->phase, TY_FAILED);
    assert_true(next->disrupted);
    assert_int_equal(next->restarts, 2);
    assert_int_equal(next->n_exits, 1);
    assert_int_equal(next->exits[0].code, 42);
    assert_true(ty_str_is(next->exits[0].container, "main"));
    assert_int_equal(next->n_conditions, 2);
    assert_true(ty_str_is(next->conditions[1].type, "DisruptionTarget"));
    assert_true(ty_str_is(next->conditions[1].status, "True"));
    assert_true(ty_str_is(next->name, "p"));
}

/* What is kept does not point into the scratch of another one. */
static void they_do_not_share_memory(void **state)
{
    struct engine_fixture *w = *state;
    const struct ty_stored *a = create(w, "a"), *b = create(w, "b");

    set_status(w, "a", "{\"conditions\":[{\"type\":\"OfA\",\"status\":\"True\"}]}");
    set_status(w, "b", "{\"conditions\":[{\"type\":\"OfB\",\"status\":\"False\"}]}");
    const struct ty_pod_summary *one = ty_pod_summary_cache_get(&w->e->pod_summaries, w->e->scratch,
                                                                a),
                                *other = ty_pod_summary_cache_get(&w->e->pod_summaries,
                                                                  w->e->scratch, b);
    ty_arena_reset(w->e->scratch);
    assert_true(ty_str_is(one->conditions[0].type, "OfA"));
    assert_true(ty_str_is(other->conditions[0].type, "OfB"));
}

static void the_gone_are_forgotten(void **state)
{
    struct engine_fixture *w = *state;

    const struct ty_stored *pod = create(w, "p");
    ty_pod_summary_cache_get(&w->e->pod_summaries, w->e->scratch, pod);
    assert_int_equal(w->e->pod_summaries.by_uid.n, 1);
    ty_local_finalize(w->e->store, &ty_kind_pod, TY_LIT("default"), TY_LIT("p"));
    assert_int_equal(w->e->pod_summaries.by_uid.n, 0);
    ty_pod_summary_cache_drop(&w->e->pod_summaries, "never seen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(once_for_each_version),
        ENGINE_TEST(they_do_not_share_memory),
        ENGINE_TEST(the_gone_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
