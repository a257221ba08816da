/* How many large TrainJobs are under way at once. */
#include "base/budget.h"
#include "controller/trainjob_controller_testing.h"

#define FETCH   "GET " CONTROLLER_GROUP "/namespaces/ns/trainjobs?fieldSelector=metadata.name%3D"
#define LARGE   24
#define ROWS    (LARGE + 4)
#define TOO_BIG 100000 /* for the cache to store whole */

static const char *job(struct controller_fixture *w, const char *name, size_t n)
{
    char *fill = ty_arena_alloc(w->a, n + 1, 1);

    memset(fill, 'x', n);
    return ty_arena_printf(
        w->a,
        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"u-%s\",\"resourceVersion\":"
        "\"7\",\"generation\":1},\"spec\":{\"suspend\":true,\"managedBy\":\"trainer.kubeflow.org/"
        "trainjob-controller\",\"runtimeRef\":{\"name\":\"rt\",\"kind\":\"ClusterTrainingRuntime\","
        "\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{\"args\":[\"%s\"]}}}",
        name, name, fill);
}

static const char *list_of(struct controller_fixture *w, const char *items)
{
    return ty_arena_printf(w->a, CONTROLLER_LIST("%s"), items);
}

/* Large jobs, then a small one; each fetch is answered with this code. */
static void begin(struct controller_fixture *w, struct api_row *rows, int code)
{
    ty_auto_buf all = { 0 };
    size_t n = 0;

    for (int i = 0; i < LARGE; i++) {
        char name[8];
        snprintf(name, sizeof(name), "big%02d", i);
        const char *one = job(w, name, TOO_BIG);
        ty_buf_printf(&all, "%s,", one);
        rows[n++] =
            (struct api_row){ ty_arena_printf(w->a, "%s%s", FETCH, name), code, list_of(w, one) };
    }
    ty_buf_printf(&all, "%s", job(w, "small", 10));
    rows[n++] =
        (struct api_row){ "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, list_of(w, all.p) };
    rows[n++] = (struct api_row){ "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
                                  CONTROLLER_LIST(CONTROLLER_RUNTIME) };
    rows[n++] = (struct api_row){ "PATCH", API_PATCHED, "{}" };
    rows[n] = (struct api_row){ 0 };
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
}

static int small_is_done(struct controller_fixture *w)
{
    return strstr(api_asked(&w->api, w->a), "/jobsets/small") != NULL;
}

static int all_have_jobsets(struct controller_fixture *w)
{
    return ty_cache_count(w->controller->cache, &ty_kind_jobset) == LARGE + 1 &&
           ty_trainjob_controller_idle(w->controller) && controller_queue_depth(w) == 0;
}

/* Two large jobs get no answer; other large jobs wait, small ones do not. */
static void test_few_at_once(void **state)
{
    struct controller_fixture *w = *state;
    struct api_row rows[ROWS];

    begin(w, rows, 0);
    controller_run_until(w, small_is_done);
    assert_int_equal(w->controller->large, 2);
    assert_int_equal(w->controller->counts.fetches, 2);
}

/* Each large job is reconciled to find out that it is large, with each fetched object, and after
 * its writes; not whenever another large job is done. */
static void test_each_has_its_turn(void **state)
{
    struct controller_fixture *w = *state;
    struct api_row rows[ROWS];

    begin(w, rows, 200);
    controller_run_until(w, all_have_jobsets);
    assert_int_equal(w->controller->large, 0);
    assert_int_equal(w->controller->pending.n, 0);
    assert_in_range(w->controller->counts.reconciles, 2 * LARGE, 6 * LARGE + 4);
}

/* ---- memory that others use ---- */

#define MEMORY ((size_t)8 << 20)
#define RT     CONTROLLER_GROUP "/clustertrainingruntimes/rt"
#define IN_USE                                                                                     \
    "{\"metadata\":{\"name\":\"rt\",\"uid\":\"u2\",\"resourceVersion\":\"5\",\"finalizers\":["     \
    "\"trainer.kubeflow.org/resource-in-use\"]},\"spec\":{}}"

static int job_failed(struct controller_fixture *w)
{
    return controller_errors(w) > 0 && ty_trainjob_controller_idle(w->controller);
}

static int runtime_failed(struct controller_fixture *w)
{
    return w->controller->kind_counts[TY_CONTROLLER_CLUSTER_RUNTIME].error > 0 &&
           ty_trainjob_controller_idle(w->controller);
}

static int has_a_jobset(struct controller_fixture *w)
{
    return ty_cache_count(w->controller->cache, &ty_kind_jobset) == 1;
}

static int patches_the_runtime(struct controller_fixture *w)
{
    return strstr(api_asked(&w->api, w->a), "PATCH " RT) != NULL;
}

/* Starts to lead when all memory is taken. */
static void lead_without_memory(struct controller_fixture *w, const struct api_row *rows,
                                struct ty_budget *b)
{
    w->s.budget = b;
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    controller_run_until(w, controller_is_synced);
    ty_budget_charge(b, MEMORY);
    ty_trainjob_controller_lead(w->controller);
}

/* Then a job is not too large: it is retried after a back-off, without an event. */
static void test_memory_is_short(void **state)
{
    struct controller_fixture *w = *state;
    struct ty_budget b = { .ceiling = MEMORY };

    lead_without_memory(w, controller_rows, &b);
    controller_run_until(w, job_failed);
    assert_has(controller_log(w), "memory is short");
    assert_null(strstr(controller_log(w), "too large"));
    assert_true(ty_queue_kind(w->controller->queue, TY_CONTROLLER_TRAINJOB)->retries > 0);
    assert_null(strstr(api_asked(&w->api, w->a), "PATCH"));
    ty_budget_release(&b, MEMORY);
    controller_run_until(w, has_a_jobset);
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
    assert_int_equal(b.used, 0);
}

/* A patch without a body is never sent. */
static void test_memory_is_short_for_a_runtime(void **state)
{
    static const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200, CONTROLLER_LIST(IN_USE) },
        { "PATCH " RT, 0, NULL },
        { 0 },
    };
    struct controller_fixture *w = *state;
    struct ty_budget b = { .ceiling = MEMORY };

    lead_without_memory(w, rows, &b);
    controller_run_until(w, runtime_failed);
    assert_false(patches_the_runtime(w));
    ty_budget_release(&b, MEMORY);
    controller_run_until(w, patches_the_runtime);
    assert_has(w->api.body.p, "\"finalizers\":[]");
    assert_int_equal(w->controller->counts.finalizers, 1);
    assert_int_equal(w->controller->counts.statuses, 0);
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
    assert_int_equal(b.used, 0);
}

