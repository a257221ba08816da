#include "controller/trainjob_controller_testing.h"
#include "controller/trainjob_controller_watch.h"

#define GROUPS(path)                                                                               \
    {                                                                                              \
        "GET " path, 404, "404 page not found"                                                     \
    }

static void begin(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
}

static void test_an_empty_cluster(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, NULL);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, controller_is_synced);
    assert_int_equal(w->synced, 1);
    assert_has(controller_log(w), "the cache is complete");
    assert_int_equal(ty_cache_count(ty_trainjob_controller_cache(w->controller), NULL), 0);
}

/* Kinds of schedulers that are not installed do not block the sync. */
static void test_kinds_of_others_that_are_absent(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           GROUPS("/apis/scheduling.x-k8s.io/v1alpha1"),
                                           GROUPS("/apis/scheduling.volcano.sh/v1beta1"),
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, controller_is_synced);
    assert_has(controller_log(w), "not served here; watched as soon as it is");
    assert_int_equal(ty_cache_count(ty_trainjob_controller_cache(w->controller), &ty_kind_trainjob),
                     1);
    assert_non_null(ty_trainjob_controller_reflect(w->controller, &ty_kind_jobset));
    assert_null(
        ty_trainjob_controller_reflect(w->controller, &ty_kind_pod)); /* not watched at all */
}

/* Without JobSet, webhooks can be answered, and nothing can run. */
static void test_jobsets_that_are_absent(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           GROUPS("/apis/jobset.x-k8s.io/v1alpha2"),
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, controller_is_synced);
    assert_has(controller_log(w), "{\"level\":\"warn\"");
    assert_has(controller_log(w), "the API server does not serve JobSets yet; install JobSet");
}

static int says_waiting(struct controller_fixture *w)
{
    return strstr(controller_log(w), "waiting: the API server does not serve this kind yet") !=
           NULL;
}

/* Without our CRDs the cache is never synced. */
static void test_our_own_kinds_are_waited_for(void **state)
{
    static const struct api_row rows[] = { GROUPS("/apis/trainer.kubeflow.org/v1alpha1"), { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, says_waiting);
    assert_false(ty_trainjob_controller_synced(w->controller));
    assert_int_equal(w->controller->counts.reconciles, 0);
}

static int says_trouble(struct controller_fixture *w)
{
    return strstr(controller_log(w), "\"msg\":\"cannot watch\"") != NULL;
}

static void test_lists_that_fail(void **state)
{
    static const struct {
        int code;
        const char *body;
    } cases[] = { { 403, CONTROLLER_REFUSAL(403, "Forbidden") },
                  { 500, "" },
                  { 200, "garbage" },
                  { 200, "{\"items\":[{\"metadata\":" } };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = {
            { "GET " CONTROLLER_GROUP "/trainjobs?limit", cases[i].code, cases[i].body }, { 0 }
        };
        if (i > 0)
            controller_setup(state);
        struct controller_fixture *w = *state;
        begin(w, rows);
        controller_run_until(w, says_trouble);
        assert_false(ty_trainjob_controller_synced(w->controller));
        assert_has(controller_log(w), "\"kind\":\"TrainJob\"");
        if (i + 1 < TY_COUNT(cases))
            controller_teardown(state);
    }
}

/* Invalid items are skipped and do not crash the operator. */
static void test_items_that_are_odd(void **state)
{
    static const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200,
          CONTROLLER_LIST("{},{\"metadata\":{}},{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\","
                          "\"uid\":\"u9\",\"resourceVersion\":\"3\"}}") },
        { 0 }
    };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, controller_is_synced);
    assert_non_null(ty_cache_get(ty_trainjob_controller_cache(w->controller), &ty_kind_trainjob,
                                 TY_LIT("ns"), TY_LIT("a")));
}

static int watches_all(struct controller_fixture *w)
{
    return ty_trainjob_controller_synced(w->controller) &&
           w->api.n_open == w->controller->n_watched;
}

static int knows_nothing_of_ours(struct controller_fixture *w)
{
    const struct ty_cache *cache = ty_trainjob_controller_cache(w->controller);

    return ty_cache_count(cache, &ty_kind_trainjob) == 0 &&
           ty_cache_count(cache, &ty_kind_clustertrainingruntime) == 0;
}

