/* From pods to events and conditions, over a scripted API server. */
#include "failure/failure_watch_testing.h"

#define JOB(more)                                                                                  \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\",\"resourceVersion\":\"7\"," \
    "\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"spec\":{\"runtimeRef\":{\"name\":\"rt\","   \
    "\"kind\":\"ClusterTrainingRuntime\",\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}"    \
    "}" more "}"
#define CONDITION(message)                                                                         \
    "{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"FailedJobs\",\"message\":\"" message    \
    "\",\"lastTransitionTime\":\"2026-01-02T03:04:59Z\"}"
#define FAILED_JOB(message) JOB(",\"status\":{\"conditions\":[" CONDITION(message) "]}")
#define VICTIM              "j-node-0-0-aaaaa"
#define CULPRIT             "j-node-0-1-bbbbb"
#define TRACEBACK                                                                                  \
    "step 1\nTraceback (most recent call last):\n  File \"/t.py\", line 3, in <module>\n    f()\n" \
    "ValueError: boom\n"
#define PEER_LOST                                                                                  \
    "Traceback (most recent call last):\n  File \"/t.py\", line 9, in <module>\n    g()\n"         \
    "RuntimeError: [/gloo/transport/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:1\n"
#define OBJECTS(job, jobset)                                                                       \
    { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(job) },                     \
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,                           \
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },                                                   \
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200, CONTROLLER_LIST(jobset) },      \
    {                                                                                              \
        CONTROLLER_PATCH_STATUS, API_PATCHED, job                                                  \
    }

static const char *pods_of(struct controller_fixture *w, const char *one, const char *two)
{
    return ty_arena_printf(w->a, CONTROLLER_LIST("%s%s%s"), one, two[0] ? "," : "", two);
}

static int has_note(struct controller_fixture *w)
{
    return ty_str_contains(watch_message(w), TY_LIT("; first failure: "));
}

static int has_event(struct controller_fixture *w)
{
    return api_holds(&w->api, WATCH_EVENTS);
}

static int has_both(struct controller_fixture *w)
{
    return has_note(w) && has_event(w);
}

static int pods_are_listed(struct controller_fixture *w)
{
    return watch_of(w)->watch->synced && ty_trainjob_controller_idle(w->controller) &&
           w->controller->counts.reconciles > 0 && api_holds(&w->api, WATCH_PODS "&watch");
}

static const struct ty_json *held_event(struct controller_fixture *w)
{
    const struct ty_http_request *q = api_peek(&w->api, WATCH_EVENTS);

    return ty_json_parse(w->a, q->body, NULL, NULL);
}

/* The victim exits first; the culprit has written its traceback and is stopped for the victim. */
static void test_cascade(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const char *list =
        pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_EXITED(1)),
                watch_pod(w->a, CULPRIT, "1", ",\"deletionTimestamp\":\"2026-01-02T03:04:58Z\"",
                          "4", WATCH_RUNNING));
    const struct api_row rows[] = { OBJECTS(FAILED_JOB(WATCH_WORDS),
                                            WATCH_JOBSET(CONDITION(WATCH_WORDS))),
                                    { WATCH_PODS "&limit", 200, list },
                                    { WATCH_LOG(VICTIM), 200, PEER_LOST },
                                    { WATCH_LOG(CULPRIT), 200, TRACEBACK },
                                    { WATCH_EVENTS, 0, NULL },
                                    { 0 } };

    watch_begin(f, rows);
    controller_run_until(w, has_both);
    assert_true(ty_str_starts(watch_message(w),
                              TY_LIT(WATCH_WORDS "; first failure: node-0-1: ValueError: boom")));
    const struct ty_json *event = held_event(w);
    assert_true(ty_str_is(ty_json_str_at(event, "reason"), "FirstFailure"));
    /* The same name from each leader: the API server has one at most. */
    assert_true(ty_str_is(ty_json_str_at(event, "metadata.name"), "j.u1.first-failure-0"));
    assert_true(ty_str_is(ty_json_str_at(event, "type"), "Warning"));
    assert_true(ty_str_contains(ty_json_str_at(event, "note"), TY_LIT("ValueError: boom")));
    assert_int_equal(f->watch->counts.summaries, 1);
    assert_int_equal(f->watch->counts.log_requests, 2);
    const struct ty_cached *o =
        ty_cache_get(w->controller->cache, &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));
    const struct ty_json *status = ty_json_get(ty_cache_parse(w->a, o), "status");
    assert_true(ty_str_is(ty_json_str_at(ty_condition_find(status, "Failed"), "lastTransitionTime"),
                          "2026-01-02T03:04:59Z"));
}

