/* suspend and resume against a scripted server; tests/operator/test_cli_verbs.py uses a real
 * control plane. The requests: the TrainJob, its JobSet, the patch. */
#include "cli/cluster/cluster_session_testing.h"

#define JOB(labels, status)                                                                        \
    OK "{\"metadata\":{\"name\":\"t\",\"namespace\":\"team\",\"labels\":{" labels                  \
       "}},\"status\":{\"conditions\":[" status "]}}"
#define RUN(f, ...) FIXTURE_RUN(&(f)->b, __VA_ARGS__)

static void test_the_patch(void **state)
{
    static const char *const answers[] = { JOB("", ""), NOT_FOUND,   JOB("", ""), JOB("", ""),
                                           NOT_FOUND,   JOB("", ""), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "suspend", "trainjob/t", "--cluster"), TY_EXIT_OK);
    assert_int_equal(RUN(f, "resume", "t", "--cluster"), TY_EXIT_OK);
    assert_string_equal(f->b.out, "trainjob.trainer.kubeflow.org/t suspended\n"
                                  "trainjob.trainer.kubeflow.org/t resumed\n");
    assert_has(f->peer.asked[2], "PATCH /apis/trainer.kubeflow.org/v1alpha1/namespaces/team/"
                                 "trainjobs/t");
    assert_has(f->peer.asked[2], "fieldManager=trainyard-cli"); /* as submit --apply */
    assert_has(f->peer.asked[2], "application/merge-patch+json");
    assert_has(f->peer.asked[2], "{\"spec\":{\"suspend\":true}}");
    assert_has(f->peer.asked[5], "{\"spec\":{\"suspend\":false}}");
    assert_string_equal(f->b.err, "");
}

/* Whoever admits jobs may undo it. */
static void test_kueue(void **state)
{
    static const char *const answers[] = { JOB("\"kueue.x-k8s.io/queue-name\":\"gpu\"", ""),
                                           NOT_FOUND, JOB("", ""), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "suspend", "t", "--cluster"), TY_EXIT_OK);
    assert_string_equal(f->b.err, "note: Kueue decides about this job (queue \"gpu\") and may "
                                  "resume it again\n");
}

static void test_over_or_refused(void **state)
{
    static const char *const answers[] = { JOB("", "{\"type\":\"Failed\",\"status\":\"True\"}"),
                                           NOT_FOUND,
                                           JOB("", ""),
                                           NOT_FOUND,
                                           FORBIDDEN,
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "resume", "t", "--cluster"), TY_EXIT_BAD);
    assert_int_equal(RUN(f, "resume", "t", "--cluster"), TY_EXIT_BAD);
    assert_has(f->b.err, "error: trainjob \"t\" does not run: it is Failed\n");
    assert_has(f->b.err, "error: cannot resume TrainJob \"t\": you may not patch trainjobs");
    assert_string_equal(f->b.out, "");
}

/* A finalizer may keep it for long; the server would accept the patch. */
static void test_being_deleted(void **state)
{
    static const char *const answers[] = {
        OK "{\"metadata\":{\"name\":\"t\",\"deletionTimestamp\":\"2026-01-02T03:04:05Z\"}}",
        NOT_FOUND, NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "resume", "t", "--cluster"), TY_EXIT_BAD);
    assert_string_equal(f->b.err, "error: cannot resume trainjob \"t\": it is being deleted\n");
    assert_string_equal(f->b.out, "");
    assert_string_equal(f->peer.asked[2], "");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_the_patch), T(test_kueue), T(test_over_or_refused),
                                        T(test_being_deleted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
