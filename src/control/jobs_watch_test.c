#include "control/jobs_testing.h"

#define GROUPS(path)                                                                               \
    {                                                                                              \
        "GET " path, 404, "404 page not found"                                                     \
    }

static void begin(struct jobs_world *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->jobs = ty_jobs_new(&w->s);
}

static void test_an_empty_cluster(void **state)
{
    struct jobs_world *w = *state;

    begin(w, NULL);
    ty_jobs_lead(w->jobs);
    jobs_until(w, jobs_is_synced);
    assert_int_equal(w->synced, 1);
    assert_has(jobs_log(w), "the cache is complete");
    assert_int_equal(ty_world_count(ty_jobs_world(w->jobs), NULL), 0);
}

/* Schedulers that are not installed are no reason to wait. */
static void test_kinds_of_others_that_are_absent(void **state)
{
    static const struct api_row rows[] = { JOBS_ONE,
                                           GROUPS("/apis/scheduling.x-k8s.io/v1alpha1"),
                                           GROUPS("/apis/scheduling.volcano.sh/v1beta1"),
                                           { 0 } };
    struct jobs_world *w = *state;

    begin(w, rows);
    jobs_until(w, jobs_is_synced);
    assert_has(jobs_log(w), "not served here; watched as soon as it is");
    assert_int_equal(ty_world_count(ty_jobs_world(w->jobs), &ty_kind_trainjob), 1);
    assert_non_null(ty_jobs_reflect(w->jobs, &ty_kind_jobset));
    assert_null(ty_jobs_reflect(w->jobs, &ty_kind_pod)); /* is not watched at all */
}

/* But JobSets: webhooks can be answered, and nothing can run. */
static void test_jobsets_that_are_absent(void **state)
{
    static const struct api_row rows[] = { JOBS_ONE,
                                           GROUPS("/apis/jobset.x-k8s.io/v1alpha2"),
                                           { 0 } };
    struct jobs_world *w = *state;

    begin(w, rows);
    jobs_until(w, jobs_is_synced);
    assert_has(jobs_log(w), "{\"level\":\"warn\"");
    assert_has(jobs_log(w), "the API server does not serve JobSets yet; install JobSet");
}

static int says_waiting(struct jobs_world *w)
{
    return strstr(jobs_log(w), "waiting: the API server does not serve this kind yet") != NULL;
}

/* Without our CRDs nobody would be right to look, and to write, anything. */
static void test_our_own_kinds_are_waited_for(void **state)
{
    static const struct api_row rows[] = { GROUPS("/apis/trainer.kubeflow.org/v1alpha1"), { 0 } };
    struct jobs_world *w = *state;

    begin(w, rows);
    ty_jobs_lead(w->jobs);
    jobs_until(w, says_waiting);
    assert_false(ty_jobs_synced(w->jobs));
    assert_int_equal(w->jobs->counts.looks, 0);
}

static int says_trouble(struct jobs_world *w)
{
    return strstr(jobs_log(w), "\"msg\":\"cannot watch\"") != NULL;
}

static void test_lists_that_fail(void **state)
{
    static const struct {
        int code;
        const char *body;
    } cases[] = { { 403, JOBS_REFUSED(403, "Forbidden") },
                  { 500, "" },
                  { 200, "garbage" },
                  { 200, "{\"items\":[{\"metadata\":" } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct api_row rows[] = {
            { "GET " JOBS_GROUP "/trainjobs?limit", cases[i].code, cases[i].body }, { 0 }
        };
        if (i > 0)
            jobs_setup(state);
        struct jobs_world *w = *state;
        begin(w, rows);
        jobs_until(w, says_trouble);
        assert_false(ty_jobs_synced(w->jobs));
        assert_has(jobs_log(w), "\"kind\":\"TrainJob\"");
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            jobs_teardown(state);
    }
}

/* Items that are no objects of ours: passed over, not believed, no crash. */
static void test_items_that_are_odd(void **state)
{
    static const struct api_row rows[] = {
        { "GET " JOBS_GROUP "/trainjobs?limit", 200,
          JOBS_LIST("{},{\"metadata\":{}},{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\","
                    "\"uid\":\"u9\",\"resourceVersion\":\"3\"}}") },
        { 0 }
    };
    struct jobs_world *w = *state;

    begin(w, rows);
    jobs_until(w, jobs_is_synced);
    assert_non_null(
        ty_world_find(ty_jobs_world(w->jobs), &ty_kind_trainjob, TY_LIT("ns"), TY_LIT("a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOBS_TEST(test_an_empty_cluster),        JOBS_TEST(test_kinds_of_others_that_are_absent),
        JOBS_TEST(test_jobsets_that_are_absent), JOBS_TEST(test_our_own_kinds_are_waited_for),
        JOBS_TEST(test_lists_that_fail),         JOBS_TEST(test_items_that_are_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
