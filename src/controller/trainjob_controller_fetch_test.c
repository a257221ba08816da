/* TrainJobs and runtimes that are too large for the cache, and those too large for anybody. */
#include "base/budget.h"
#include "controller/trainjob_controller_testing.h"

#define GET_RT "GET " CONTROLLER_GROUP "/clustertrainingruntimes/rt"
#define FILL   ((size_t)100000) /* more than the cache stores whole */

static char *fill(struct controller_fixture *w, size_t n)
{
    char *text = ty_arena_alloc(w->a, n + 1, 1);

    memset(text, 'x', n);
    return text;
}

/* A list of one TrainJob, named j, whose trainer has n bytes of arguments. */
static const char *one_job(struct controller_fixture *w, size_t n)
{
    return ty_arena_printf(
        w->a,
        CONTROLLER_LIST(
            "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\","
            "\"resourceVersion\":\"7\",\"generation\":1},\"spec\":{\"suspend\":true,"
            "\"managedBy\":\"trainer.kubeflow.org/trainjob-controller\",\"runtimeRef\":{"
            "\"name\":\"rt\",\"kind\":\"ClusterTrainingRuntime\",\"apiGroup\":"
            "\"trainer.kubeflow.org\"},\"trainer\":{\"args\":[\"%s\"]}}}"),
        fill(w, n));
}

static const char *runtime(struct controller_fixture *w, size_t n)
{
    const char *at = strstr(CONTROLLER_RUNTIME, "\"image\":\"i\"");

    return ty_arena_printf(w->a, "%.*s\"args\":[\"%s\"],%s", (int)(at - CONTROLLER_RUNTIME),
                           CONTROLLER_RUNTIME, fill(w, n), at);
}

static int is_idle(struct controller_fixture *w)
{
    return w->idle > 0 && ty_trainjob_controller_idle(w->controller);
}

static const char *run(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, is_idle);
    return api_asked(&w->api, w->a);
}

/* The cache does not have it whole at its reconcile: it is fetched. */
static void test_a_large_job_is_fetched(void **state)
{
    struct controller_fixture *w = *state;
    const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, one_job(w, FILL) },
        { "GET " CONTROLLER_GROUP "/namespaces/ns/trainjobs?fieldSelector=metadata.name", 200,
          one_job(w, FILL) },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },
        CONTROLLER_SNAPSHOT_APPLIED,
        CONTROLLER_JOBSET_APPLIED,
        CONTROLLER_STATUS_PATCHED,
        { 0 }
    };

    assert_has(run(w, rows), CONTROLLER_APPLY_SNAPSHOT "\n" CONTROLLER_APPLY_JOBSET
                                                       "\n" CONTROLLER_PATCH_STATUS "\n");
    assert_true(w->controller->counts.fetches >= 1);
    assert_int_equal(w->controller->large, 0);
    const struct ty_cached *o =
        ty_cache_get(w->controller->cache, &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));
    assert_true(o && o->text.n < 2000);
}

static void test_a_large_runtime_is_fetched(void **state)
{
    struct controller_fixture *w = *state;
    const char *rt = runtime(w, FILL);
    const char *list = ty_arena_printf(w->a, CONTROLLER_LIST("%s"), rt);
    const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(CONTROLLER_JOB) },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200, list },
        { GET_RT, 200, rt },
        CONTROLLER_SNAPSHOT_APPLIED,
        CONTROLLER_JOBSET_APPLIED,
        CONTROLLER_STATUS_PATCHED,
        { 0 }
    };

    assert_has(run(w, rows),
               GET_RT "\n" CONTROLLER_APPLY_SNAPSHOT "\n" CONTROLLER_APPLY_JOBSET "\n");
    assert_true(ty_cache_bytes(w->controller->cache) < FILL);
}

#define SETS "/apis/jobset.x-k8s.io/v1alpha2"

static int writes_status(struct controller_fixture *w)
{
    return strstr(api_asked(&w->api, w->a), CONTROLLER_PATCH_STATUS) != NULL;
}

