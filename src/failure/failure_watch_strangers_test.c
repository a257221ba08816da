/* Pods that are not what they say, attempts that follow each other, pods that are deleted. */
#include "failure/failure_watch_testing.h"

#define FIRST  "j-node-0-0-aaaaa"
#define SECOND "j-node-0-0-bbbbb"
#define THIRD  "j-node-0-1-ccccc"
#define JOB_AT(uid, version)                                                                       \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"" uid                            \
    "\",\"resourceVersion\":\"" version "\","                                                      \
    "\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"spec\":{\"runtimeRef\":{\"name\":\"rt\","   \
    "\"kind\":\"ClusterTrainingRuntime\",\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}}}"
#define JOB JOB_AT("u1", "7")
#define JOBSET_AT(uid, job, version, restarts)                                                     \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"" uid                            \
    "\",\"resourceVersion\":\"" version "\","                                                      \
    "\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":"             \
    "\"TrainJob\",\"name\":\"j\",\"uid\":\"" job                                                   \
    "\",\"controller\":true}]},\"spec\":{\"suspend\":"                                             \
    "false},\"status\":{\"restarts\":" restarts "}}"
#define JOBSET(restarts) JOBSET_AT("s1", "u1", "6", restarts)
#define WATCH_TRAINJOBS  "GET " CONTROLLER_GROUP "/trainjobs?watch"
#define WATCH_JOBSETS    "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?watch"
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

/* The pod with another character behind `before`. */
static const char *with_char(struct controller_fixture *w, const char *pod, const char *before,
                             char is)
{
    char *text = ty_arena_cstr(w->a, ty_str(pod));
    char *at = strstr(text, before);

    at[strlen(before)] = is;
    return text;
}

static const char *of_attempt(struct controller_fixture *w, const char *pod, char attempt)
{
    return with_char(w, pod, "restart-attempt\":\"", attempt);
}

static const char *of_jobset(struct controller_fixture *w, const char *pod, char number)
{
    return with_char(w, pod, "jobset-uid\":\"s", number);
}

static const char *list_of(struct controller_fixture *w, const char *one, const char *two)
{
    return ty_arena_printf(w->a, CONTROLLER_LIST("%s%s%s"), one, two[0] ? "," : "", two);
}

static void send_event_of(struct controller_fixture *w, const char *watch, const char *type,
                          const char *object)
{
    while (!api_holds(&w->api, watch))
        uv_run(&w->loop, UV_RUN_ONCE);
    api_answer(&w->api, watch,
               ty_str(ty_arena_printf(w->a, "{\"type\":\"%s\",\"object\":%s}\n", type, object)));
}

