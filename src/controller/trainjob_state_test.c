#include "controller/trainjob_controller_testing.h"

#define JOB(spec, status) "{\"spec\":{" spec "},\"status\":{" status "}}"
#define COND(type, is)    "{\"type\":\"" type "\",\"status\":\"" is "\"}"

static const struct ty_json *json(struct controller_fixture *w, const char *text)
{
    const struct ty_json *v = ty_json_parse(w->a, ty_str(text), NULL, NULL);

    assert_non_null(v);
    return v;
}

static void test_what_a_trainjob_says(void **state)
{
    static const struct {
        const char *text;
        enum ty_trainjob_state want;
    } cases[] = {
        { JOB("", ""), TY_TRAINJOB_STATE_PENDING },
        { JOB("\"suspend\":true", ""), TY_TRAINJOB_STATE_SUSPENDED },
        { JOB("", "\"conditions\":[" COND("Suspended", "True") "]"), TY_TRAINJOB_STATE_SUSPENDED },
        { JOB("", "\"conditions\":[" COND("Suspended", "False") "]"), TY_TRAINJOB_STATE_PENDING },
        { JOB("\"suspend\":true",
              "\"conditions\":[" COND("Suspended", "True") "," COND("Complete", "True") "]"),
          TY_TRAINJOB_STATE_COMPLETE },
        { JOB("", "\"conditions\":[" COND("Complete", "False") "]"), TY_TRAINJOB_STATE_PENDING },
        { JOB("", "\"conditions\":[" COND("Complete", "True") "," COND("Failed", "True") "]"),
          TY_TRAINJOB_STATE_FAILED },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++)
        assert_int_equal(ty_trainjob_state_read(&ty_kind_trainjob, json(*state, cases[i].text)),
                         cases[i].want);
}

static void test_what_a_jobset_says(void **state)
{
    static const struct {
        const char *text;
        enum ty_trainjob_state want;
    } cases[] = {
        { JOB("", ""), TY_TRAINJOB_STATE_PENDING },
        { JOB("", "\"replicatedJobsStatus\":[{\"active\":0,\"succeeded\":1},{\"active\":1}]"),
          TY_TRAINJOB_STATE_RUNNING },
        { JOB("", "\"replicatedJobsStatus\":[{\"active\":0,\"ready\":1}]"),
          TY_TRAINJOB_STATE_RUNNING },
        { JOB("", "\"replicatedJobsStatus\":[{\"active\":0,\"failed\":1}]"),
          TY_TRAINJOB_STATE_PENDING },
        { JOB("\"suspend\":true", "\"replicatedJobsStatus\":[{\"active\":1}]"),
          TY_TRAINJOB_STATE_PENDING },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++)
        assert_int_equal(ty_trainjob_state_read(&ty_kind_jobset, json(*state, cases[i].text)),
                         cases[i].want);
    assert_int_equal(ty_trainjob_state_read(&ty_kind_secret, json(*state, "{}")),
                     TY_TRAINJOB_STATE_PENDING);
}

/* Pods that still run after the suspension count as running; a finished job stays finished. */
static void test_both_together(void **state TY_UNUSED)
{
    for (int i = 0; i < TY_TRAINJOB_STATES; i++)
        assert_int_equal(
            ty_trainjob_state_join((enum ty_trainjob_state)i, TY_TRAINJOB_STATE_PENDING), i);
    assert_int_equal(ty_trainjob_state_join(TY_TRAINJOB_STATE_SUSPENDED, TY_TRAINJOB_STATE_RUNNING),
                     TY_TRAINJOB_STATE_RUNNING);
    assert_int_equal(ty_trainjob_state_join(TY_TRAINJOB_STATE_COMPLETE, TY_TRAINJOB_STATE_RUNNING),
                     TY_TRAINJOB_STATE_COMPLETE);
    assert_int_equal(ty_trainjob_state_join(TY_TRAINJOB_STATE_FAILED, TY_TRAINJOB_STATE_RUNNING),
                     TY_TRAINJOB_STATE_FAILED);
}

/* A JobSet of another owner does not affect the job's state. */
static void test_only_its_own_jobset_counts(void **state)
{
    static const char *const owners[] = { "u1", "u2" };
    struct controller_fixture *w = *state;

    for (int i = 0; i < 2; i++) {
        struct ty_cache *cache = ty_cache_new();
        const struct ty_cached *job = ty_cache_put(
            cache, &ty_kind_trainjob,
            json(w, "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\"}}"));
        ty_cache_put(
            cache, &ty_kind_jobset,
            json(w, ty_arena_printf(
                        w->a,
                        "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"s\","
                        "\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\","
                        "\"kind\":\"TrainJob\",\"name\":\"j\",\"uid\":\"%s\",\"controller\":true}]"
                        "},\"status\":{\"replicatedJobsStatus\":[{\"active\":1}]}}",
                        owners[i])));
        assert_int_equal(ty_trainjob_state_get(cache, job),
                         i ? TY_TRAINJOB_STATE_PENDING : TY_TRAINJOB_STATE_RUNNING);
        ty_cache_free(cache);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { CONTROLLER_TEST(test_what_a_trainjob_says),
                                        CONTROLLER_TEST(test_what_a_jobset_says),
                                        CONTROLLER_TEST(test_both_together),
                                        CONTROLLER_TEST(test_only_its_own_jobset_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