static int is_over(struct controller_fixture *w)
{
    const struct ty_failure_job *job =
        ty_failure_watch_find(watch_of(w)->watch, TY_LIT("ns"), TY_LIT("j"));

    return job && job->collection && ty_failure_collection_is_over(job->collection);
}

/* Logs are judged one by one, in as many turns of the loop: other work has its turns between. */
static void test_turns_of_the_judge(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const char *list = pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_EXITED(1)),
                               watch_pod(w->a, CULPRIT, "1", "", "4", WATCH_EXITED(1)));
    const struct api_row rows[] = { OBJECTS(JOB(""), WATCH_JOBSET("")),
                                    { WATCH_PODS "&limit", 200, list },
                                    { WATCH_LOG(VICTIM), 200, PEER_LOST },
                                    { WATCH_LOG(CULPRIT), 200, TRACEBACK },
                                    { WATCH_EVENTS, 0, NULL },
                                    { 0 } };
    int turns = 0;

    watch_begin(f, rows);
    while (!is_over(w))
        uv_run(&w->loop, UV_RUN_ONCE);
    for (; !f->watch->counts.summaries; turns++)
        uv_run(&w->loop, UV_RUN_ONCE);
    assert_in_range(turns, 2, 4);
    controller_run_until(w, has_event);
    assert_true(ty_str_contains(ty_json_str_at(held_event(w), "note"), TY_LIT("ValueError: boom")));
    assert_int_equal(f->watch->turns.active, 0);
    assert_int_equal(f->watch->turns.alive, 0);
}

/* Half a thousand jobs that fail together are collected, and not more. */
static void test_as_many_as_may_wait(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS(JOB(""), WATCH_JOBSET("")),
        { WATCH_PODS "&limit", 200,
          pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_RUNNING), "") },
        { WATCH_LOG(VICTIM), 0, NULL },
        { 0 }
    };
    const struct ty_json *pod = ty_json_parse(
        w->a, ty_str(watch_pod(w->a, VICTIM, "0", "", "5", WATCH_EXITED(1))), NULL, NULL);
    struct ty_failure_pod_state is;

    watch_begin(f, rows);
    controller_run_until(w, pods_are_listed);
    struct ty_failure_job *job = ty_failure_watch_find(f->watch, TY_LIT("ns"), TY_LIT("j"));
    ty_failure_job_read_pod(w->a, pod, TY_LIT("j"), &is);
    f->watch->turns.alive = TY_FAILURE_WATCH_COLLECTIONS;
    ty_failure_watch_failed(job, pod, &is);
    assert_null(job->collection);
    f->watch->turns.alive = TY_FAILURE_WATCH_COLLECTIONS - 1;
    ty_failure_watch_failed(job, pod, &is);
    assert_non_null(job->collection);
    assert_int_equal(f->watch->turns.alive, TY_FAILURE_WATCH_COLLECTIONS);
}

/* Its container ends when nothing is collected any more, and its log is gone with its pod. */
static void test_the_culprit_ends_late(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const char *deleted = ",\"deletionTimestamp\":\"2026-01-02T03:04:58Z\"";
    const char *list = pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_EXITED(1)),
                               watch_pod(w->a, CULPRIT, "1", deleted, "4", WATCH_RUNNING));
    const struct api_row rows[] = { OBJECTS(JOB(""), WATCH_JOBSET("")),
                                    { WATCH_PODS "&limit", 200, list },
                                    { WATCH_LOG(VICTIM), 200, PEER_LOST },
                                    { WATCH_LOG(CULPRIT), 200, TRACEBACK },
                                    { WATCH_EVENTS, 0, NULL },
                                    { 0 } };
    struct ty_failure_pod_state is;

    watch_begin(f, rows);
    controller_run_until(w, has_event);
    struct ty_failure_job *job = ty_failure_watch_find(f->watch, TY_LIT("ns"), TY_LIT("j"));
    const struct ty_json *pod = ty_json_parse(
        w->a, ty_str(watch_pod(w->a, CULPRIT, "1", deleted, "5", WATCH_EXITED(137))), NULL, NULL);
    ty_failure_job_read_pod(w->a, pod, TY_LIT("j"), &is);
    ty_failure_watch_failed(job, pod, &is);
    assert_null(job->collection);
    assert_non_null(strstr(job->note, "node-0-1: ValueError: boom"));
}

