/* Writes, their answers and their watch events, in every order. */
#include "controller/trainjob_controller_testing.h"

#define HELD(ask)                                                                                  \
    {                                                                                              \
        ask, 0, NULL                                                                               \
    }
#define GET_CM "GET /api/v1/namespaces/ns/configmaps/j-runtime-snapshot"
#define ALL    CONTROLLER_APPLY_SNAPSHOT "\n" CONTROLLER_APPLY_JOBSET "\n" CONTROLLER_PATCH_STATUS "\n"

static void begin(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
}

/* The queue is empty and all writes are answered. */
static int at_rest(struct controller_fixture *w)
{
    return w->controller->counts.reconciles > 1 && ty_trainjob_controller_idle(w->controller) &&
           controller_queue_depth(w) == 0;
}

/* ---- answers that the server holds back until the test releases them ---- */

static int set_is_held(struct controller_fixture *w)
{
    return api_holds(&w->api, CONTROLLER_APPLY_JOBSET);
}

static int cm_is_held(struct controller_fixture *w)
{
    return api_holds(&w->api, CONTROLLER_APPLY_SNAPSHOT);
}

static int snapshot_is_held(struct controller_fixture *w)
{
    return api_holds(&w->api, GET_CM);
}

static int status_is_held(struct controller_fixture *w)
{
    return api_holds(&w->api, CONTROLLER_PATCH_STATUS);
}

/* The object after this request, at that version. */
static struct ty_str made(struct controller_fixture *w, const struct ty_http_request *q,
                          const char *is, const char *version)
{
    struct ty_json *obj = ty_json_parse(w->a, ty_str(is), NULL, NULL);
    struct ty_str sent = ty_arena_str(w->a, q->body);

    obj = ty_patch_merge(w->a, obj, ty_json_parse(w->a, sent, NULL, NULL));
    ty_json_set(w->a, ty_json_ensure_object(w->a, obj, "metadata"), "resourceVersion",
                ty_json_cstr(w->a, version));
    return ty_json_text(w->a, obj);
}

/* As a watch event, after which the watch ends and is started again. */
static void watch_tells(struct controller_fixture *w, const char *watch, const char *type,
                        struct ty_str object)
{
    const char *line =
        ty_arena_printf(w->a, "{\"type\":\"%s\",\"object\":%.*s}\n", type, TY_ARG(object));

    api_answer(&w->api, watch, ty_str(line));
}

static void watch_says(struct controller_fixture *w, const char *watch, struct ty_str object)
{
    watch_tells(w, watch, "MODIFIED", object);
}

#define SETS "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?"
#define CMS  "GET /api/v1/configmaps?"
#define JOBS "GET " CONTROLLER_GROUP "/trainjobs?"

static const struct ty_cached *known(struct controller_fixture *w, const struct ty_kind *kind,
                                     const char *name)
{
    const struct ty_cached *o =
        ty_cache_get(ty_trainjob_controller_cache(w->controller), kind, TY_LIT("ns"), ty_str(name));

    assert_non_null(o);
    return o;
}

static int jobset_is_known(struct controller_fixture *w)
{
    return ty_cache_count(ty_trainjob_controller_cache(w->controller), &ty_kind_jobset) > 0;
}

static int cm_is_known(struct controller_fixture *w)
{
    return ty_cache_count(ty_trainjob_controller_cache(w->controller), &ty_kind_configmap) > 0;
}

static int status_is_known(struct controller_fixture *w)
{
    return known(w, &ty_kind_trainjob, "j")->id.version == 20;
}

/* ---- only our own writes ---- */

static void test_a_second_reconcile_writes_nothing(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, controller_rows);
    controller_run_until(w, at_rest);
    assert_string_equal(api_asked(&w->api, w->a), ALL);
    assert_int_equal(w->controller->counts.reconciles, 2);
    assert_true(known(w, &ty_kind_trainjob, "j")->in_sync_digest != 0);
}

