/* The values of the metrics. Their format is tested in metrics_test.c. */
#include "controller/trainjob_controller_testing.h"
#include "serve/servers_inner.h"

#define RUNTIME_IN_USE                                                                             \
    "{\"metadata\":{\"name\":\"rt\",\"uid\":\"u2\",\"resourceVersion\":\"5\",\"finalizers\":["     \
    "\"trainer.kubeflow.org/resource-in-use\"]},\"spec\":{}}"
#define PATCH_RT "PATCH " CONTROLLER_GROUP "/clustertrainingruntimes/rt"

struct fixture {
    struct controller_fixture *w;
    struct ty_config config;
    struct ty_webhook_cert_manager *certs;
    struct ty_events *events;
    struct ty_servers servers;
    struct ty_buf text;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    void *w = NULL;

    assert_non_null(f);
    controller_setup(&w);
    f->w = w;
    f->config.lease_name = "trainer.kubeflow.org";
    f->certs = ty_webhook_cert_manager_new(
        &(struct ty_webhook_cert_manager_settings){ .loop = &f->w->loop, .dir = "/nowhere" });
    f->events = ty_events_new(
        &(struct ty_events_settings){ .loop = &f->w->loop, .kube = f->w->api.kube, .host = "h" });
    f->w->s.events = f->events;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    void *w = f->w;

    ty_trainjob_controller_free(f->w->controller);
    f->w->controller = NULL;
    ty_events_free(f->events);
    ty_webhook_cert_manager_free(f->certs);
    ty_metrics_free(f->servers.metrics);
    ty_buf_done(&f->text);
    controller_teardown(&w);
    free(f);
    return 0;
}

static void begin(struct fixture *f, const struct api_row *rows)
{
    f->w->api.rows = rows;
    f->w->controller = ty_trainjob_controller_new(&f->w->s);
    f->servers.metrics = ty_servers_metrics_new();
    f->servers.s = (struct ty_servers_settings){ .loop = &f->w->loop,
                                                 .kube = f->w->api.kube,
                                                 .config = &f->config,
                                                 .controller = f->w->controller,
                                                 .certs = f->certs,
                                                 .events = f->events,
                                                 .version = "1.2.3" };
    ty_trainjob_controller_lead(f->w->controller);
}

/* The page, NUL-terminated. */
static const char *text(struct fixture *f)
{
    f->text.n = 0;
    ty_servers_metrics_update(&f->servers);
    ty_metrics_print(f->servers.metrics, &f->text);
    ty_buf_chr(&f->text, '\0');
    return f->text.p;
}

#define OF_JOBS    "{controller=\"trainjob_controller\""
#define NAMED      ",name=\"trainjob_controller\""
#define OF_CLUSTER "{controller=\"clustertrainingruntime_controller\""