/* A condition of its JobSet is longer than the cache stores: it must be mirrored all the same. */
static void test_a_large_jobset_is_fetched(void **state)
{
    struct controller_fixture *w = *state;
    const char *list = ty_arena_printf(
        w->a,
        CONTROLLER_LIST("{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s1\","
                        "\"resourceVersion\":\"8\",\"ownerReferences\":[{\"apiVersion\":"
                        "\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\","
                        "\"uid\":\"u1\",\"controller\":true}]},\"spec\":{\"suspend\":true},"
                        "\"status\":{\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
                        "\"reason\":\"AllJobsCompleted\",\"message\":\"%s\"}]}}"),
        fill(w, FILL));
    const struct api_row rows[] = {
        CONTROLLER_ONE_JOB,
        { "GET " SETS "/jobsets?limit", 200, list },
        { "GET " SETS "/namespaces/ns/jobsets?fieldSelector=metadata.name%3Dj", 200, list },
        CONTROLLER_SNAPSHOT_APPLIED,
        CONTROLLER_JOBSET_APPLIED,
        { CONTROLLER_PATCH_STATUS, 0, NULL },
        { 0 }
    };

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, writes_status);
    assert_has(w->api.body.p, "\"type\":\"Complete\"");
    assert_true(ty_cache_bytes(w->controller->cache) < FILL);
}

/* Deleted in the meantime: nothing is created, and nothing is retried. */
static void test_a_large_job_that_is_gone(void **state)
{
    struct controller_fixture *w = *state;
    const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, one_job(w, FILL) },
        { "GET " CONTROLLER_GROUP "/namespaces/ns/trainjobs?fieldSelector=metadata.name", 200,
          CONTROLLER_LIST("") },
        { 0 }
    };
    struct ty_str asked = ty_str(run(w, rows));

    assert_false(ty_str_contains(asked, TY_LIT("PATCH")));
    assert_int_equal(controller_errors(w), 0);
}

#define ONE_OF_JOBS "GET " CONTROLLER_GROUP "/namespaces/ns/trainjobs?fieldSelector=metadata.name"

static int knows_no_job(struct controller_fixture *w)
{
    return ty_cache_count(w->controller->cache, &ty_kind_trainjob) == 0;
}

/* The fetch gets a 404 before the reflector reports the deletion, while another replica leads: only
 * the reflector deletes from the cache, and after that nothing of the job is left. */
static void test_gone_before_the_watch_says_so(void **state)
{
    struct controller_fixture *w = *state;
    const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, one_job(w, FILL) },
        { ONE_OF_JOBS, 0, NULL },
        { 0 },
    };

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    struct ty_http_request *fetch = api_wait(&w->api, ONE_OF_JOBS);
    w->controller->inflight->pending.check_children = true; /* as after the deletion of a child */
    ty_trainjob_controller_drain(w->controller);
    ty_http_request_respond(fetch, 404, "application/json",
                            TY_LIT(CONTROLLER_REFUSAL(404, "NotFound")));
    while (!ty_trainjob_controller_idle(w->controller))
        uv_run(&w->loop, UV_RUN_ONCE);
    struct ty_http_request *watch = api_wait(&w->api, "GET " CONTROLLER_GROUP "/trainjobs?");
    ty_http_request_respond(
        watch, 200, "application/json",
        TY_LIT("{\"type\":\"DELETED\",\"object\":" CONTROLLER_JOB_AT("10", "") "}\n"));
    while (!api_holds(&w->api, "GET " CONTROLLER_GROUP "/trainjobs?"))
        uv_run(&w->loop,
               UV_RUN_ONCE); /* until the next watch starts: this one has been processed */
    assert_true(knows_no_job(w));
    assert_int_equal(controller_queue_depth(w), 0);
    assert_int_equal(w->controller->pending.n, 0);
}

static int too_large(struct controller_fixture *w)
{
    return controller_errors(w) > 0 && ty_trainjob_controller_idle(w->controller);
}

/* Not even one reconcile fits into the budget: an event reports it, other jobs continue, and it is
 * not retried at once. */
static void test_too_large_for_us(void **state)
{
    struct controller_fixture *w = *state;
    struct ty_budget budget = { .ceiling = 600000 };
    const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, one_job(w, FILL) },
        { "GET " CONTROLLER_GROUP "/namespaces/ns/trainjobs?fieldSelector=metadata.name", 200,
          one_job(w, 3 * FILL) },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },
        { 0 }
    };

    w->s.budget = &budget;
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, too_large);
    assert_has(controller_log(w), "the TrainJob is too large");
    assert_int_equal(controller_errors(w), 1);
    assert_int_equal(ty_queue_kind(w->controller->queue, TY_CONTROLLER_TRAINJOB)->retries, 0);
    assert_true(controller_queue_delayed(w));
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_a_large_job_is_fetched),
        CONTROLLER_TEST(test_a_large_runtime_is_fetched),
        CONTROLLER_TEST(test_a_large_jobset_is_fetched),
        CONTROLLER_TEST(test_a_large_job_that_is_gone),
        CONTROLLER_TEST(test_gone_before_the_watch_says_so),
        CONTROLLER_TEST(test_too_large_for_us),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