static void test_watch_events_before_the_answers(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           HELD(CONTROLLER_APPLY_SNAPSHOT),
                                           HELD(CONTROLLER_APPLY_JOBSET),
                                           HELD(CONTROLLER_PATCH_STATUS),
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, cm_is_held);
    struct ty_str is = made(w, api_peek(&w->api, CONTROLLER_APPLY_SNAPSHOT),
                            "{\"metadata\":{\"uid\":\"c1\"}}", "20");
    watch_says(w, CMS, is);
    controller_run_until(w, cm_is_known);
    api_answer(&w->api, CONTROLLER_APPLY_SNAPSHOT, is);
    controller_run_until(w, set_is_held);
    is = made(w, api_peek(&w->api, CONTROLLER_APPLY_JOBSET), "{\"metadata\":{\"uid\":\"s1\"}}",
              "20");
    watch_says(w, SETS, is);
    controller_run_until(w, jobset_is_known);
    api_answer(&w->api, CONTROLLER_APPLY_JOBSET, is);
    controller_run_until(w, status_is_held);
    is = made(w, api_peek(&w->api, CONTROLLER_PATCH_STATUS), CONTROLLER_JOB, "20");
    watch_says(w, JOBS, is);
    controller_run_until(w, status_is_known);
    api_answer(&w->api, CONTROLLER_PATCH_STATUS, is);
    controller_run_until(w, at_rest);
    assert_string_equal(api_asked(&w->api, w->a), ALL);
    assert_int_equal(controller_errors(w), 0);
    assert_int_equal(w->controller->counts.reconciles, 2);
    assert_non_null(known(w, &ty_kind_configmap, "j-runtime-snapshot")->body);
}

static int status_patched_again(struct controller_fixture *w)
{
    return w->controller->counts.statuses > 1 && at_rest(w);
}

/* A later event is another client's, even if it changes nothing that we own. */
static void test_the_next_event_requeues(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, controller_rows);
    controller_run_until(w, at_rest);
    watch_says(w, SETS,
               TY_LIT("{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s1\","
                      "\"resourceVersion\":\"21\",\"ownerReferences\":[{\"apiVersion\":"
                      "\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\","
                      "\"uid\":\"u1\",\"controller\":true}]},\"spec\":{\"suspend\":true},"
                      "\"status\":{\"replicatedJobsStatus\":[{\"name\":\"node\",\"ready\":0,"
                      "\"succeeded\":0,\"failed\":0,\"active\":0,\"suspended\":1}]}}"));
    controller_run_until(w, status_patched_again);
    assert_has(api_asked(&w->api, w->a), ALL CONTROLLER_PATCH_STATUS "\n");
    assert_has(w->api.body.p, "jobsStatus");
}

/* ---- writes of other clients in between ---- */

static int set_again(struct controller_fixture *w)
{
    return w->controller->counts.applies == 3 && set_is_held(w);
}

/* Another client changed the JobSet after our write, and its event arrives before our answer: the
 * answer must not mark the JobSet as applied. */
static void test_an_answer_that_was_overtaken(void **state)
{
    static const struct api_row rows[] = {
        CONTROLLER_ONE_JOB,
        CONTROLLER_SNAPSHOT_APPLIED,
        HELD(CONTROLLER_APPLY_JOBSET),
        CONTROLLER_STATUS_PATCHED,
        { "GET /apis/jobset.x-k8s.io/v1alpha2/namespaces/ns/jobsets?fieldSelector", 200,
          CONTROLLER_LIST("{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s1\","
                          "\"resourceVersion\":\"21\"},\"spec\":{}}") },
        { 0 }
    };
    struct controller_fixture *w = *state;
    static const char *const other =
        "{\"metadata\":{\"uid\":\"s1\",\"managedFields\":[{\"manager\":\"trainer\",\"operation\":"
        "\"Apply\",\"fieldsV1\":{\"f:spec\":{\"f:suspend\":{}}}}]},\"spec\":{}}";

    begin(w, rows);
    controller_run_until(w, set_is_held);
    const struct ty_http_request *q = api_peek(&w->api, CONTROLLER_APPLY_JOBSET);
    struct ty_str ours = made(w, q, "{\"metadata\":{\"uid\":\"s1\"}}", "20");
    watch_says(w, SETS, made(w, q, other, "21"));
    controller_run_until(w, jobset_is_known);
    api_answer(&w->api, CONTROLLER_APPLY_JOBSET, ours);
    controller_run_until(w, set_again); /* it is applied again */
    assert_true(known(w, &ty_kind_jobset, "j")->applied_version != 21);
    assert_true(known(w, &ty_kind_trainjob, "j")->in_sync_digest == 0);
}

