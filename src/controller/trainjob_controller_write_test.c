#include "controller/trainjob_controller_testing.h"

/* One reconcile of the job, with these answers of the server. */
static const char *reconcile_once(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, controller_reconciled);
    return api_asked(&w->api, w->a);
}

static void test_in_order(void **state)
{
    struct controller_fixture *w = *state;

    assert_string_equal(reconcile_once(w, controller_rows), CONTROLLER_APPLY_SNAPSHOT
                        "\n" CONTROLLER_APPLY_JOBSET "\n" CONTROLLER_PATCH_STATUS "\n");
    assert_int_equal(w->controller->counts.applies, 2);
    assert_int_equal(controller_errors(w), 0);
    assert_non_null(/* the answer is in the cache before the watch event */
                    ty_cache_get(ty_trainjob_controller_cache(w->controller), &ty_kind_jobset,
                                 TY_LIT("ns"), TY_LIT("j")));
    const struct ty_cached *cm =
        ty_cache_get(ty_trainjob_controller_cache(w->controller), &ty_kind_configmap, TY_LIT("ns"),
                     TY_LIT("j-runtime-snapshot"));
    assert_non_null(cm);
    assert_non_null(cm->body); /* no fetch needed */
}

/* A JobSet must not come before what its pods mount; the status says what we know. */
static void test_a_refused_apply_cancels_the_next(void **state)
{
    static const struct {
        int code;
        const char *body, *said;
    } cases[] = {
        { 422, CONTROLLER_REFUSAL(422, "Invalid"), "because" },
        { 409, CONTROLLER_REFUSAL(409, "Conflict"), "because" },
        { 403, CONTROLLER_REFUSAL(403, "Forbidden"), "because" },
        { 500, "", "could not apply ConfigMap j-runtime-snapshot" },
        { 200, "garbage", "could not apply ConfigMap j-runtime-snapshot" },
        { 200, "{\"half\":", "could not apply ConfigMap j-runtime-snapshot" },
        { 404, "404 page not found",
          "no matches for kind \\\"ConfigMap\\\" in version \\\"v1\\\"" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                  { CONTROLLER_APPLY_SNAPSHOT, cases[i].code, cases[i].body },
                                  CONTROLLER_JOBSET_APPLIED,
                                  CONTROLLER_STATUS_PATCHED,
                                  { 0 } };
        struct controller_fixture *w = NULL;
        if (i > 0)
            controller_setup(state);
        w = *state;
        const char *asked = reconcile_once(w, rows);
        assert_true(ty_str_starts(
            ty_str(asked), TY_LIT(CONTROLLER_APPLY_SNAPSHOT "\n" CONTROLLER_PATCH_STATUS "\n")));
        assert_null(strstr(asked, CONTROLLER_APPLY_JOBSET));
        assert_true(controller_errors(w) > 0);
        assert_has(controller_log(w), cases[i].said);
        if (i + 1 < TY_COUNT(cases))
            controller_teardown(state);
    }
}

#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":" #code ",\"reason\":\"" reason           \
    "\",\"message\":\"" message "\"}"

static int tried_again(struct controller_fixture *w)
{
    return ty_queue_kind(w->controller->queue, TY_CONTROLLER_TRAINJOB)->retries > 2 &&
           ty_trainjob_controller_idle(w->controller);
}

static const struct ty_json *status_of(struct controller_fixture *w)
{
    const struct ty_cached *job = ty_cache_get(ty_trainjob_controller_cache(w->controller),
                                               &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("j"));

    return ty_json_get(ty_cache_parse(w->a, job), "status");
}

static void lead_until(struct controller_fixture *w, const struct api_row *rows,
                       int (*enough)(struct controller_fixture *w))
{
    w->api.rows = rows;
    if (!w->controller)
        w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, enough);
}

/* A permanent refusal makes the job Failed; a temporary error does not. */
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

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                  CONTROLLER_SNAPSHOT_APPLIED,
                                  { CONTROLLER_APPLY_JOBSET, cases[i].code, cases[i].body },
                                  CONTROLLER_STATUS_PATCHED,
                                  { 0 } };
        if (i > 0)
            controller_setup(state);
        struct controller_fixture *w = *state;
        lead_until(w, rows, tried_again);
        if (ty_trainjob_is_refused(status_of(w)) != cases[i].failed)
            fail_msg("%s: %s", cases[i].body, ty_json_text(w->a, status_of(w)).p);
        const char *once = strstr(api_asked(&w->api, w->a), CONTROLLER_PATCH_STATUS);
        assert_true(once && !strstr(once + 1, CONTROLLER_PATCH_STATUS));
        if (i + 1 < TY_COUNT(cases))
            controller_teardown(state);
    }
}

