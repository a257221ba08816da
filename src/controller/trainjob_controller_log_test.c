/* The lines about TrainJobs. The news comes as answers do, through the reflectors. */
#include "controller/trainjob_controller_testing.h"
#include "controller/trainjob_controller_watch.h"

#define META(uid, version)                                                                         \
    "\"metadata\":{\"name\":\"k\",\"namespace\":\"ns\",\"uid\":\"" uid                             \
    "\",\"resourceVersion\":\"" version "\""
/* Managed by another controller: its states are logged and nothing is written. */
#define JOB(version, status)                                                                       \
    "{" META("u9", version) "},\"spec\":{\"managedBy\":\"kueue.x-k8s.io/multikueue\","             \
                            "\"runtimeRef\":{\"name\":\"rt\"}},\"status\":{" status "}}"
#define SET(version, active)                                                                       \
    "{" META("s9", version) ",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"        \
                            "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"k\",\"uid\":\"u9\","      \
                            "\"controller\":true}]},\"status\":{\"replicatedJobsStatus\":[{"       \
                            "\"name\":\"node\",\"active\":" #active "}]}}"
#define CONDITION(type, reason, message)                                                           \
    "\"conditions\":[{\"type\":\"" type "\",\"status\":\"True\",\"reason\":\"" reason              \
    "\",\"message\":\"" message "\"}]"

static void begin(struct controller_fixture *w, bool leads)
{
    w->controller = ty_trainjob_controller_new(&w->s);
    if (leads)
        ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, controller_is_synced);
}

static void news(struct controller_fixture *w, const struct ty_kind *kind, const char *text)
{
    struct ty_kube_object o;

    ty_kube_object_init(ty_json_parse(w->a, ty_str(text), NULL, NULL), ty_str(text), &o);
    ty_reflector_observe_write(ty_trainjob_controller_reflect(w->controller, kind), &o);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *p = text; (p = strstr(p, part)); p++)
        n++;
    return n;
}

static void test_a_life(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, true);
    news(w, &ty_kind_trainjob, JOB("20", ""));
    assert_has(controller_log(w),
               "\"msg\":\"TrainJob created\",\"namespace\":\"ns\",\"name\":\"k\","
               "\"runtime\":\"rt\",\"suspend\":false");
    news(w, &ty_kind_jobset, SET("21", 0));
    assert_null(strstr(controller_log(w), "state changed"));
    news(w, &ty_kind_jobset, SET("22", 1));
    assert_has(controller_log(w),
               "\"msg\":\"TrainJob state changed\",\"namespace\":\"ns\",\"name\":\"k\""
               ",\"from\":\"pending\",\"state\":\"running\"");
    news(w, &ty_kind_jobset, SET("23", 2)); /* no change of state */
    news(w, &ty_kind_jobset, SET("24", 0)); /* its Jobs are done: the TrainJob reports the end */
    assert_int_equal(count(controller_log(w), "state changed"), 1);
    news(w, &ty_kind_trainjob, JOB("25", CONDITION("Failed", "FailedJobs", "it broke")));
    assert_has(controller_log(w),
               "\"state\":\"failed\",\"reason\":\"FailedJobs\",\"message\":\"it broke\"");
    assert_int_equal(count(controller_log(w), "TrainJob created"), 1);
}

static void test_suspended_and_resumed(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, true);
    news(w, &ty_kind_trainjob, JOB("20", ""));
    news(w, &ty_kind_trainjob, JOB("21", CONDITION("Suspended", "Suspended", "")));
    assert_has(controller_log(w), "\"from\":\"pending\",\"state\":\"suspended\"");
    news(w, &ty_kind_trainjob, JOB("22", ""));
    assert_has(controller_log(w), "\"from\":\"suspended\",\"state\":\"pending\"");
    assert_int_equal(count(controller_log(w), "state changed"), 2);
}

/* Condition messages are cut in the log. */
static void test_first_words_only(void **state)
{
    struct controller_fixture *w = *state;
    char *fill = ty_arena_alloc(w->a, 30001, 1);

    memset(fill, 'x', 30000);
    begin(w, true);
    news(w, &ty_kind_trainjob, JOB("20", ""));
    news(w, &ty_kind_trainjob,
         ty_arena_printf(w->a, JOB("21", CONDITION("Failed", "FailedJobs", "%s")), fill));
    assert_int_equal(count(controller_log(w), "\"state\":\"failed\""), 1);
    assert_true(strlen(controller_log(w)) < 4000);
}

/* Only the leader logs states. */
static void test_a_standby_is_silent(void **state)
{
    struct controller_fixture *w = *state;

    begin(w, false);
    news(w, &ty_kind_trainjob, JOB("20", ""));
    news(w, &ty_kind_trainjob, JOB("21", CONDITION("Complete", "AllJobsCompleted", "")));
    assert_null(strstr(controller_log(w), "TrainJob"));
}

/* Objects of the initial list were not created now. */
static void test_the_first_list_is_no_news(void **state)
{
    struct controller_fixture *w = *state;

    w->api.rows = controller_rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, controller_reconciled);
    assert_null(strstr(controller_log(w), "TrainJob created"));
    assert_has(controller_log(w),
               "\"msg\":\"applied\",\"namespace\":\"ns\",\"name\":\"j\",\"kind\":\"JobSet\","
               "\"object\":\"j\",\"code\":200,\"resourceVersion\":\"");
    assert_has(controller_log(w), "\"object\":\"j-runtime-snapshot\"");
    assert_has(controller_log(w), "\"msg\":\"wrote the status\"");
    assert_null(strstr(controller_log(w), "reconciled")); /* logged at debug only */
}

static int reconciled_idly(struct controller_fixture *w)
{
    return strstr(controller_log(w), "\"outcome\":\"nothing to write") != NULL;
}

static void test_each_reconcile_at_debug(void **state)
{
    struct controller_fixture *w = *state;

    ty_log_close(w->log.out);
    w->log.out = ty_log_open(&(struct ty_log_settings){ .level = TY_DEBUG, .fd = w->log_fd });
    w->api.rows = controller_rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, controller_reconciled);
    assert_has(controller_log(w), "{\"level\":\"debug\"");
    assert_has(controller_log(w), "\"msg\":\"reconciled\",\"controller\":\"trainjob_controller\","
                                  "\"namespace\":\"ns\",\"name\":\"j\",\"outcome\":\"written\","
                                  "\"writes\":3,");
    ty_trainjob_controller_enqueue(w->controller, TY_LIT("ns"), TY_LIT("j"));
    controller_run_until(w, reconciled_idly);
    assert_has(controller_log(w), "\"writes\":0");
}

int main(void)
{
    const struct CMUnitTest tests[] = { CONTROLLER_TEST(test_a_life),
                                        CONTROLLER_TEST(test_suspended_and_resumed),
                                        CONTROLLER_TEST(test_first_words_only),
                                        CONTROLLER_TEST(test_a_standby_is_silent),
                                        CONTROLLER_TEST(test_the_first_list_is_no_news),
                                        CONTROLLER_TEST(test_each_reconcile_at_debug) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