static int jobset_was_made_again(struct controller_fixture *w)
{
    return w->controller->counts.applies > 2 && at_rest(w);
}

/* The server was restored from a backup without our JobSet, with versions below the one of our
 * write: the write is not taken for one that is newer than the list. */
static void test_a_jobset_that_a_restore_took_away(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, controller_rows);
    controller_run_until(w, at_rest);
    assert_int_equal(w->controller->counts.applies, 2);
    watch_tells(w, SETS, "ERROR",
                TY_LIT("{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}"));
    controller_run_until(w, jobset_was_made_again);
    assert_has(api_asked(&w->api, w->a), ALL CONTROLLER_APPLY_JOBSET "\n");
}

/* The same with a snapshot: its data is not what we sent. */
static void test_an_overtaken_snapshot_is_read_again(void **state)
{
    static const struct api_row rows[] = {
        CONTROLLER_ONE_JOB,        HELD(CONTROLLER_APPLY_SNAPSHOT), HELD(GET_CM),
        CONTROLLER_JOBSET_APPLIED, CONTROLLER_STATUS_PATCHED,       { 0 }
    };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, cm_is_held);
    const struct ty_http_request *q = api_peek(&w->api, CONTROLLER_APPLY_SNAPSHOT);
    struct ty_str ours = made(w, q, "{\"metadata\":{\"uid\":\"c1\"}}", "20");
    watch_says(w, CMS, made(w, q, "{\"metadata\":{\"uid\":\"c1\"}}", "21"));
    controller_run_until(w, cm_is_known);
    api_answer(&w->api, CONTROLLER_APPLY_SNAPSHOT, ours);
    controller_run_until(w, snapshot_is_held);
}

/* The children of a job that was in sync before are compared all the same. */
static void test_an_overtaken_snapshot_of_a_job_that_was_right(void **state)
{
    static const struct api_row later[] = { HELD(CONTROLLER_APPLY_SNAPSHOT),
                                            HELD(GET_CM),
                                            CONTROLLER_JOBSET_APPLIED,
                                            CONTROLLER_STATUS_PATCHED,
                                            { 0 } };
    struct controller_fixture *w = *state;

    begin(w, controller_rows);
    controller_run_until(w, at_rest);
    assert_true(known(w, &ty_kind_trainjob, "j")->in_sync_digest != 0);
    w->api.rows = later;
    watch_tells(w, CMS, "DELETED",
                TY_LIT("{\"metadata\":{\"name\":\"j-runtime-snapshot\",\"namespace\":\"ns\","
                       "\"uid\":\"c1\",\"resourceVersion\":\"21\"}}"));
    controller_run_until(w, cm_is_held);
    const struct ty_http_request *q = api_peek(&w->api, CONTROLLER_APPLY_SNAPSHOT);
    struct ty_str ours = made(w, q, "{\"metadata\":{\"uid\":\"c2\"}}", "22");
    watch_says(w, CMS, made(w, q, "{\"metadata\":{\"uid\":\"c2\"}}", "23"));
    controller_run_until(w, cm_is_known);
    api_answer(&w->api, CONTROLLER_APPLY_SNAPSHOT, ours);
    controller_run_until(w, snapshot_is_held);
}

static int second_word(struct controller_fixture *w)
{
    return known(w, &ty_kind_configmap, "j-runtime-snapshot")->id.version == 20;
}

/* Another client created the JobSet between our reconcile and our write: its status at that time is
 * not known. */
static void test_somebody_was_there_before(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           HELD(CONTROLLER_APPLY_SNAPSHOT),
                                           CONTROLLER_JOBSET_APPLIED,
                                           CONTROLLER_STATUS_PATCHED,
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, cm_is_held);
    const struct ty_http_request *q = api_peek(&w->api, CONTROLLER_APPLY_SNAPSHOT);
    struct ty_str ours = made(w, q, "{\"metadata\":{\"uid\":\"c1\"}}", "20");
    watch_says(w, CMS, made(w, q, "{\"metadata\":{\"uid\":\"c1\"}}", "19"));
    controller_run_until(w, cm_is_known);
    controller_run_until(w, cm_is_held);
    watch_says(w, CMS, ours);
    controller_run_until(w, second_word);
    api_answer(&w->api, CONTROLLER_APPLY_SNAPSHOT, ours);
    controller_run_until(w, at_rest);
    assert_true(w->controller->counts.reconciles > 1);
    assert_string_equal(api_asked(&w->api, w->a), ALL);
}

