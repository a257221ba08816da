/* Pods that are not what they say, attempts that follow each other, pods that are deleted. */
#include "failure/failure_watch_testing.h"

#define FIRST  "j-node-0-0-aaaaa"
#define SECOND "j-node-0-0-bbbbb"
#define JOB                                                                                        \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\",\"resourceVersion\":\"7\"," \
    "\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"spec\":{\"runtimeRef\":{\"name\":\"rt\","   \
    "\"kind\":\"ClusterTrainingRuntime\",\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}}}"
#define JOBSET(restarts)                                                                           \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s1\",\"resourceVersion\":\"6\"," \
    "\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":"             \
    "\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]},\"spec\":{\"suspend\":"     \
    "false},\"status\":{\"restarts\":" restarts "}}"
#define OBJECTS(restarts)                                                                          \
    { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(JOB) },                     \
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,                           \
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },                                                   \
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200,                                 \
          CONTROLLER_LIST(JOBSET(restarts)) },                                                     \
        { CONTROLLER_PATCH_STATUS, API_PATCHED, JOB },                                             \
    {                                                                                              \
        WATCH_EVENTS, 201, "{}"                                                                    \
    }
#define ERROR_OF(word)                                                                             \
    "Traceback (most recent call last):\n  File \"/t.py\", line 3, in <module>\n    f()\n"         \
    "ValueError: " word "\n"
#define UNSCHEDULABLE                                                                              \
    "{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","      \
    "\"reason\":\"Unschedulable\",\"message\":\"0/3 nodes are available\"}]}"

/* A pod with everything but an owner. */
static const char *stray_pod(struct controller_fixture *w, const char *status)
{
    return ty_arena_printf(
        w->a,
        "{\"metadata\":{\"name\":\"stray\",\"namespace\":\"ns\",\"uid\":\"x\",\"resourceVersion\":"
        "\"2\",\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"j\","
        "\"jobset.sigs.k8s.io/restart-attempt\":\"0\"}},\"spec\":{\"hostname\":\"j-node-0-1\","
        "\"containers\":[{\"name\":\"node\"}]},\"status\":%s}",
        status);
}

static const char *of_attempt(struct controller_fixture *w, const char *pod, char attempt)
{
    char *text = ty_arena_cstr(w->a, ty_str(pod));
    char *at = strstr(text, "restart-attempt\":\"");

    at[strlen("restart-attempt\":\"")] = attempt;
    return text;
}

static const char *list_of(struct controller_fixture *w, const char *one, const char *two)
{
    return ty_arena_printf(w->a, CONTROLLER_LIST("%s%s%s"), one, two[0] ? "," : "", two);
}

static void send_event(struct controller_fixture *w, const char *type, const char *pod)
{
    while (!api_holds(&w->api, WATCH_PODS "&watch"))
        uv_run(&w->loop, UV_RUN_ONCE);
    api_answer(&w->api, WATCH_PODS "&watch",
               ty_str(ty_arena_printf(w->a, "{\"type\":\"%s\",\"object\":%s}\n", type, pod)));
}

static struct ty_failure_job *job_of(struct controller_fixture *w)
{
    return ty_failure_watch_find(watch_of(w)->watch, TY_LIT("ns"), TY_LIT("j"));
}

static int has_one(struct controller_fixture *w)
{
    return watch_of(w)->watch->counts.summaries >= 1;
}

static int is_reading(struct controller_fixture *w)
{
    return api_holds(&w->api, WATCH_LOG(FIRST)) && api_holds(&w->api, WATCH_PODS "&watch");
}

static int collects_nothing(struct controller_fixture *w)
{
    return job_of(w) && !job_of(w)->collection;
}

static int has_second(struct controller_fixture *w)
{
    return ty_object_table_get(&watch_of(w)->watch->pods, &ty_kind_pod, TY_LIT("ns"),
                               TY_LIT(SECOND)) != NULL;
}

static int has_problem(struct controller_fixture *w)
{
    return job_of(w) && job_of(w)->problem;
}

static int has_no_pods(struct controller_fixture *w)
{
    return watch_of(w)->watch->pods.n == 0;
}

/* A label makes no pod of a job: its log is not read. */
static void test_a_stray_pod_says_nothing(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = { OBJECTS("0"),
                                    { WATCH_PODS "&limit", 200,
                                      list_of(
                                          w, stray_pod(w, WATCH_EXITED(1)),
                                          watch_pod(w->a, FIRST, "0", "", "4", WATCH_EXITED(1))) },
                                    { WATCH_LOG(FIRST), 200, ERROR_OF("mine") },
                                    { 0 } };

    watch_begin(f, rows);
    controller_run_until(w, has_one);
    assert_non_null(strstr(job_of(w)->note, "ValueError: mine"));
    assert_int_equal(f->watch->counts.log_requests, 1);
    assert_int_equal(f->watch->pods.n, 1);
}