static void test_one_job(void **state)
{
    static const struct api_row rows[] = {
        CONTROLLER_ONE_JOB,
        { CONTROLLER_APPLY_SNAPSHOT, API_PATCHED, "{\"metadata\":{\"uid\":\"c1\"}}" },
        { CONTROLLER_APPLY_JOBSET, API_PATCHED, "{\"metadata\":{\"uid\":\"s1\"}}" },
        { CONTROLLER_PATCH_STATUS, API_PATCHED, CONTROLLER_JOB },
        { 0 }
    };
    struct fixture *f = *state;

    begin(f, rows);
    controller_run_until(f->w, controller_reconciled);
    /* Two reconciles: the second finds the writes of the first done. */
    for (int i = 0; i < 2; i++) { /* scraped twice, counted once */
        const char *t = text(f);
        assert_has(t, "\ntrainyard_writes_total{verb=\"apply\"} 2\n");
        assert_has(t, "\ntrainyard_writes_total{verb=\"delete\"} 0\n");
        assert_has(t, "\ntrainyard_writes_total{verb=\"finalizers\"} 0\n");
        assert_has(t, "\ncontroller_runtime_reconcile_errors_total" OF_JOBS "} 0\n");
        assert_has(t, "\ntrainyard_trainjobs{state=\"suspended\"} 1\n");
        assert_has(t, "\ntrainyard_trainjobs{state=\"failed\"} 0\n");
        assert_has(t, "\ntrainyard_trainjobs{state=\"running\"} 0\n");
        assert_has(t, "\ntrainyard_trainjobs{state=\"pending\"} 0\n");
        assert_has(t, "\ntrainyard_cache_objects{kind=\"JobSet\"} 1\n");
        assert_has(t, "\nleader_election_master_status{name=\"trainer.kubeflow.org\"} 1\n");
        assert_has(t, "\ntrainyard_build_info{version=\"1.2.3\"} 1\n");
        assert_has(t, "\nworkqueue_depth" OF_JOBS NAMED "} 0\n");
        assert_has(t, "\nworkqueue_adds_total" OF_JOBS NAMED "} 2\n");
        assert_has(t, "\nworkqueue_queue_duration_seconds_count" OF_JOBS NAMED "} 2\n");
        assert_has(t, "\nworkqueue_work_duration_seconds_count" OF_JOBS NAMED "} 2\n");
        assert_has(t, "\ncontroller_runtime_reconcile_time_seconds_count" OF_JOBS "} 2\n");
        assert_has(t, "\ncontroller_runtime_reconcile_total" OF_JOBS ",result=\"success\"} 2\n");
        assert_has(t, "\ncontroller_runtime_max_concurrent_reconciles" OF_JOBS "} 16\n");
        assert_has(t, "\ncontroller_runtime_active_workers" OF_JOBS "} 0\n");
        assert_has(t, "\nworkqueue_longest_running_processor_seconds" OF_JOBS NAMED "} 0\n");
    }
}

static int runtime_failed(struct controller_fixture *w)
{
    return strstr(controller_log(w), "because") && ty_trainjob_controller_idle(w->controller);
}

/* A failed patch of a runtime's finalizer is no failed reconcile of a TrainJob: the number of
 * successful ones would become negative. */
static void test_a_runtime_that_fails(void **state)
{
    static const struct api_row rows[] = { { "GET " CONTROLLER_GROUP
                                             "/clustertrainingruntimes?limit",
                                             200, CONTROLLER_LIST(RUNTIME_IN_USE) },
                                           { PATCH_RT, 403, CONTROLLER_REFUSAL(403, "Forbidden") },
                                           { 0 } };
    struct fixture *f = *state;

    begin(f, rows);
    controller_run_until(f->w, runtime_failed);
    const char *t = text(f);
    assert_has(t, "\ncontroller_runtime_reconcile_total" OF_JOBS ",result=\"success\"} 0\n");
    assert_has(t, "\ncontroller_runtime_reconcile_total" OF_JOBS ",result=\"error\"} 0\n");
    assert_has(t, "\ncontroller_runtime_reconcile_total" OF_CLUSTER ",result=\"success\"} 0\n");
    assert_null(strstr(t, "\ncontroller_runtime_reconcile_errors_total" OF_CLUSTER "} 0\n"));
}

static int one_is_held(struct controller_fixture *w)
{
    return ty_trainjob_controller_synced(w->controller) &&
           w->api.n_open == w->controller->n_watched + 1;
}

/* The server does not answer: the metrics show that a reconcile takes long, and how long. */
static void test_one_that_is_being_written(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           { CONTROLLER_APPLY_SNAPSHOT, 0, NULL },
                                           { 0 } };
    struct fixture *f = *state;

    begin(f, rows);
    controller_run_until(f->w, one_is_held);
    const char *t = text(f);
    assert_has(t, "\ncontroller_runtime_active_workers" OF_JOBS "} 1\n");
    assert_has(t, "\ncontroller_runtime_reconcile_time_seconds_count" OF_JOBS "} 0\n");
    assert_null(strstr(t, "\nworkqueue_longest_running_processor_seconds" OF_JOBS NAMED "} 0\n"));
    assert_null(strstr(t, "\nworkqueue_unfinished_work_seconds" OF_JOBS NAMED "} 0\n"));
}