static int jobset_is_made(struct controller_fixture *w)
{
    return ty_cache_get(ty_trainjob_controller_cache(w->controller), &ty_kind_jobset, TY_LIT("ns"),
                        TY_LIT("j")) &&
           ty_trainjob_controller_idle(w->controller) && controller_queue_depth(w) == 0;
}

/* The refusal has ended: the JobSet is created, and the condition is removed. */
static void test_recovers(void **state)
{
    static const struct api_row no[] = { CONTROLLER_ONE_JOB,
                                         CONTROLLER_SNAPSHOT_APPLIED,
                                         { CONTROLLER_APPLY_JOBSET, 422,
                                           STATUS(422, "Invalid", "not today") },
                                         CONTROLLER_STATUS_PATCHED,
                                         { 0 } };
    static const struct api_row yes[] = { CONTROLLER_ONE_JOB,
                                          CONTROLLER_SNAPSHOT_APPLIED,
                                          CONTROLLER_JOBSET_APPLIED,
                                          { CONTROLLER_PATCH_STATUS, 200,
                                            CONTROLLER_JOB_AT("21", "") },
                                          { 0 } };
    struct controller_fixture *w = *state;

    lead_until(w, no, tried_again);
    assert_true(ty_trainjob_is_refused(status_of(w)));
    api_asked(&w->api, w->a);
    lead_until(w, yes, jobset_is_made);
    assert_has(api_asked(&w->api, w->a), CONTROLLER_APPLY_JOBSET "\n" CONTROLLER_PATCH_STATUS "\n");
    assert_has(w->api.body.p, "\"Suspended\"");
    assert_null(strstr(w->api.body.p, "\"Failed\""));
}

#define SET_PATH "/apis/jobset.x-k8s.io/v1alpha2/namespaces/ns/jobsets"
/* Suspended since its creation, and rendered by another release. */
#define OTHER_SET                                                                                  \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s9\",\"generation\":1,"          \
    "\"resourceVersion\":\"8\",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"       \
    "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]},"       \
    "\"spec\":{"                                                                                   \
    "\"suspend\":true,\"replicatedJobs\":[{\"name\":\"other\"}]}}"
#define OTHER_ROWS                                                                                 \
    CONTROLLER_ONE_JOB, CONTROLLER_SNAPSHOT_APPLIED, CONTROLLER_STATUS_PATCHED,                    \
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200, CONTROLLER_LIST(OTHER_SET) },   \
    {                                                                                              \
        "GET " SET_PATH "?fieldSelector", 200, CONTROLLER_LIST(OTHER_SET)                          \
    }

#define IMMUTABLE                                                                                  \
    "{\"kind\":\"Status\",\"code\":422,\"reason\":\"Invalid\",\"message\":\"field is immutable\"}"

static int was_deleted(struct controller_fixture *w)
{
    return w->controller->counts.deletes > 0 && ty_trainjob_controller_idle(w->controller);
}

/* The apply is refused as immutable, and no pod of it has ever run: it is deleted with
 * preconditions, after its Jobs. */