/* ---- answers that differ from the request ---- */

static void test_a_jobset_that_fares_already(void **state)
{
    static const struct api_row rows[] = {
        CONTROLLER_ONE_JOB,
        CONTROLLER_SNAPSHOT_APPLIED,
        { CONTROLLER_APPLY_JOBSET, API_PATCHED,
          "{\"metadata\":{\"uid\":\"s1\"},\"status\":{\"replicatedJobsStatus\":[{\"name\":\"node\","
          "\"ready\":1}]}}" },
        CONTROLLER_STATUS_PATCHED,
        { 0 }
    };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, status_patched_again);
    assert_has(api_asked(&w->api, w->a), ALL CONTROLLER_PATCH_STATUS "\n");
    assert_has(w->api.body.p, "jobsStatus");
}

/* The server's schema prunes a field. */
static void test_a_status_that_was_cut(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           CONTROLLER_JOBSET_APPLIED,
                                           { CONTROLLER_PATCH_STATUS, 200,
                                             CONTROLLER_JOB_AT("20", "") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, status_patched_again);
    assert_true(w->controller->counts.reconciles > 1);
}

/* The user changed the job during the writes, and the answer to our own write is the first to show
 * it. */
static void test_a_job_that_wants_something_else_by_now(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           CONTROLLER_JOBSET_APPLIED,
                                           { CONTROLLER_PATCH_STATUS, API_PATCHED,
                                             CONTROLLER_JOB_AT("20", ",\"labels\":{\"a\":\"b\"}") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, at_rest);
    assert_true(w->controller->counts.reconciles > 1);
    assert_string_equal(api_asked(&w->api, w->a), ALL);
}

#define COUNTED                                                                                    \
    CONTROLLER_JOB_AND(                                                                            \
        ",\"status\":{\"jobsStatus\":[{\"name\":\"node\",\"ready\":1,\"succeeded\":0,"             \
        "\"failed\":0,\"active\":0,\"suspended\":0}]}")

/* jobsStatus of a deleted JobSet stays until there is a new JobSet, which has no status yet. */
static void test_counts_of_the_last_jobset(void **state)
{
    static const struct api_row rows[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(COUNTED) },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },
        CONTROLLER_SNAPSHOT_APPLIED,
        CONTROLLER_JOBSET_APPLIED,
        { CONTROLLER_PATCH_STATUS, API_PATCHED, COUNTED },
        { 0 }
    };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, status_patched_again);
    assert_has(api_asked(&w->api, w->a), ALL CONTROLLER_PATCH_STATUS "\n");
    assert_has(w->api.body.p, "\"jobsStatus\":null");
}

/* ---- a failed reconcile waits for its back-off ---- */

static void refuse_jobset(struct controller_fixture *w)
{
    ty_http_request_respond(api_take(&w->api, CONTROLLER_APPLY_JOBSET), 422, "application/json",
                            TY_LIT(CONTROLLER_REFUSAL(422, "Invalid")));
}

/* Fails if the JobSet is applied again before the reconcile, with its writes, has ended. NOWAIT,
 * because ONCE would run the timer of the back-off, 5 ms, after the last answer: on a busy machine
 * it may be due by then. */
static void run_until_idle(struct controller_fixture *w)
{
    while (!ty_trainjob_controller_idle(w->controller)) {
        uv_run(&w->loop, UV_RUN_NOWAIT);
        assert_false(set_is_held(w));
    }
    assert_int_equal(controller_queue_depth(w), 0); /* delayed, not waiting */
    assert_int_equal(w->controller->counts.statuses, 1);
}

/* The refusal is written to the status; that write does not shorten the back-off. Otherwise a
 * refusal whose message differs each time (a request id) is retried without any pause. */
