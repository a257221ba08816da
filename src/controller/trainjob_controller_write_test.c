#include "controller/trainjob_controller_testing.h"

/* One look at the job, over a server that answers so. */
static const char *reconcile_once(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, controller_reconciled);
    return api_asked(&w->api, w->a);
}

static void test_in_order(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
    };
    struct controller_fixture *w = *state;

    assert_string_equal(reconcile_once(w, rows), JOBS_CM "\n" JOBS_SET "\n" JOBS_STATUS "\n");
    assert_int_equal(w->jobs->counts.applies, 2);
    assert_int_equal(controller_errors(w), 0);
    assert_non_null(/* what was answered is known, before the watch tells it */
                    ty_cache_get(ty_trainjob_controller_cache(w->jobs), &ty_kind_jobset,
                                 TY_LIT("ns"), TY_LIT("j")));
    const struct ty_cached *cm =
        ty_cache_get(ty_trainjob_controller_cache(w->jobs), &ty_kind_configmap, TY_LIT("ns"),
                     TY_LIT("j-runtime-snapshot"));
    assert_non_null(cm);
    assert_non_null(cm->body); /* nobody has to fetch it again */
}

/* A JobSet must not come before what its pods mount; the status says what we know. */
static void test_a_refused_apply_cancels_the_next(void **state)
{
    static const struct {
        int code;
        const char *body, *said;
    } cases[] = {
        { 422, JOBS_REFUSED(422, "Invalid"), "because" },
        { 409, JOBS_REFUSED(409, "Conflict"), "because" },
        { 403, JOBS_REFUSED(403, "Forbidden"), "because" },
        { 500, "", "could not apply ConfigMap j-runtime-snapshot" },
        { 200, "garbage", "could not apply ConfigMap j-runtime-snapshot" },
        { 200, "{\"half\":", "could not apply ConfigMap j-runtime-snapshot" },
        { 404, "404 page not found",
          "no matches for kind \\\"ConfigMap\\\" in version \\\"v1\\\"" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct api_row rows[] = {
            JOBS_ONE, { JOBS_CM, cases[i].code, cases[i].body }, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
        };
        struct controller_fixture *w = NULL;
        if (i > 0)
            controller_setup(state);
        w = *state;
        const char *asked = reconcile_once(w, rows);
        assert_true(ty_str_starts(ty_str(asked), TY_LIT(JOBS_CM "\n" JOBS_STATUS "\n")));
        assert_null(strstr(asked, JOBS_SET));
        assert_true(controller_errors(w) > 0);
        assert_has(controller_log(w), cases[i].said);
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            controller_teardown(state);
    }
}

#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":" #code ",\"reason\":\"" reason           \
    "\",\"message\":\"" message "\"}"

static int tried_again(struct controller_fixture *w)
{
    const struct ty_key key = { TY_CONTROLLER_TRAINJOB, TY_LIT("ns"), TY_LIT("j") };

    return ty_queue_failures(w->jobs->queue, key) > 2 && ty_trainjob_controller_idle(w->jobs);
}

static const struct ty_json *status_of(struct controller_fixture *w)
{
    const struct ty_cached *job = ty_cache_get(ty_trainjob_controller_cache(w->jobs),
                                               &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));

    return ty_json_get(ty_cache_parse(w->a, job), "status");
}

static void lead_until(struct controller_fixture *w, const struct api_row *rows,
                       int (*enough)(struct controller_fixture *w))
{
    w->api.rows = rows;
    if (!w->jobs)
        w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, enough);
}