/* After a restart: the status has the summary, so nothing is read and nothing written. */
static void test_summary_is_stored(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS(FAILED_JOB(WATCH_WORDS "; first failure: node-0-1: ValueError: boom"),
                WATCH_JOBSET(CONDITION(WATCH_WORDS))),
        { WATCH_PODS "&limit", 200,
          pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_EXITED(1)), "") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, pods_are_listed);
    assert_int_equal(f->watch->counts.log_requests, 0);
    assert_null(ty_failure_watch_find(f->watch, TY_LIT("ns"), TY_LIT("j"))->collection);
    assert_null(strstr(api_asked(&w->api, w->a), "PATCH"));
    assert_int_equal(
        ty_object_table_get(&f->watch->pods, &ty_kind_pod, TY_LIT("ns"), TY_LIT(VICTIM)) != NULL,
        1);
}

/* Logs may not be read: the exit code is all there is, and one line tells of the right. */
static void test_no_right_to_logs(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS(FAILED_JOB(WATCH_WORDS), WATCH_JOBSET(CONDITION(WATCH_WORDS))),
        { WATCH_PODS "&limit", 200,
          pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_EXITED(3)), "") },
        { WATCH_LOG(VICTIM), 403, CONTROLLER_REFUSAL(403, "Forbidden") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, has_note);
    assert_true(ty_str_contains(watch_message(w), TY_LIT("exit code 3")));
    assert_non_null(strstr(controller_log(w), "may not get pods/log"));
}

static int is_refused(struct controller_fixture *w)
{
    return watch_of(w)->watch->refused && ty_trainjob_controller_idle(w->controller);
}

/* Pods may not be watched: everything else goes on. */
static void test_no_right_to_pods(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = { OBJECTS(JOB(""), WATCH_JOBSET(CONDITION(WATCH_WORDS))),
                                    { WATCH_PODS "&limit", 403,
                                      CONTROLLER_REFUSAL(403, "Forbidden") },
                                    { 0 } };

    watch_begin(f, rows);
    controller_run_until(w, is_refused);
    assert_non_null(strstr(controller_log(w), "may not list and watch pods"));
    controller_run_until(w, controller_reconciled);
    assert_true(ty_str_is(watch_message(w), WATCH_WORDS));
}

/* Pods of JobSets that no TrainJob controls take no memory. */
static void test_foreign_pods(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        { WATCH_PODS "&limit", 200,
          pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", WATCH_EXITED(1)), "") },
        { 0 }
    };

    watch_begin(f, rows);
    while (!f->watch->synced)
        uv_run(&w->loop, UV_RUN_ONCE);
    assert_int_equal(f->watch->jobs.n, 0);
    struct ty_failure_watch_counts counts;
    ty_failure_watch_count(f->watch, &counts);
    assert_int_equal(counts.pods, 0);
}

#define UNSCHEDULABLE                                                                              \
    "{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","      \
    "\"reason\":\"Unschedulable\",\"message\":\"0/3 nodes are available: 3 Insufficient cpu.\"}]}"

/* What the last leader has seen before has its event; as long as it lasts it is the suffix. */
static void test_problem(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS(FAILED_JOB(WATCH_WORDS), WATCH_JOBSET(CONDITION(WATCH_WORDS))),
        { WATCH_PODS "&limit", 200,
          pods_of(w, watch_pod(w->a, VICTIM, "0", "", "3", UNSCHEDULABLE), "") },
        { WATCH_EVENTS, 0, NULL },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, pods_are_listed);
    const struct ty_cached *o =
        ty_cache_get(w->controller->cache, &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));
    assert_true(ty_str_contains(ty_failure_watch_note(f->watch, o),
                                TY_LIT("node-0-0 cannot be scheduled: 0/3 nodes are available")));
    assert_int_equal(f->watch->counts.problems, 0);
    /* News of another problem become an event. */
    api_answer(&w->api, WATCH_PODS "&watch",
               ty_str(ty_arena_printf(
                   w->a, "{\"type\":\"MODIFIED\",\"object\":%s}\n",
                   watch_pod(w->a, VICTIM, "0", "", "30",
                             "{\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"The node "
                             "was low on resource: memory.\"}"))));
    controller_run_until(w, has_event);
    assert_true(ty_str_is(ty_json_str_at(held_event(w), "reason"), "Evicted"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCH_TEST(test_turns_of_the_judge),
        WATCH_TEST(test_as_many_as_may_wait),
        WATCH_TEST(test_cascade),
        WATCH_TEST(test_the_culprit_ends_late),
        WATCH_TEST(test_summary_is_stored),
        WATCH_TEST(test_no_right_to_logs),
        WATCH_TEST(test_no_right_to_pods),
        WATCH_TEST(test_foreign_pods),
        WATCH_TEST(test_problem),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