static void send_event(struct controller_fixture *w, const char *type, const char *pod)
{
    send_event_of(w, WATCH_PODS "&watch", type, pod);
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

static int has_first(struct controller_fixture *w)
{
    return watch_of(w)->watch->synced &&
           ty_object_table_get(&watch_of(w)->watch->pods, &ty_kind_pod, TY_LIT("ns"),
                               TY_LIT(FIRST)) != NULL;
}

static int has_no_first(struct controller_fixture *w)
{
    return !has_first(w);
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

/* A TrainJob was deleted and created again under its name while a pod of the old one is still
 * there: neither its end nor its log is of the new one. */
static void test_a_pod_of_another_jobset(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const char *old = of_jobset(w, watch_pod(w->a, FIRST, "0", "", "3", WATCH_EXITED(1)), '0');
    const char *running = of_jobset(w, watch_pod(w->a, THIRD, "1", "", "3", WATCH_RUNNING), '0');
    const char *own = watch_pod(w->a, SECOND, "0", "", "4", WATCH_EXITED(1));
    const struct api_row rows[] = {
        OBJECTS("0"),
        { WATCH_PODS "&limit", 200, list_of(w, ty_arena_printf(w->a, "%s,%s", old, running), own) },
        { WATCH_LOG(FIRST), 200, ERROR_OF("old") },
        { WATCH_LOG(THIRD), 200, ERROR_OF("old") },
        { WATCH_LOG(SECOND), 200, ERROR_OF("mine") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, has_one);
    assert_non_null(strstr(job_of(w)->note, "ValueError: mine"));
    assert_int_equal(f->watch->counts.log_requests, 1);
    assert_int_equal(f->watch->pods.n, 1);
}

static int has_no_trainjob(struct controller_fixture *w)
{
    return !ty_cache_get(w->controller->cache, &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));
}

static int is_recreated(struct controller_fixture *w)
{
    const struct ty_cached *jobset =
        ty_cache_get(w->controller->cache, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("j"));

    return !has_no_trainjob(w) && jobset && strcmp(jobset->id.uid, "s2") == 0;
}

static int has_other_jobset(struct controller_fixture *w)
{
    return ty_cache_get(w->controller->cache, &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("k")) &&
           ty_cache_get(w->controller->cache, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("k"));
}

static int has_moved(struct controller_fixture *w)
{
    const struct ty_failure_job *other =
        ty_failure_watch_find(watch_of(w)->watch, TY_LIT("ns"), TY_LIT("k"));

    return other && other->pods;
}

/* The same, and the pod was known before: nothing has changed of it since. */
static void test_a_known_pod_of_a_deleted_trainjob(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const struct api_row rows[] = {
        OBJECTS("0"),
        { WATCH_PODS "&limit", 200,
          list_of(w, watch_pod(w->a, FIRST, "0", "", "3", WATCH_RUNNING), "") },
        { WATCH_LOG(FIRST), 200, ERROR_OF("old") },
        { WATCH_LOG(SECOND), 200, ERROR_OF("mine") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, has_first);
    send_event_of(w, WATCH_TRAINJOBS, "DELETED", JOB_AT("u1", "30"));
    controller_run_until(w, has_no_trainjob);
    send_event_of(w, WATCH_JOBSETS, "DELETED", JOBSET_AT("s1", "u1", "31", "0"));
    send_event_of(w, WATCH_TRAINJOBS, "ADDED", JOB_AT("u2", "32"));
    send_event_of(w, WATCH_JOBSETS, "ADDED", JOBSET_AT("s2", "u2", "33", "0"));
    controller_run_until(w, is_recreated);
    send_event(w, "ADDED",
               of_jobset(w, watch_pod(w->a, SECOND, "0", "", "34", WATCH_EXITED(1)), '2'));
    controller_run_until(w, has_one);
    assert_int_equal(f->watch->counts.log_requests, 1);
    assert_non_null(strstr(job_of(w)->note, "ValueError: mine"));
    /* With the next change it is forgotten. */
    send_event(w, "MODIFIED", watch_pod(w->a, FIRST, "0", "", "35", WATCH_EXITED(1)));
    controller_run_until(w, has_no_first);
    assert_int_equal(job_of(w)->pods, 1);
}

/* The Job is one of TrainJob "j-x", whose name begins like this one's. */
static void test_a_job_of_a_longer_name(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    char *other =
        ty_arena_cstr(w->a, ty_str(watch_pod(w->a, FIRST, "0", "", "3", WATCH_EXITED(1))));
    memcpy(strstr(other, "j-node-0\""), "j-x-no-0", strlen("j-x-no-0"));
    const struct api_row rows[] = {
        OBJECTS("0"),
        { WATCH_PODS "&limit", 200,
          list_of(w, other, watch_pod(w->a, SECOND, "0", "", "4", WATCH_EXITED(1))) },
        { WATCH_LOG(SECOND), 200, ERROR_OF("mine") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, has_one);
    assert_int_equal(f->watch->pods.n, 1);
}

/* The last pod of a deleted TrainJob becomes one of another: nothing is kept of the first. */
static void test_a_pod_changes_its_trainjob(void **state)
{
    struct watch_fixture *f = *state;
    struct controller_fixture *w = f->w;
    const char *moved = watch_pod(w->a, FIRST, "0", "", "34", WATCH_RUNNING);
    const struct api_row rows[] = {
        OBJECTS("0"),
        { WATCH_PODS "&limit", 200,
          list_of(w, watch_pod(w->a, FIRST, "0", "", "3", WATCH_RUNNING), "") },
        { 0 }
    };

    watch_begin(f, rows);
    controller_run_until(w, has_first);
    send_event_of(w, WATCH_TRAINJOBS, "DELETED", JOB_AT("u1", "30"));
    controller_run_until(w, has_no_trainjob);
    send_event_of(w, WATCH_TRAINJOBS, "ADDED",
                  with_char(w, JOB_AT("u2", "32"), "\"name\":\"", 'k'));
    send_event_of(w, WATCH_JOBSETS, "ADDED",
                  with_char(w, JOBSET_AT("s2", "u2", "33", "0"), "\"name\":\"", 'k'));
    controller_run_until(w, has_other_jobset);
    moved = with_char(w, of_jobset(w, moved, '2'), "\"kind\":\"Job\",\"name\":\"", 'k');
    send_event(w, "MODIFIED", with_char(w, moved, "jobset-name\":\"", 'k'));
    controller_run_until(w, has_moved);
    assert_null(job_of(w));
    assert_int_equal(f->watch->jobs.n, 1);
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
    assert_int_equal(f->watch->turns.alive, 0);
    assert_int_equal(f->watch->turns.active, 0);
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
        WATCH_TEST(test_a_pod_of_another_jobset),
        WATCH_TEST(test_a_known_pod_of_a_deleted_trainjob),
        WATCH_TEST(test_a_job_of_a_longer_name),
        WATCH_TEST(test_a_pod_changes_its_trainjob),
        WATCH_TEST(test_an_attempt_that_is_invented),
        WATCH_TEST(test_the_next_attempt_is_collected_too),
        WATCH_TEST(test_the_next_attempt_fails_already),
        WATCH_TEST(test_a_deleted_pod_has_no_problem),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