/* What admission refuses makes the job Failed; what may work in a moment does not. */
static void test_refused_for_good(void **state)
{
#define SAYS(code, reason, message) code, STATUS(code, reason, message)
    static const struct {
        int code;
        const char *body;
        bool failed;
    } cases[] = {
        { SAYS(403, "Forbidden", "admission webhook denied the request: too long"), true },
        { SAYS(403, "Forbidden", "jobsets \\\"j\\\" is forbidden: exceeded quota: q"), true },
        { SAYS(422, "Invalid", "not today"), true },
        { SAYS(400, "BadRequest", "what is this"), true },
        { SAYS(409, "Conflict", "changed"), false },
        { SAYS(500, "InternalError", "failed calling webhook"), false },
        { SAYS(403, "Forbidden",
               "jobsets \\\"j\\\" is forbidden: User \\\"me\\\" cannot patch resource"),
          false },
        { SAYS(403, "Forbidden", "no new content in ns because it is being terminated"), false },
        { 403, "a proxy says no", false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct api_row rows[] = {
            JOBS_ONE, JOBS_GOOD_CM, { JOBS_SET, cases[i].code, cases[i].body }, JOBS_GOOD_ST, { 0 }
        };
        if (i > 0)
            controller_setup(state);
        struct controller_fixture *w = *state;
        lead_until(w, rows, tried_again);
        if (ty_trainjob_is_refused(status_of(w)) != cases[i].failed)
            fail_msg("%s: %s", cases[i].body, ty_json_text(w->a, status_of(w)).p);
        const char *once = strstr(api_asked(&w->api, w->a), JOBS_STATUS);
        assert_true(once && !strstr(once + 1, JOBS_STATUS));
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            controller_teardown(state);
    }
}

static int jobset_is_made(struct controller_fixture *w)
{
    return ty_cache_get(ty_trainjob_controller_cache(w->jobs), &ty_kind_jobset, TY_LIT("ns"),
                        TY_LIT("j")) &&
           ty_trainjob_controller_idle(w->jobs) && controller_queue_counts(w).depth == 0;
}

/* The reason is gone: the JobSet is made, and nothing of it stays in the status. */
static void test_recovers(void **state)
{
    static const struct api_row no[] = { JOBS_ONE,
                                         JOBS_GOOD_CM,
                                         { JOBS_SET, 422, STATUS(422, "Invalid", "not today") },
                                         JOBS_GOOD_ST,
                                         { 0 } };
    static const struct api_row yes[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, { JOBS_STATUS, 200, JOBS_JOB_AT("21", "") }, { 0 }
    };
    struct controller_fixture *w = *state;

    lead_until(w, no, tried_again);
    assert_true(ty_trainjob_is_refused(status_of(w)));
    api_asked(&w->api, w->a);
    lead_until(w, yes, jobset_is_made);
    assert_has(api_asked(&w->api, w->a), JOBS_SET "\n" JOBS_STATUS "\n");
    assert_has(w->api.body.p, "\"Suspended\"");
    assert_null(strstr(w->api.body.p, "\"Failed\""));
}

#define SET_PATH "/apis/jobset.x-k8s.io/v1alpha2/namespaces/ns/jobsets"
/* Suspended since it was created, and rendered by somebody else. */
#define OTHER_SET                                                                                  \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s9\",\"generation\":1,"          \
    "\"resourceVersion\":\"8\",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"       \
    "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]},"       \
    "\"spec\":{"                                                                                   \
    "\"suspend\":true,\"replicatedJobs\":[{\"name\":\"other\"}]}}"
#define OTHER_ROWS                                                                                 \
    JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_ST,                                                          \
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200, JOBS_LIST(OTHER_SET) },         \
    {                                                                                              \
        "GET " SET_PATH "?fieldSelector", 200, JOBS_LIST(OTHER_SET)                                \
    }

#define IMMUTABLE                                                                                  \
    "{\"kind\":\"Status\",\"code\":422,\"reason\":\"Invalid\",\"message\":\"field is immutable\"}"

static int was_deleted(struct controller_fixture *w)
{
    return w->jobs->counts.deletes > 0 && ty_trainjob_controller_idle(w->jobs);
}

/* It cannot be changed, and no pod of it has ever run: it is deleted, this very one, after its
 * Jobs. */