static void test_an_outdated_jobset_is_replaced(void **state)
{
    static const struct api_row rows[] = { OTHER_ROWS,
                                           { CONTROLLER_APPLY_JOBSET, 422, IMMUTABLE },
                                           { "DELETE " SET_PATH "/j", 200, "{}" },
                                           { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, was_deleted);
    assert_has(api_asked(&w->api, w->a),
               CONTROLLER_APPLY_JOBSET "\nDELETE " SET_PATH "/j\n" CONTROLLER_PATCH_STATUS "\n");
    assert_has(controller_log(w), "replacing a JobSet");
    assert_int_equal(controller_errors(w), 0);
}

/* Another client has written to it since: the job is reconciled again, and the JobSet deleted only
 * if that is still allowed. */
static void test_a_jobset_that_has_changed_is_not_deleted(void **state)
{
    static const struct api_row rows[] = { OTHER_ROWS,
                                           { CONTROLLER_APPLY_JOBSET, 422, IMMUTABLE },
                                           { "DELETE " SET_PATH "/j", 409,
                                             CONTROLLER_REFUSAL(409, "Conflict") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, tried_again);
    assert_null(strstr(controller_log(w), "could not delete")); /* no error */
    assert_true(w->controller->counts.deletes > 1);
}

#define RUNNING_SET                                                                                \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s9\",\"generation\":1,"          \
    "\"resourceVersion\":\"8\",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"       \
    "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]},"       \
    "\"spec\":{"                                                                                   \
    "\"suspend\":false,\"replicatedJobs\":[{\"name\":\"node\"}]},\"status\":{\"restarts\":0}}"
#define RUNNING_ROWS                                                                               \
    CONTROLLER_ONE_JOB, CONTROLLER_STATUS_PATCHED,                                                 \
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200, CONTROLLER_LIST(RUNNING_SET) }, \
    {                                                                                              \
        "GET " SET_PATH "?fieldSelector", 200, CONTROLLER_LIST(RUNNING_SET)                        \
    }

/* The snapshot cannot be written (a quota): the JobSet is suspended all the same. */
static void test_nothing_holds_up_a_suspension(void **state)
{
    static const struct api_row rows[] = { RUNNING_ROWS,
                                           { CONTROLLER_APPLY_SNAPSHOT, 403,
                                             CONTROLLER_REFUSAL(403, "Forbidden") },
                                           CONTROLLER_JOBSET_APPLIED,
                                           { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, tried_again);
    assert_has(api_asked(&w->api, w->a),
               CONTROLLER_APPLY_JOBSET "\n" CONTROLLER_APPLY_SNAPSHOT "\n");
}

/* The delete fails: the JobSet stays suspended, and the job is not Resumed. */
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
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, CONTROLLER_LIST(RESUMED_JOB) },
        OTHER_ROWS,
        { CONTROLLER_APPLY_JOBSET, 422, IMMUTABLE },
        { "DELETE " SET_PATH "/j", 403, CONTROLLER_REFUSAL(403, "Forbidden") },
        { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, tried_again);
    assert_has(api_asked(&w->api, w->a), "DELETE " SET_PATH "/j\n");
    assert_null(strstr(api_asked(&w->api, w->a), CONTROLLER_PATCH_STATUS));
    assert_null(strstr(controller_log(w), "replacing a JobSet"));
}

/* An invalid desired JobSet: the existing one is not deleted for it. */
static void test_a_mistake_deletes_nothing(void **state)
{
    static const struct api_row rows[] = { OTHER_ROWS,
                                           { CONTROLLER_APPLY_JOBSET, 422,
                                             CONTROLLER_REFUSAL(422, "Invalid") },
                                           { "DELETE " SET_PATH "/j", 200, "{}" },
                                           { 0 } };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, tried_again);
    assert_int_equal(w->controller->counts.deletes, 0);
}

/* The job was deleted during the writes: nothing to report. */
static void test_a_status_of_nobody(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           CONTROLLER_JOBSET_APPLIED,
                                           { CONTROLLER_PATCH_STATUS, 404,
                                             CONTROLLER_REFUSAL(404, "NotFound") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    reconcile_once(w, rows);
    assert_int_equal(controller_errors(w), 0);
    assert_null(strstr(controller_log(w), "\"level\":\"error\""));
}

/* The job was changed, or replaced by another of its name, during the writes: it is reconciled
 * again, without an error. */
static void test_a_status_of_what_was(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,
                                           CONTROLLER_SNAPSHOT_APPLIED,
                                           CONTROLLER_JOBSET_APPLIED,
                                           { CONTROLLER_PATCH_STATUS, 409,
                                             CONTROLLER_REFUSAL(409, "Conflict") },
                                           { 0 } };
    struct controller_fixture *w = *state;

    const char *asked = reconcile_once(w, rows);
    assert_true(ty_str_starts(ty_str(asked),
                              TY_LIT(CONTROLLER_APPLY_SNAPSHOT "\n" CONTROLLER_APPLY_JOBSET
                                                               "\n" CONTROLLER_PATCH_STATUS "\n")));
    assert_true(controller_errors(w) > 0);
    assert_null(strstr(controller_log(w), "\"level\":\"error\""));
}