#define GONE(object) "{\"type\":\"DELETED\",\"object\":" object "}\n"
#define EXPIRED                                                                                    \
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410,"      \
    "\"reason\":\"Expired\",\"message\":\"too old\"}}\n"

/* A standby processes no keys: keys of deleted objects must not accumulate. */
static void test_a_standby_forgets_what_is_gone(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB, { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, watches_all);
    assert_int_equal(controller_queue_depth(w), 2);
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/trainjobs?",
               TY_LIT(GONE(CONTROLLER_JOB_AT("10", ""))));
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/clustertrainingruntimes?",
               TY_LIT(GONE(CONTROLLER_RUNTIME)));
    controller_run_until(w, knows_nothing_of_ours);
    assert_int_equal(controller_queue_depth(w), 0);
    assert_int_equal(w->controller->pending.n, 0);
}

static int knows_no_runtime(struct controller_fixture *w)
{
    return ty_cache_count(ty_trainjob_controller_cache(w->controller),
                          &ty_kind_clustertrainingruntime) == 0;
}

/* A job affects its runtime's finalizer, but not if the runtime was deleted first. */
static void test_a_standby_forgets_the_runtime_of_what_is_gone(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB, { 0 } };
    struct controller_fixture *w = *state;

    w->s.protection = TY_PROTECT_FINALIZER;
    begin(w, rows);
    controller_run_until(w, watches_all);
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/clustertrainingruntimes?",
               TY_LIT(GONE(CONTROLLER_RUNTIME)));
    controller_run_until(w, knows_no_runtime);
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/trainjobs?",
               TY_LIT(GONE(CONTROLLER_JOB_AT("10", ""))));
    controller_run_until(w, knows_nothing_of_ours);
    assert_int_equal(controller_queue_depth(w), 0);
}

#define LIMITS                                                                                     \
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"l\",\"namespace\":\"ns\",\"uid\":"   \
    "\"u4\",\"resourceVersion\":\"12\"},\"spec\":{\"limits\":[]}}}\n"

static int knows_limits(struct controller_fixture *w)
{
    return ty_cache_count(ty_trainjob_controller_cache(w->controller), &ty_kind_limitrange) > 0;
}

/* Pending flags are freed by the next reconcile: a standby has none. */
static void test_a_standby_keeps_no_pending_flags(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB, { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, watches_all);
    api_answer(&w->api, "GET /api/v1/limitranges?", TY_LIT(LIMITS));
    controller_run_until(w, knows_limits);
    struct ty_pending_job *p = ty_map_get(&w->controller->pending, TY_LIT("ns/j"));
    assert_true(p && p->check_children); /* it affects a suspended job of the namespace */
    assert_int_equal(ty_arena_used(w->controller->scratch), 0);
}

static int all_and_one_write(struct controller_fixture *w)
{
    return ty_trainjob_controller_synced(w->controller) &&
           w->api.n_open == w->controller->n_watched + 1;
}

static int knows_no_job(struct controller_fixture *w)
{
    return ty_cache_count(ty_trainjob_controller_cache(w->controller), &ty_kind_trainjob) == 0;
}

/* Deleted during its writes: its deadline is dropped. */
static void test_a_deadline_of_what_is_gone(void **state)
{
    static const struct api_row rows[] = { { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200,
                                             CONTROLLER_LIST(CONTROLLER_JOB_UNTIL_2150("7")) },
                                           { "GET " CONTROLLER_GROUP
                                             "/clustertrainingruntimes?limit",
                                             200, CONTROLLER_LIST(CONTROLLER_RUNTIME) },
                                           { CONTROLLER_APPLY_SNAPSHOT, 0, NULL },
                                           CONTROLLER_JOBSET_APPLIED,
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, all_and_one_write);
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/trainjobs?",
               TY_LIT(GONE(CONTROLLER_JOB_UNTIL_2150("10"))));
    controller_run_until(w, knows_no_job);
    api_answer(&w->api, CONTROLLER_APPLY_SNAPSHOT,
               TY_LIT("{\"metadata\":{\"name\":\"j-runtime-snapshot\"}}"));
    controller_run_until(w, controller_reconciled);
    assert_false(controller_queue_delayed(w));
    assert_int_equal(controller_queue_depth(w), 0);
}