/* Of a Job of the JobSet, but of an attempt that JobSet has not begun. */
static void test_an_attempt_that_is_invented(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS("0"),
        { WATCH_PODS "&limit", 200,
          list_of(w, of_attempt(w, watch_pod(w->a, SECOND, "0", "", "3", WATCH_RUNNING), '7'),
                  watch_pod(w->a, FIRST, "0", "", "4", WATCH_EXITED(1))) },
        { WATCH_LOG(FIRST), 200, ERROR_OF("mine") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, has_one);
    assert_int_equal(job_of(w)->attempt, 0);
}

/* The collection of an attempt ends when pods of the next one exist: that one is its own story. */
static void test_the_next_attempt_is_collected_too(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS("1"),
        { WATCH_PODS "&limit", 200,
          list_of(w, watch_pod(w->a, FIRST, "0", "", "3", WATCH_EXITED(1)), "") },
        { WATCH_LOG(FIRST), 0, NULL },
        { WATCH_LOG(SECOND), 200, ERROR_OF("second") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, is_reading);
    send_event(w, "ADDED",
               of_attempt(w, watch_pod(w->a, SECOND, "0", "", "30", WATCH_RUNNING), '1'));
    controller_run_until(w, has_second);
    api_answer(&w->api, WATCH_LOG(FIRST), TY_LIT(ERROR_OF("first")));
    controller_run_until(w, collects_nothing);
    assert_false(job_of(w)->noted);
    assert_int_equal(job_of(w)->said_ms, 0);
    send_event(w, "MODIFIED",
               of_attempt(w, watch_pod(w->a, SECOND, "0", "", "40", WATCH_EXITED(1)), '1'));
    controller_run_until(w, has_one);
    assert_non_null(strstr(job_of(w)->note, "ValueError: second"));
}

static const char *name_of_held_event(struct controller_fixture *w)
{
    const struct ty_json *event = NULL;

    if (api_holds(&w->api, WATCH_EVENTS))
        event = ty_json_parse(w->a, api_peek(&w->api, WATCH_EVENTS)->body, NULL, NULL);
    return ty_arena_cstr(w->a, ty_json_str_at(event, "metadata.name"));
}

static int has_first_event(struct controller_fixture *w)
{
    return strcmp(name_of_held_event(w), "j.u1.first-failure-0") == 0;
}

static int has_second_event(struct controller_fixture *w)
{
    return strcmp(name_of_held_event(w), "j.u1.first-failure-1") == 0;
}

/* The next attempt fails while the logs of the last are still being read: that one is judged with
 * what there is. */
static void test_the_next_attempt_fails_already(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        { WATCH_EVENTS, 0, NULL },
        OBJECTS("1"),
        { WATCH_PODS "&limit", 200,
          list_of(w, watch_pod(w->a, FIRST, "0", "", "3", WATCH_EXITED(1)), "") },
        { WATCH_LOG(FIRST), 0, NULL },
        { WATCH_LOG(SECOND), 200, ERROR_OF("second") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, is_reading);
    send_event(w, "ADDED",
               of_attempt(w, watch_pod(w->a, SECOND, "0", "", "30", WATCH_EXITED(1)), '1'));
    controller_run_until(w, has_first_event);
    api_answer(&w->api, WATCH_EVENTS, TY_LIT("{}"));
    controller_run_until(w, has_second_event);
    assert_non_null(strstr(job_of(w)->note, "ValueError: second"));
    assert_null(job_of(w)->last);
    assert_int_equal(f->watch->alive, 0);
    assert_int_equal(f->watch->active, 0);
}

static void test_a_deleted_pod_has_no_problem(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = { OBJECTS("0"),
                                    { WATCH_PODS "&limit", 200, CONTROLLER_LIST("") },
                                    { 0 } };

    watch_begin(f, rows);
    send_event(w, "ADDED", watch_pod(w->a, FIRST, "0", "", "30", UNSCHEDULABLE));
    controller_run_until(w, has_problem);
    send_event(w, "DELETED", watch_pod(w->a, FIRST, "0", "", "31", UNSCHEDULABLE));
    controller_run_until(w, has_no_pods);
    assert_null(job_of(w) ? job_of(w)->problem : NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCH_TEST(test_a_stray_pod_says_nothing),
        WATCH_TEST(test_an_attempt_that_is_invented),
        WATCH_TEST(test_the_next_attempt_is_collected_too),
        WATCH_TEST(test_the_next_attempt_fails_already),
        WATCH_TEST(test_a_deleted_pod_has_no_problem),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