static void test_an_answer_does_not_shorten_the_backoff(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           HELD(CONTROLLER_APPLY_JOBSET),
                                           CONTROLLER_STATUS_PATCHED,
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, set_is_held);
    refuse_jobset(w);
    run_until_idle(w);
}

/* Nor does its watch event, which may arrive first. */
static void test_an_own_event_does_not_shorten_the_backoff(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           HELD(CONTROLLER_APPLY_JOBSET),
                                           HELD(CONTROLLER_PATCH_STATUS),
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, set_is_held);
    refuse_jobset(w);
    controller_run_until(w, status_is_held);
    struct ty_str is = made(w, api_peek(&w->api, CONTROLLER_PATCH_STATUS), CONTROLLER_JOB, "20");
    watch_says(w, JOBS, is);
    controller_run_until(w, status_is_known);
    api_answer(&w->api, CONTROLLER_PATCH_STATUS, is);
    run_until_idle(w);
}

/* A user who changes the job meanwhile does not wait. */
static void test_a_change_of_the_job_ends_the_backoff(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           HELD(CONTROLLER_APPLY_JOBSET),
                                           HELD(CONTROLLER_PATCH_STATUS),
                                           { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, set_is_held);
    refuse_jobset(w);
    controller_run_until(w, status_is_held);
    watch_says(w, JOBS, TY_LIT(CONTROLLER_JOB_AT("20", ",\"labels\":{\"a\":\"b\"}")));
    controller_run_until(w, status_is_known);
    ty_http_request_respond(api_take(&w->api, CONTROLLER_PATCH_STATUS), 409, "application/json",
                            TY_LIT(CONTROLLER_REFUSAL(409, "Conflict")));
    while (!ty_trainjob_controller_idle(w->controller) && !set_is_held(w))
        uv_run(&w->loop, UV_RUN_ONCE);
    assert_false(ty_trainjob_controller_idle(w->controller)); /* no pause in between */
}

static int snapshot_applied_twice_more(struct controller_fixture *w)
{
    return w->controller->counts.applies >= 4;
}

/* The retry knows, as the failed reconcile did, that the children must be compared: the job itself
 * has not changed since they were in sync. */
static void test_a_failed_repair_is_repeated(void **state)
{
    static const struct api_row later[] = { { CONTROLLER_APPLY_SNAPSHOT, 500, "{}" },
                                            CONTROLLER_STATUS_PATCHED,
                                            { 0 } };
    struct controller_fixture *w = *state;

    begin(w, controller_rows);
    controller_run_until(w, at_rest);
    assert_int_equal(w->controller->counts.applies, 2);
    w->api.rows = later;
    watch_tells(w, CMS, "DELETED",
                TY_LIT("{\"metadata\":{\"name\":\"j-runtime-snapshot\",\"namespace\":\"ns\","
                       "\"uid\":\"c1\",\"resourceVersion\":\"21\"}}"));
    controller_run_until(w, snapshot_applied_twice_more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_a_second_reconcile_writes_nothing),
        CONTROLLER_TEST(test_watch_events_before_the_answers),
        CONTROLLER_TEST(test_the_next_event_requeues),
        CONTROLLER_TEST(test_an_answer_that_was_overtaken),
        CONTROLLER_TEST(test_a_jobset_that_a_restore_took_away),
        CONTROLLER_TEST(test_an_overtaken_snapshot_is_read_again),
        CONTROLLER_TEST(test_an_overtaken_snapshot_of_a_job_that_was_right),
        CONTROLLER_TEST(test_somebody_was_there_before),
        CONTROLLER_TEST(test_a_jobset_that_fares_already),
        CONTROLLER_TEST(test_a_status_that_was_cut),
        CONTROLLER_TEST(test_a_job_that_wants_something_else_by_now),
        CONTROLLER_TEST(test_counts_of_the_last_jobset),
        CONTROLLER_TEST(test_an_answer_does_not_shorten_the_backoff),
        CONTROLLER_TEST(test_an_own_event_does_not_shorten_the_backoff),
        CONTROLLER_TEST(test_a_change_of_the_job_ends_the_backoff),
        CONTROLLER_TEST(test_a_failed_repair_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