#define RUNTIME_GOING                                                                              \
    "{\"metadata\":{\"name\":\"rt\",\"uid\":\"u2\",\"resourceVersion\":\"5\","                     \
    "\"deletionTimestamp\":"                                                                       \
    "\"2026-01-02T03:04:05Z\",\"finalizers\":[\"trainer.kubeflow.org/"                             \
    "resource-in-use\"]},\"spec\":{}}"

#define JOB_GOING                                                                                  \
    CONTROLLER_JOB_WITH(                                                                           \
        "7", ",\"deletionTimestamp\":\"2026-01-02T03:04:05Z\"",                                    \
        ",\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\","                \
        "\"reason\":\"Suspended\",\"message\":\"TrainJob is suspended\","                          \
        "\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}]}")

static int asked_for_something(struct controller_fixture *w)
{
    return w->api.asked.n > 0;
}

/* A runtime waits for its last job, whose deletion is only seen by a relist, which does not name
 * the runtime. */
static void test_the_last_job_goes_unheard(void **state)
{
    static const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(JOB_GOING) },
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST("") },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
          CONTROLLER_LIST(RUNTIME_GOING) },
        { 0 }
    };
    struct controller_fixture *w = *state;

    w->s.protection = TY_PROTECT_FINALIZER;
    begin(w, rows);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, watches_all);
    assert_int_equal(w->api.asked.n, 0); /* it is in use */
    w->api.rows = rows + 1;              /* the job is deleted */
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/trainjobs?", TY_LIT(EXPIRED));
    controller_run_until(w, asked_for_something);
    ty_buf_chr(&w->api.asked, '\0');
    assert_has(w->api.asked.p, "PATCH " CONTROLLER_GROUP "/clustertrainingruntimes/rt");
    assert_has(w->api.body.p, "\"finalizers\":[]");
}

static int runtimes_are_refused(struct controller_fixture *w)
{
    return ty_trainjob_controller_watch_error(w->controller, &ty_kind_clustertrainingruntime) !=
           NULL;
}

static int nothing_is_refused(struct controller_fixture *w)
{
    return !runtimes_are_refused(w);
}

/* RBAC rights on a kind are removed and restored: in between a reconcile knows that the cache may
 * be incomplete. Other kinds are not affected. */
static void test_a_watch_that_is_refused_later(void **state)
{
    static const struct api_row refused[] = { { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?",
                                                403, CONTROLLER_REFUSAL(403, "Forbidden") },
                                              { 0 } };
    static const struct api_row fine[] = { { 0 } };
    struct controller_fixture *w = *state;

    begin(w, fine);
    controller_run_until(w, watches_all);
    assert_true(nothing_is_refused(w));
    w->api.rows = refused;
    api_answer(&w->api, "GET " CONTROLLER_GROUP "/clustertrainingruntimes?", TY_LIT(EXPIRED));
    controller_run_until(w, runtimes_are_refused);
    assert_has(ty_trainjob_controller_watch_error(w->controller, &ty_kind_clustertrainingruntime),
               "Forbidden");
    assert_null(ty_trainjob_controller_watch_error(w->controller, &ty_kind_trainjob));
    assert_null(
        ty_trainjob_controller_watch_error(w->controller, &ty_kind_pod)); /* not watched at all */
    assert_true(ty_trainjob_controller_synced(w->controller));
    w->api.rows = fine;
    controller_run_until(w, nothing_is_refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_an_empty_cluster),
        CONTROLLER_TEST(test_kinds_of_others_that_are_absent),
        CONTROLLER_TEST(test_jobsets_that_are_absent),
        CONTROLLER_TEST(test_our_own_kinds_are_waited_for),
        CONTROLLER_TEST(test_lists_that_fail),
        CONTROLLER_TEST(test_items_that_are_odd),
        CONTROLLER_TEST(test_a_standby_forgets_what_is_gone),
        CONTROLLER_TEST(test_a_standby_forgets_the_runtime_of_what_is_gone),
        CONTROLLER_TEST(test_a_standby_keeps_no_pending_flags),
        CONTROLLER_TEST(test_a_deadline_of_what_is_gone),
        CONTROLLER_TEST(test_the_last_job_goes_unheard),
        CONTROLLER_TEST(test_a_watch_that_is_refused_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