static int event_written(struct controller_fixture *w)
{
    struct ty_events_counts n;

    ty_events_count(w->s.events, &n);
    return n.written > 0;
}

static void test_events(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           { CONTROLLER_APPLY_SNAPSHOT, 422,
                                             CONTROLLER_REFUSAL(422, "Invalid") },
                                           { CONTROLLER_PATCH_STATUS, API_PATCHED, CONTROLLER_JOB },
                                           { "POST /apis/events.k8s.io/", 201, "{}" },
                                           { 0 } };
    struct fixture *f = *state;

    begin(f, rows);
    controller_run_until(f->w, event_written);
    const char *t = text(f);
    assert_has(t, "\ntrainyard_events_total{result=\"written\"} 1\n");
    assert_has(t, "\ntrainyard_events_total{result=\"dropped\"} 0\n");
}

/* By code, host and method, as in client-go; scraped twice, counted once. */
static void test_requests(void **state)
{
    struct fixture *f = *state;
    struct ty_apiserver_health *t = ty_apiserver_health_new(&(struct ty_apiserver_health_settings){
        .loop = &f->w->loop, .config = &f->w->api.config, .log = &f->w->log });
    char want[128];

    begin(f, NULL);
    f->servers.s.apiserver_health = t;
    assert_has(text(f), "\ntrainyard_api_server_available 1\n");
    for (int i = 0; i < 3; i++)
        ty_apiserver_health_observe(
            t, &(struct ty_kube_request_result){ .method = "GET", .code = 200, .whole = true });
    ty_apiserver_health_observe(
        t, &(struct ty_kube_request_result){ .method = "PATCH", .text = "connection refused" });
    for (int i = 0; i < 2; i++) {
        const char *now = text(f);
        snprintf(want, sizeof(want),
                 "\nrest_client_requests_total{code=\"200\",host=\"%s\",method=\"GET\"} 3\n",
                 f->w->api.url + strlen("http://"));
        assert_has(now, want);
        assert_has(now, "{code=\"<error>\",host=");
        assert_has(now, "method=\"PATCH\"} 1\n");
        assert_has(now, "\ntrainyard_api_server_available 0\n");
    }
    ty_apiserver_health_free(t);
}

#define PATH     "/validate-trainer-kubeflow-org-v1alpha1-trainjob"
#define REVIEWED "\ncontroller_runtime_webhook_requests_total{webhook=\"" PATH "\",code=\""
#define FLYING   "\ncontroller_runtime_webhook_requests_in_flight{webhook=\"" PATH "\"} "

static void test_reviews(void **state)
{
    struct fixture *f = *state;

    begin(f, NULL);
    assert_has(text(f), REVIEWED "200\"} 0\n");
    assert_has(text(f), REVIEWED "500\"} 0\n");
    ty_servers_metrics_review_started(&f->servers, TY_LIT(PATH));
    ty_servers_metrics_review_started(&f->servers, TY_LIT(PATH));
    assert_has(text(f), FLYING "2\n");
    ty_servers_metrics_review_done(&f->servers, TY_LIT(PATH), 200, 0.002);
    ty_servers_metrics_review_done(&f->servers, TY_LIT(PATH), 400, 0.002);
    ty_servers_metrics_review_started(&f->servers, TY_LIT("/whatever-a-scanner-types"));
    ty_servers_metrics_review_done(&f->servers, TY_LIT("/whatever-a-scanner-types"), 404, 0.002);
    const char *t = text(f);
    assert_has(t, REVIEWED "200\"} 1\n");
    assert_has(t, REVIEWED "400\"} 1\n");
    assert_has(t, FLYING "0\n");
    assert_has(t, "\ncontroller_runtime_webhook_latency_seconds_count{webhook=\"" PATH "\"} 2\n");
    assert_null(strstr(t, "scanner"));
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_one_job),
                                        T(test_a_runtime_that_fails),
                                        T(test_one_that_is_being_written),
                                        T(test_events),
                                        T(test_requests),
                                        T(test_reviews) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