/* The tree and the writes fit, but not the text in between. */
static void test_no_text_of_a_patch(void **state)
{
    struct controller_fixture *w = *state;
    char *name = ty_arena_alloc(w->a, 7501, 1);
    struct ty_budget b = { .ceiling = MEMORY };

    memset(name, 'x', 7500);
    const char *list = ty_arena_printf(
        w->a,
        CONTROLLER_LIST("{\"metadata\":{\"name\":\"rt\",\"uid\":\"u2\",\"resourceVersion\":\"5\","
                        "\"finalizers\":[\"x/%s\",\"trainer.kubeflow.org/resource-in-use\"]},"
                        "\"spec\":{}}"),
        name);
    const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200, list },
        { "PATCH " RT, 0, NULL },
        { 0 },
    };
    w->s.budget = &b;
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    controller_run_until(w, controller_is_synced);
    ty_budget_charge(&b, ty_budget_left(&b) - 17000);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, runtime_failed);
    assert_false(patches_the_runtime(w));
    assert_has(controller_log(w), "memory is short");
    b.ceiling = 0;
    controller_run_until(w, patches_the_runtime);
    assert_has(w->api.body.p, "\"finalizers\":[\"x/xxx");
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
}

#define WRITES ((size_t)16 << 20)
#define BODY   ((size_t)40 << 20)

/* Steps whose bodies, together or alone, are far above the ceiling of the writes. */
static void test_steps_beyond_the_ceiling(void **state)
{
    static const size_t sizes[] = { BODY, 2 * BODY + BODY / 2 };
    ty_auto_arena *big = ty_arena_new(4 * BODY);
    char *text = ty_arena_alloc(big, sizes[1], 1);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ty_auto_arena *a = ty_arena_new_input(WRITES, NULL);
        struct ty_inflight w = { .arena = a };
        struct ty_write_step steps[3] = { 0 };
        for (size_t k = 0; k < 3; k++)
            steps[k] = (struct ty_write_step){ .body = { text, sizes[i] },
                                               .next = k < 2 ? &steps[k + 1] : NULL };
        ty_trainjob_controller_copy_result(&w, &(struct ty_reconcile_result){ .steps = steps });
        assert_true(ty_arena_full(a));
        assert_true(ty_arena_used(a) <= WRITES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_few_at_once),
        CONTROLLER_TEST(test_each_has_its_turn),
        CONTROLLER_TEST(test_memory_is_short),
        CONTROLLER_TEST(test_memory_is_short_for_a_runtime),
        CONTROLLER_TEST(test_no_text_of_a_patch),
        cmocka_unit_test(test_steps_beyond_the_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