/* The lease is lost at the second write: the next leader does the rest. */
static void test_leadership_is_lost_in_the_middle(void **state)
{
    struct controller_fixture *w = *state;

    w->api.may_write = 1;
    assert_string_equal(reconcile_once(w, controller_rows), CONTROLLER_APPLY_SNAPSHOT "\n");
    assert_true(controller_errors(w) > 0); /* not done: retried if we lead again */
}

/* The write was waiting for the rate limit when the lease was lost: nothing is sent, and no error
 * is logged. */
static void test_leadership_is_lost_while_a_write_waits(void **state)
{
    struct controller_fixture *w = *state;

    w->api.may_write = 0;
    assert_string_equal(reconcile_once(w, controller_rows), "");
    assert_true(controller_errors(w) > 0);
    assert_null(strstr(controller_log(w), "could not"));
}

static void test_nothing_before_leading(void **state)
{
    struct controller_fixture *w = *state;

    w->api.rows = controller_rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    controller_run_until(w, controller_is_synced);
    assert_int_equal(w->controller->counts.reconciles, 0);
    assert_string_equal(api_asked(&w->api, w->a), "");
}

static int is_open(struct controller_fixture *w)
{
    return w->controller->counts.applies == 1 && w->api.asked.n > 0;
}

/* Freed while a write is in flight: no callbacks, no leaks. */
static void test_freed_in_the_middle(void **state)
{
    static const struct api_row rows[] = {
        CONTROLLER_ONE_JOB, { CONTROLLER_APPLY_SNAPSHOT, 0, NULL }, CONTROLLER_JOBSET_APPLIED, { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, is_open);
    assert_false(ty_trainjob_controller_idle(w->controller));
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
}

/* The cache has only the identity of the snapshot: its data is fetched, then the job is reconciled
 * with it. */
#define SNAPSHOT                                                                                   \
    "{\"metadata\":{\"name\":\"j-runtime-snapshot\",\"namespace\":\"ns\",\"uid\":\"c1\","          \
    "\"resourceVersion\":\"6\",\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"       \
    "v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}]}"
#define HAS_CM                                                                                     \
    {                                                                                              \
        "GET /api/v1/configmaps?limit", 200, CONTROLLER_LIST(SNAPSHOT "}")                         \
    }
#define GET_CM "GET /api/v1/namespaces/ns/configmaps/j-runtime-snapshot"

static int reconciled_twice(struct controller_fixture *w)
{
    return w->controller->counts.reconciles > 1 && ty_trainjob_controller_idle(w->controller);
}

static void test_a_snapshot_is_fetched(void **state)
{
    static const struct api_row rows[] = {
        CONTROLLER_ONE_JOB,
        HAS_CM,
        { GET_CM, 200,
          SNAPSHOT ",\"data\":{\"runtime\":\"apiVersion: trainer.kubeflow.org/v1alpha1\\nkind: "
                   "ClusterTrainingRuntime\\nmetadata: {name: rt}\\nspec: {template: {spec: {"
                   "replicatedJobs: [{name: kept, template: {spec: {template: {spec: {containers: "
                   "[{name: node, image: i}]}}}}}]}}}\\n\"}}" },
        CONTROLLER_JOBSET_APPLIED,
        CONTROLLER_STATUS_PATCHED,
        { 0 }
    };
    struct controller_fixture *w = *state;

    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    ty_trainjob_controller_lead(w->controller);
    controller_run_until(w, reconciled_twice);
    assert_has(api_asked(&w->api, w->a), GET_CM "\n" CONTROLLER_APPLY_JOBSET "\n");
    assert_int_equal(w->controller->counts.fetches, 1);
}

/* The snapshot cannot be read: nothing is created without it. */
static void test_a_snapshot_that_does_not_come(void **state)
{
    static const struct api_row rows[] = { CONTROLLER_ONE_JOB,        HAS_CM,
                                           { GET_CM, 500, "" },       CONTROLLER_JOBSET_APPLIED,
                                           CONTROLLER_STATUS_PATCHED, { 0 } };
    struct controller_fixture *w = *state;

    assert_has(reconcile_once(w, rows), GET_CM "\n");
    assert_null(strstr(api_asked(&w->api, w->a), CONTROLLER_APPLY_JOBSET));
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
