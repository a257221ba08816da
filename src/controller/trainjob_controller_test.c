/* Whose turn it is, and how many at once. What is written, fetched and watched is tested beside
 * those files; a whole operator is tests/operator. */
#include "controller/trainjob_controller_testing.h"

#define JOB(name, uid)                                                                             \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"uid\":\"" uid                     \
    "\",\"resourceVersion\":\"7\",\"generation\":1},\"spec\":{\"suspend\":true,\"runtimeRef\":{"   \
    "\"name\":\"rt\",\"kind\":\"ClusterTrainingRuntime\",\"apiGroup\":\"trainer.kubeflow.org\"},"  \
    "\"trainer\":{}}}"
#define THREE                                                                                      \
    { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200,                                             \
      CONTROLLER_LIST(JOB("a", "ua") "," JOB("b", "ub") "," JOB("c", "uc")) },                     \
    {                                                                                              \
        "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,                             \
            CONTROLLER_LIST(CONTROLLER_RUNTIME)                                                    \
    }
#define ANY_CM "PATCH /api/v1/namespaces/ns/configmaps/"

static void begin(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
}

static size_t asked(struct controller_fixture *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->api.asked.n; i++)
        n += w->api.asked.p[i] == '\n';
    return n;
}

static int two_asked(struct controller_fixture *w)
{
    return asked(w) >= 2;
}

static int three_asked(struct controller_fixture *w)
{
    return asked(w) >= 3;
}

static int half_a_second(struct controller_fixture *w)
{
    static uint64_t since;

    if (!since)
        since = uv_now(&w->loop);
    if (uv_now(&w->loop) - since < 300)
        return 0;
    since = 0;
    return 1;
}

/* Writes without an answer occupy only their own slots. */
static void test_so_many_at_once(void **state)
{
    static const struct api_row rows[] = { THREE, { ANY_CM, 0, NULL }, { 0 } };
    struct controller_fixture *w = *state;

    w->s.in_flight = 2;
    begin(w, rows);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, two_asked);
    controller_run_until(w, half_a_second);
    assert_int_equal(asked(w), 2);
    assert_int_equal(w->controller->counts.in_flight, 2);
    assert_false(ty_trainjob_controller_idle(w->controller));
    ty_trainjob_controller_configure(w->controller, 3, TY_PROTECT_SNAPSHOT); /* SIGHUP: one more */
    controller_run_until(w, three_asked);
    assert_int_equal(w->controller->counts.in_flight, 3);
}

static int all_idle(struct controller_fixture *w)
{
    return w->idle > 0 && ty_trainjob_controller_idle(w->controller);
}

/* After a drain no writes start: the next leader must not find us writing. */
static void test_rest(void **state)
{
    static const struct api_row rows[] = { THREE, { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    controller_run_until(w, controller_is_synced);
    ty_trainjob_controller_lead(w->controller);
    ty_trainjob_controller_drain(w->controller);
    controller_run_until(w, half_a_second);
    assert_true(ty_trainjob_controller_idle(w->controller));
    size_t before = asked(w);
    ty_trainjob_controller_resync(w->controller);
    controller_run_until(w, half_a_second);
    assert_int_equal(asked(w), before);
}

#define TAKEN                                                                                      \
    { ANY_CM, API_PATCHED, "{}" },                                                                 \
    {                                                                                              \
        "PATCH /apis/jobset.x-k8s.io/", API_PATCHED, "{}"                                          \
    }

static int count_of(struct controller_fixture *w, const char *part)
{
    const char *text = ty_arena_cstr(w->a, ty_buf_str(&w->api.asked));
    int n = 0;

    while ((text = strstr(text, part))) {
        n++;
        text += strlen(part);
    }
    return n;
}

static int all_made(struct controller_fixture *w)
{
    return all_idle(w) && count_of(w, "/jobsets/") >= 3;
}

/* Every job is written once, although three events enqueued it before the sync. */
static void test_once_each(void **state)
{
    static const struct api_row rows[] = { THREE, TAKEN, { 0 } };
    struct controller_fixture *w = *state;

    begin(w, rows);
    ty_trainjob_controller_resync(w->controller); /* before the sync: no effect */
    controller_run_until(w, controller_is_synced);
    ty_trainjob_controller_resync(w->controller);
    ty_trainjob_controller_resync(w->controller);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, all_made);
    assert_int_equal(count_of(w, "/configmaps/"), 3);
    assert_int_equal(count_of(w, "/jobsets/"), 3);
    assert_int_equal(w->synced, 1);
    assert_int_equal(w->controller->counts.in_flight, 0);
}

static int others_made(struct controller_fixture *w)
{
    return count_of(w, "/jobsets/") >= 2 && controller_errors(w) > 0;
}

/* A failed key backs off; others do not wait for it. */
static void test_one_fails(void **state)
{
    static const struct api_row rows[] = {
        THREE, { ANY_CM "a-", 422, CONTROLLER_REFUSAL(422, "Invalid") }, TAKEN, { 0 }
    };
    struct controller_fixture *w = *state;

    begin(w, rows);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, others_made);
    assert_int_equal(count_of(w, "/jobsets/a\n"), 0);
    assert_int_equal(count_of(w, "/jobsets/b\n"), 1);
    assert_int_equal(count_of(w, "/jobsets/c\n"), 1);
}

static int failed_often(struct controller_fixture *w)
{
    return controller_errors(w) >= 3 * 7 && ty_trainjob_controller_idle(w->controller);
}

/* After an outage of the API server no key waits for the rest of its back-off. */
static void test_hurry(void **state)
{
    static const struct api_row refused[] = {
        THREE, { ANY_CM, 401, CONTROLLER_REFUSAL(401, "Unauthorized") }, { 0 }
    };
    static const struct api_row taken[] = { THREE, TAKEN, { 0 } };
    struct controller_fixture *w = *state;

    begin(w, refused);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, failed_often);
    assert_true(controller_queue_delayed(w));
    w->api.rows = taken;
    ty_trainjob_controller_retry_now(w->controller);
    assert_false(controller_queue_delayed(w));
    assert_int_equal(controller_queue_depth(w), 3);
    controller_run_until(w, all_made);
}

/* Frees it: no more requests and no callbacks. */
static void free_and_wait(struct controller_fixture *w)
{
    size_t requests = asked(w);
    int idle = w->idle, synced = w->synced;

    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
    controller_run_until(w, half_a_second);
    assert_int_equal(asked(w), requests);
    assert_int_equal(w->idle, idle);
    assert_int_equal(w->synced, synced);
}

static void test_freed_at_any_time(void **state)
{
    static const struct api_row rows[] = { THREE, { ANY_CM, 0, NULL }, { 0 } };
    struct controller_fixture *w = *state;

    ty_trainjob_controller_free(NULL);
    begin(w, rows); /* nothing has been listed yet */
    free_and_wait(w);
    assert_int_equal(w->synced, 0);
    begin(w, rows);
    controller_run_until(w,
                         controller_is_synced); /* the TrainJobs wait in the queue for a leader */
    assert_int_equal(ty_queue_kind(w->controller->queue, TY_CONTROLLER_TRAINJOB)->depth, 3);
    free_and_wait(w);
    assert_int_equal(asked(w), 0);
    begin(w, rows);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, three_asked); /* writes are in flight, and are never answered */
    free_and_wait(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_so_many_at_once), CONTROLLER_TEST(test_rest),
        CONTROLLER_TEST(test_once_each),       CONTROLLER_TEST(test_one_fails),
        CONTROLLER_TEST(test_hurry),           CONTROLLER_TEST(test_freed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
