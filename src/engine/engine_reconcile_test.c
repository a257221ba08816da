/* Passes over real objects: what a TrainJob becomes in the store, and who looks when it changes. */
#include "engine/engine_testing.h"

static struct ty_json *get(struct engine_fixture *w, const struct ty_kind *kind, const char *name)
{
    return ty_local_get(ty_engine_store(w->e), w->a, kind, TY_LIT("default"), ty_str(name));
}

static struct ty_str owner_of(const struct ty_json *obj)
{
    const struct ty_json *owners = ty_json_at(obj, "metadata.ownerReferences");
    return ty_json_str_at(ty_json_item(owners, 0), "uid");
}

static struct ty_str uid_of(const struct ty_json *obj)
{
    return ty_json_str_at(obj, "metadata.uid");
}

static void a_trainjob_becomes_pods(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 3, SH("echo $JOB_COMPLETION_INDEX"));
    fixture_run(w);
    const struct ty_json *train = get(w, &ty_kind_trainjob, "j");
    const struct ty_json *set = get(w, &ty_kind_jobset, "j");
    const struct ty_json *job = get(w, &ty_kind_job, "j-node-0");
    assert_true(ty_str_eq(owner_of(set), uid_of(train)));
    assert_true(ty_str_eq(owner_of(job), uid_of(set)));
    for (int i = 0; i < 3; i++) {
        char host[32], line[64];
        snprintf(host, sizeof(host), "j-node-0-%d", i);
        snprintf(line, sizeof(line), "L %s/main %d\n", host, i);
        assert_observed(w, line);
        const struct ty_json *pod = fixture_stored(w, host);
        assert_true(ty_str_eq(owner_of(pod), uid_of(job)));
        assert_true(ty_str_is(ty_json_str_at(pod, "status.phase"), "Succeeded"));
    }
    int64_t n = 0;
    assert_true(ty_json_int_at(job, "status.succeeded", &n) && n == 3);
    assert_int_equal(fixture_count(w, "J j Complete"), 1);
}

/* Each pod is begun once, and told once, however many passes there were. */
static void many_pods_each_once(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 40, SH("true"));
    fixture_run(w);
    for (int i = 0; i < 40; i++) {
        char line[64];
        snprintf(line, sizeof(line), "P j-node-0-%d main 0 Completed\n", i);
        assert_int_equal(fixture_count(w, line), 1);
    }
    assert_int_equal(fixture_count(w, "E Normal SuccessfulCreate j-node-0: "), 40);
    assert_observed(w, "J j Complete");
}

static void one_failure_ends_the_job(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 2, SH("test $JOB_COMPLETION_INDEX = 0 && exit 5; exec sleep 60"));
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 5 Error");
    assert_observed(w, "J j Failed");
    assert_int_equal(w->e->pods.n_live, 0); /* the sleeper was ended */
}

/* A JobSet that is deleted takes its Jobs, pods and processes with it. */
static bool is_up(struct engine_fixture *w)
{
    return fixture_observed(w, "L j-node-0-0/main up\n") &&
           fixture_observed(w, "L j-node-0-1/main up\n");
}

static bool is_gone(struct engine_fixture *w)
{
    return w->e->pods.n_live == 0 && !get(w, &ty_kind_job, "j-node-0");
}

static void deletion_goes_down(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    fixture_submit(w, "j", 2, SH("echo up; exec sleep 60"));
    w->enough = is_up;
    fixture_run(w);
    assert_int_equal(ty_local_delete(ty_engine_store(w->e), w->a, &ty_kind_trainjob,
                                     TY_LIT("default"), TY_LIT("j"), &err),
                     0);
    w->enough = is_gone;
    fixture_run(w);
    assert_null(get(w, &ty_kind_jobset, "j"));
    assert_null(get(w, &ty_kind_trainjob, "j"));
    assert_null(fixture_stored(w, "j-node-0-0"));
}

/* Nothing new begins once everything is being stopped. */
static void no_pass_creates_while_stopping(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 2, SH("true"));
    ty_engine_stop(w->e, true, "before the first pass");
    fixture_run(w);
    assert_null(get(w, &ty_kind_jobset, "j"));
    assert_not_observed(w, "SuccessfulCreate");
    assert_not_observed(w, "P j-node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(a_trainjob_becomes_pods),        ENGINE_TEST(many_pods_each_once),
        ENGINE_TEST(one_failure_ends_the_job),       ENGINE_TEST(deletion_goes_down),
        ENGINE_TEST(no_pass_creates_while_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
