#include "controller/cache_testing.h"
#include "controller/runtime_finalizer.h"

static const struct ty_cached *put(struct fixture *f, const struct ty_kind *kind, const char *text)
{
    return tell(f, kind, text);
}

#define RUNTIME(more)                                                                              \
    "{\"metadata\":{\"name\":\"rt\",\"namespace\":\"a\",\"uid\":\"r\",\"resourceVersion\":"        \
    "\"9\"" more "},\"spec\":{}}"
#define OURS   ",\"finalizers\":[\"x/y\",\"trainer.kubeflow.org/resource-in-use\"]"
#define THEIRS ",\"finalizers\":[\"x/y\"]"
#define GOING  ",\"deletionTimestamp\":\"2026-01-02T03:04:05Z\""
#define JOB(ns, kind)                                                                              \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"" ns "\",\"uid\":\"u\"},\"spec\":{"             \
    "\"runtimeRef\":{\"name\":\"rt\",\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":\"" kind       \
    "\"}}}"

static const char *patch(struct fixture *f, const char *runtime,
                         enum ty_runtime_protection protection)
{
    struct ty_str s = ty_runtime_finalizer_patch(
        f->a, f->w, put(f, &ty_kind_trainingruntime, runtime), protection);
    return s.n ? s.p : "";
}

#define OFF "{\"metadata\":{\"finalizers\":[\"x/y\"],\"resourceVersion\":\"9\"}}"
#define ON                                                                                         \
    "{\"metadata\":{\"finalizers\":[\"trainer.kubeflow.org/resource-in-use\"],"                    \
    "\"resourceVersion\":\"9\"}}"

/* v2.3.0: removed wherever it is found, never added. */
static void test_snapshots_need_no_finalizer(void **state)
{
    struct fixture *f = *state;

    put(f, &ty_kind_trainjob, JOB("a", "TrainingRuntime"));
    assert_string_equal(patch(f, RUNTIME(OURS), TY_PROTECT_SNAPSHOT), OFF);
    assert_string_equal(patch(f, RUNTIME(OURS GOING), TY_PROTECT_SNAPSHOT), OFF);
    assert_string_equal(patch(f, RUNTIME(THEIRS), TY_PROTECT_SNAPSHOT), "");
    assert_string_equal(patch(f, RUNTIME(""), TY_PROTECT_SNAPSHOT), "");
}

static void test_finalizer_while_in_use(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(patch(f, RUNTIME(""), TY_PROTECT_FINALIZER), "");
    put(f, &ty_kind_trainjob, JOB("a", "TrainingRuntime"));
    assert_string_equal(patch(f, RUNTIME(""), TY_PROTECT_FINALIZER), ON);
    assert_string_equal(patch(f, RUNTIME(OURS), TY_PROTECT_FINALIZER), "");
    assert_string_equal(patch(f, RUNTIME(OURS GOING), TY_PROTECT_FINALIZER), "");
    assert_string_equal(patch(f, RUNTIME(GOING), TY_PROTECT_FINALIZER), ""); /* too late */
}

static void test_finalizer_goes_when_nobody_uses_it(void **state)
{
    struct fixture *f = *state;

    /* the same name in another namespace, or of another kind, is not used */
    put(f, &ty_kind_trainjob, JOB("b", "TrainingRuntime"));
    assert_string_equal(patch(f, RUNTIME(OURS GOING), TY_PROTECT_FINALIZER), OFF);
    put(f, &ty_kind_trainjob, JOB("a", "ClusterTrainingRuntime"));
    assert_string_equal(patch(f, RUNTIME(OURS GOING), TY_PROTECT_FINALIZER), OFF);
    assert_string_equal(patch(f, RUNTIME(OURS), TY_PROTECT_FINALIZER), ""); /* not before */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, up, down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_snapshots_need_no_finalizer),
        TEST(test_finalizer_while_in_use),
        TEST(test_finalizer_goes_when_nobody_uses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