static void test_an_outdated_jobset_is_replaced(void **state)
{
    static const struct api_row rows[] = {
        OTHER_ROWS, { JOBS_SET, 422, IMMUTABLE }, { "DELETE " SET_PATH "/j", 200, "{}" }, { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, was_deleted);
    assert_has(api_asked(&w->api, w->a), JOBS_SET "\nDELETE " SET_PATH "/j\n" JOBS_STATUS "\n");
    assert_has(controller_log(w), "replacing a JobSet");
    assert_int_equal(controller_errors(w), 0);
}

/* Somebody has written to it since: it is looked at again, and deleted only if it still may be. */
static void test_a_jobset_that_has_changed_is_not_deleted(void **state)
{
    static const struct api_row rows[] = { OTHER_ROWS,
                                           { JOBS_SET, 422, IMMUTABLE },
                                           { "DELETE " SET_PATH "/j", 409,
                                             JOBS_REFUSED(409, "Conflict") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, tried_again);
    assert_null(strstr(controller_log(w), "could not delete")); /* nothing is wrong */
    assert_true(w->jobs->counts.deletes > 1);
}

#define RUNNING_SET                                                                                \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s9\",\"generation\":1,"          \
    "\"resourceVersion\":\"8\",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"       \
    "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]},"       \
    "\"spec\":{"                                                                                   \
    "\"suspend\":false,\"replicatedJobs\":[{\"name\":\"node\"}]},\"status\":{\"restarts\":0}}"
#define RUNNING_ROWS                                                                               \
    JOBS_ONE, JOBS_GOOD_ST,                                                                        \
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200, JOBS_LIST(RUNNING_SET) },       \
    {                                                                                              \
        "GET " SET_PATH "?fieldSelector", 200, JOBS_LIST(RUNNING_SET)                              \
    }

/* The snapshot cannot be written (a quota): the JobSet is suspended all the same. */
static void test_nothing_holds_up_a_suspension(void **state)
{
    static const struct api_row rows[] = {
        RUNNING_ROWS, { JOBS_CM, 403, JOBS_REFUSED(403, "Forbidden") }, JOBS_GOOD_SET, { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, tried_again);
    assert_has(api_asked(&w->api, w->a), JOBS_SET "\n" JOBS_CM "\n");
}

/* It cannot be deleted: it stays suspended, and nobody calls the job resumed. */
#define RESUMED_JOB                                                                                \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\",\"resourceVersion\":\"7\"," \
    "\"generation\":2},\"spec\":{\"runtimeRef\":{\"name\":\"rt\",\"kind\":"                        \
    "\"ClusterTrainingRuntime\",\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}},"           \
    "\"status\":"                                                                                  \
    "{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\",\"reason\":\"Suspended\","       \
    "\"message\":\"TrainJob is suspended\",\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}]}}"
static void test_not_resumed_before_it_is(void **state)
{
    static const struct api_row rows[] = {
        { "GET " JOBS_GROUP "/trainjobs?limit", 200, JOBS_LIST(RESUMED_JOB) },
        OTHER_ROWS,
        { JOBS_SET, 422, IMMUTABLE },
        { "DELETE " SET_PATH "/j", 403, JOBS_REFUSED(403, "Forbidden") },
        { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, tried_again);
    assert_has(api_asked(&w->api, w->a), "DELETE " SET_PATH "/j\n");
    assert_null(strstr(api_asked(&w->api, w->a), JOBS_STATUS));
    assert_null(strstr(controller_log(w), "replacing a JobSet"));
}

/* A mistake in what is wanted: the JobSet that is there is not deleted for it. */
static void test_a_mistake_deletes_nothing(void **state)
{
    static const struct api_row rows[] = { OTHER_ROWS,
                                           { JOBS_SET, 422, JOBS_REFUSED(422, "Invalid") },
                                           { "DELETE " SET_PATH "/j", 200, "{}" },
                                           { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, tried_again);
    assert_int_equal(w->jobs->counts.deletes, 0);
}

/* The job was deleted while we wrote: then there is nothing to say about it. */
static void test_a_status_of_nobody(void **state)
{
    static const struct api_row rows[] = { JOBS_ONE,
                                           JOBS_GOOD_CM,
                                           JOBS_GOOD_SET,
                                           { JOBS_STATUS, 404, JOBS_REFUSED(404, "NotFound") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    reconcile_once(w, rows);
    assert_int_equal(controller_errors(w), 0);
    assert_null(strstr(controller_log(w), "\"level\":\"error\""));
}

/* It was changed while we wrote, or replaced by another of its name: looked at again, nobody is
 * alarmed. */
static void test_a_status_of_what_was(void **state)
{
    static const struct api_row rows[] = { JOBS_ONE,
                                           JOBS_GOOD_CM,
                                           JOBS_GOOD_SET,
                                           { JOBS_STATUS, 409, JOBS_REFUSED(409, "Conflict") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    const char *asked = reconcile_once(w, rows);
    assert_true(ty_str_starts(ty_str(asked), TY_LIT(JOBS_CM "\n" JOBS_SET "\n" JOBS_STATUS "\n")));
    assert_true(controller_errors(w) > 0);
    assert_null(strstr(controller_log(w), "\"level\":\"error\""));
}

/* Another one leads from the second write on: it will do what is left. */
static void test_leadership_is_lost_in_the_middle(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.may_write = 1;
    assert_string_equal(reconcile_once(w, rows), JOBS_CM "\n");
    assert_true(controller_errors(w) > 0); /* not done: again later, if we lead then */
}

/* It was its turn, and then it had to wait: nothing is sent, and nobody is alarmed. */
static void test_leadership_is_lost_while_a_write_waits(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.may_write = 0;
    assert_string_equal(reconcile_once(w, rows), "");
    assert_true(controller_errors(w) > 0);
    assert_null(strstr(controller_log(w), "could not"));
}

static void test_nothing_before_leading(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE, JOBS_GOOD_CM, JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    controller_run_until(w, controller_is_synced);
    assert_int_equal(w->jobs->counts.reconciles, 0);
    assert_string_equal(api_asked(&w->api, w->a), "");
}

static int is_open(struct controller_fixture *w)
{
    return w->jobs->counts.applies == 1 && w->api.asked.n > 0;
}

/* The program ends while a write is under way: nothing is called any more, nothing is left. */
static void test_freed_in_the_middle(void **state)
{
    static const struct api_row rows[] = { JOBS_ONE, { JOBS_CM, 0, NULL }, JOBS_GOOD_SET, { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, is_open);
    assert_false(ty_trainjob_controller_idle(w->jobs));
    ty_trainjob_controller_free(w->jobs);
    w->jobs = NULL;
}

/* The snapshot is known by its name; its text is fetched, then the job is looked at with it. */
#define SNAPSHOT                                                                                   \
    "{\"metadata\":{\"name\":\"j-runtime-snapshot\",\"namespace\":\"ns\",\"uid\":\"c1\","          \
    "\"resourceVersion\":\"6\",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"       \
    "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]}"
#define HAS_CM                                                                                     \
    {                                                                                              \
        "GET /api/v1/configmaps?limit", 200, JOBS_LIST(SNAPSHOT "}")                               \
    }
#define GET_CM "GET /api/v1/namespaces/ns/configmaps/j-runtime-snapshot"

static int reconciled_twice(struct controller_fixture *w)
{
    return w->jobs->counts.reconciles > 1 && ty_trainjob_controller_idle(w->jobs);
}

static void test_a_snapshot_is_fetched(void **state)
{
    static const struct api_row rows[] = {
        JOBS_ONE,
        HAS_CM,
        { GET_CM, 200,
          SNAPSHOT ",\"data\":{\"runtime\":\"apiVersion: trainer.kubeflow.org/v1alpha1\\nkind: "
                   "ClusterTrainingRuntime\\nmetadata: {name: rt}\\nspec: {template: {spec: {"
                   "replicatedJobs: [{name: kept, template: {spec: {template: {spec: {containers: "
                   "[{name: node, image: i}]}}}}}]}}}\\n\"}}" },
        JOBS_GOOD_SET,
        JOBS_GOOD_ST,
        { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->jobs = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->jobs);
    controller_run_until(w, reconciled_twice);
    assert_has(api_asked(&w->api, w->a), GET_CM "\n" JOBS_SET "\n");
    assert_int_equal(w->jobs->counts.fetches, 1);
}

/* It cannot be read: nothing is made up instead of it. */
static void test_a_snapshot_that_does_not_come(void **state)
{
    static const struct api_row rows[] = { JOBS_ONE,      HAS_CM,       { GET_CM, 500, "" },
                                           JOBS_GOOD_SET, JOBS_GOOD_ST, { 0 } };
    struct controller_fixture *w = *state;

    assert_has(reconcile_once(w, rows), GET_CM "\n");
    assert_null(strstr(api_asked(&w->api, w->a), JOBS_SET));
    assert_int_equal(controller_errors(w), 1);
    assert_has(controller_log(w), "could not read the runtime snapshot");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_in_order),
        CONTROLLER_TEST(test_a_refused_apply_cancels_the_next),
        CONTROLLER_TEST(test_refused_for_good),
        CONTROLLER_TEST(test_recovers),
        CONTROLLER_TEST(test_an_outdated_jobset_is_replaced),
        CONTROLLER_TEST(test_a_jobset_that_has_changed_is_not_deleted),
        CONTROLLER_TEST(test_nothing_holds_up_a_suspension),
        CONTROLLER_TEST(test_not_resumed_before_it_is),
        CONTROLLER_TEST(test_a_mistake_deletes_nothing),
        CONTROLLER_TEST(test_a_status_of_nobody),
        CONTROLLER_TEST(test_a_status_of_what_was),
        CONTROLLER_TEST(test_leadership_is_lost_in_the_middle),
        CONTROLLER_TEST(test_leadership_is_lost_while_a_write_waits),
        CONTROLLER_TEST(test_nothing_before_leading),
        CONTROLLER_TEST(test_freed_in_the_middle),
        CONTROLLER_TEST(test_a_snapshot_is_fetched),
        CONTROLLER_TEST(test_a_snapshot_that_does_not_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
