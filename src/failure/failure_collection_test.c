/* Limits of a collection: how many logs, how many at once, and in which order. */
#include "failure/failure_collection.h"
#include "store/api_testing.h"

struct collection_fixture {
    uv_loop_t loop;
    struct api_world api;
    struct ty_arena *a;
    uint64_t requests;
    struct ty_failure_turns turns;
    struct ty_failure_collection *c;
};

static int setup(void **state)
{
    struct collection_fixture *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    w->a = ty_arena_new((size_t)16 << 20);
    uv_loop_init(&w->loop);
    api_begin(&w->api, &w->loop);
    w->c = ty_failure_collection_new(
        &(struct ty_failure_collection_settings){ .kube = w->api.kube,
                                                  .ns = TY_LIT("ns"),
                                                  .job = TY_LIT("j"),
                                                  .requests = &w->requests,
                                                  .turns = &w->turns });
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct collection_fixture *w = *state;

    ty_failure_collection_free(w->c);
    assert_int_equal(w->turns.alive, 0);
    assert_int_equal(w->turns.active, 0);
    api_end(&w->api);
    loop_end(&w->loop);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

static struct ty_str pod_name(struct collection_fixture *w, int i)
{
    return ty_str(ty_arena_printf(w->a, "j-node-0-%d-x", i));
}

static void observe(struct collection_fixture *w, const char *text)
{
    ty_failure_collection_observe(w->c, ty_json_parse(w->a, ty_str(text), NULL, NULL));
}

#define ENDED(code, count, last)                                                                   \
    "{\"metadata\":{\"name\":\"j-node-0-77-x\",\"labels\":{\"jobset.sigs.k8s.io/"                  \
    "replicatedjob-name\":\"node\",\"jobset.sigs.k8s.io/job-index\":\"0\",\"batch.kubernetes.io/"  \
    "job-completion-index\":\"77\"}},\"spec\":{\"containers\":[{\"name\":\"node\"}]},\"status\":{" \
    "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"node\",\"restartCount\":" #count     \
    ",\"" last "\":{\"terminated\":{\"exitCode\":" #code ",\"startedAt\":"                         \
    "\"2026-01-02T03:04:05Z\",\"finishedAt\":\"2026-01-02T03:04:09Z\"}}}]}}"

static const struct api_row held[] = { { "GET /api/v1/namespaces/ns/pods/", 0, NULL }, { 0 } };

/* A hundred pods: 64 are read, eight at a time, and one that failed displaces one that runs. */
static void test_limits(void **state)
{
    struct collection_fixture *w = *state;
    size_t answered = 0;
    bool failed = false;

    w->api.rows = held;
    for (int i = 0; i < 70; i++)
        ty_failure_collection_add(w->c, pod_name(w, i), TY_LIT("node"), TY_COLLECTION_RUNNING);
    observe(w, ENDED(1, 0, "state"));
    assert_int_equal(w->requests, 0); /* not started yet */
    ty_failure_collection_start(w->c, 1000);
    while (answered < TY_COLLECTION_READS) {
        while (!w->api.n_open)
            uv_run(&w->loop, UV_RUN_ONCE);
        assert_true(w->requests <= answered + TY_COLLECTION_AT_ONCE);
        if (answered == 0) /* the first is the one that failed */
            failed = api_holds(&w->api, "GET /api/v1/namespaces/ns/pods/j-node-0-77-x/log");
        while (w->api.n_open) {
            api_answer(&w->api, "GET ", TY_LIT("a line\n"));
            answered++;
        }
    }
    assert_true(failed);
    while (w->requests < TY_COLLECTION_READS)
        uv_run(&w->loop, UV_RUN_ONCE);
    assert_int_equal(w->requests, TY_COLLECTION_READS);
    ty_failure_collection_tick(w->c, 1000 + TY_COLLECTION_SETTLE_MS - 1);
    assert_false(ty_failure_collection_is_over(w->c)); /* others still run */
}

static void tick_until_done(struct collection_fixture *w, int64_t now_ms)
{
    while (!ty_failure_collection_is_over(w->c)) {
        uv_run(&w->loop, UV_RUN_ONCE);
        ty_failure_collection_tick(w->c, now_ms);
    }
}

static struct ty_str headline_of(struct collection_fixture *w, bool *ret_said)
{
    while (ty_failure_collection_judge(w->c))
        ;
    return ty_failure_collection_headline(w->c, w->a, ret_said);
}

/* Restarted in place: the log of the instance before. */
static void test_previous(void **state)
{
    struct collection_fixture *w = *state;
    const struct api_row rows[] = {
        { "GET /api/v1/namespaces/ns/pods/j-node-0-77-x/log?", 200, "RuntimeError: first\n" }, { 0 }
    };
    bool said = false;

    w->api.rows = rows;
    observe(w, ENDED(1, 1, "lastState"));
    ty_failure_collection_start(w->c, 0);
    tick_until_done(w, 1);
    struct ty_str line = headline_of(w, &said);
    assert_true(said);
    assert_true(ty_str_contains(line, TY_LIT("RuntimeError: first")));
    assert_int_equal(w->requests, 1);
}

/* The pod is gone before its log is read: its status is what there is. */
static void test_gone(void **state)
{
    struct collection_fixture *w = *state;
    bool said = true;

    observe(w, ENDED(137, 0, "state"));
    ty_failure_collection_add(w->c, TY_LIT("j-node-0-1-y"), TY_LIT("node"), TY_COLLECTION_RUNNING);
    ty_failure_collection_deleted(w->c, TY_LIT("j-node-0-1-y"));
    ty_failure_collection_start(w->c, 0);
    tick_until_done(w, 1);
    struct ty_str line = headline_of(w, &said);
    assert_false(said);
    assert_true(ty_str_starts(line, TY_LIT("node-0-77 failed")));
}

/* A kubelet that does not answer ends it at the deadline. */
static void test_deadline(void **state)
{
    struct collection_fixture *w = *state;
    bool said = true;

    w->api.rows = held;
    observe(w, ENDED(2, 0, "state"));
    ty_failure_collection_start(w->c, 0);
    ty_failure_collection_tick(w->c, TY_COLLECTION_MS - 1);
    assert_false(ty_failure_collection_is_over(w->c));
    ty_failure_collection_tick(w->c, TY_COLLECTION_MS);
    assert_true(ty_failure_collection_is_over(w->c));
    assert_true(ty_str_contains(headline_of(w, &said), TY_LIT("exit code 2")));
}

/* What the cluster did to a pod is in its status, which is gone when the summary is made. */
static void test_evicted(void **state)
{
    struct collection_fixture *w = *state;
    bool said = true;

    observe(w, "{\"metadata\":{\"name\":\"j-node-0-77-x\"},\"spec\":{\"containers\":[{\"name\":"
               "\"node\"}]},\"status\":{\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":"
               "\"The node was low on resource: memory.\",\"containerStatuses\":[{\"name\":"
               "\"node\",\"restartCount\":0,\"state\":{\"terminated\":{\"exitCode\":137,"
               "\"startedAt\":\"2026-01-02T03:04:05Z\",\"finishedAt\":\"2026-01-02T03:04:09Z\"}"
               "}}]}}");
    ty_failure_collection_start(w->c, 0);
    ty_failure_collection_tick(w->c, TY_COLLECTION_MS);
    struct ty_str line = headline_of(w, &said);
    assert_true(ty_str_contains(line, TY_LIT("low on resource: memory")));
}

/* As many logs as there can be: each turn judges one of them. */
static void test_one_log_in_a_turn(void **state)
{
    struct collection_fixture *w = *state;
    const struct api_row rows[] = { { "GET /api/v1/namespaces/ns/pods/", 200, "a line\n" }, { 0 } };
    bool said = true;
    int turns = 1;

    w->api.rows = rows;
    for (int i = 0; i < TY_COLLECTION_READS - 1; i++)
        ty_failure_collection_add(w->c, pod_name(w, i), TY_LIT("node"), TY_COLLECTION_RUNNING);
    observe(w, ENDED(3, 0, "state"));
    ty_failure_collection_start(w->c, 0);
    tick_until_done(w, TY_COLLECTION_SETTLE_MS);
    assert_int_equal(w->requests, TY_COLLECTION_READS);
    while (ty_failure_collection_judge(w->c))
        turns++;
    assert_in_range(turns, TY_COLLECTION_READS, TY_COLLECTION_READS + 1);
    assert_true(ty_str_starts(ty_failure_collection_headline(w->c, w->a, &said),
                              TY_LIT("node-0-77 failed")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_previous, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deadline, setup, teardown),
        cmocka_unit_test_setup_teardown(test_evicted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_log_in_a_turn, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
