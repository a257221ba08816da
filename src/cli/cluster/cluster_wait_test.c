/* wait against a scripted server; tests/operator/test_cli_verbs.py uses a real control plane. The
 * requests: the TrainJob, its JobSet, then list, watch, list … */
#include "cli/cluster/cluster_session_testing.h"

#define META                                                                                       \
    "\"metadata\":{\"name\":\"t\",\"namespace\":\"team\",\"uid\":\"u\",\"resourceVersion\":"
#define JOB(rv, status)                                                                            \
    "{" META "\"" rv "\"},\"status\":{\"conditions\":[{\"type\":\"" status                         \
    "\",\"status\":\"True\",\"message\":\"because\"}]}}"
#define EXPIRED     OK EVENT("ERROR", STATUS(410, "Expired", "too old"))
#define RUN(f, ...) FIXTURE_RUN(&(f)->b, "wait", "t", "--cluster", __VA_ARGS__)

/* Events of the time between are lost: the list after that has the state. */
static void test_a_watch_that_expires(void **state)
{
    static const char *const answers[] = { OK JOB("1", "Suspended"),
                                           NOT_FOUND,
                                           LIST("1", JOB("1", "Suspended")),
                                           EXPIRED,
                                           LIST("9", JOB("9", "Complete")),
                                           OK,
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "--for", "complete"), TY_EXIT_OK);
    assert_string_equal(f->b.out, "trainjob.trainer.kubeflow.org/t condition met\n");
    assert_has(f->peer.asked[3], "watch=");
    assert_has(f->peer.asked[4], "limit=");
}

static void test_deleted_while_the_watch_was_away(void **state)
{
    static const char *const answers[] = { OK JOB("1", "Suspended"),
                                           NOT_FOUND,
                                           LIST("1", JOB("1", "Suspended")),
                                           EXPIRED,
                                           LIST("9", ""),
                                           OK,
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "--for", "complete"), TY_EXIT_BAD);
    assert_has(f->b.err,
               "error: trainjob \"t\" is deleted: the condition cannot be met any more\n");
}

/* Seen by the watch; the condition is one that the job cannot have any more. */
static void test_failed(void **state)
{
    static const char *const answers[] = { OK JOB("1", "Suspended"), NOT_FOUND,
                                           LIST("1", JOB("1", "Suspended")),
                                           OK EVENT("MODIFIED", JOB("2", "Failed")), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "--for", "complete"), TY_EXIT_BAD);
    assert_has(f->b.err, "error: trainjob \"t\" is Failed: the condition cannot be met any more\n");
}

static void test_no_right_to_watch(void **state)
{
    static const char *const answers[] = { OK JOB("1", "Suspended"), NOT_FOUND, FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "--for", "delete"), TY_EXIT_BAD);
    assert_has(f->b.err, "error: cannot watch TrainJob \"t\": you may not watch ");
    assert_string_equal(f->b.out, "");
}

/* Met at once, as kubectl has it; but not if the cluster cannot have TrainJobs. */
static void test_gone_already(void **state)
{
    static const char *const answers[] = { NOT_FOUND, NOT_FOUND, LIST("1", ""),
                                           "HTTP/1.1 404 Not Found\r\n\r\n404 page not found\n",
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "--for", "delete"), TY_EXIT_OK);
    assert_string_equal(f->b.out, "trainjob.trainer.kubeflow.org/t condition met\n");
    assert_string_equal(f->b.err, "");
    assert_int_equal(RUN(f, "--for", "delete"), TY_EXIT_BAD);
}

/* Whether the TrainJob of that pod exists is unknown. */
static void test_no_such_pod(void **state)
{
    static const char *const answers[] = { NOT_FOUND, LIST("1", ""), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(FIXTURE_RUN(&f->b, "wait", "pod/nothing", "--for", "delete", "--cluster"),
                     TY_EXIT_BAD);
    assert_string_equal(f->b.out, "");
    assert_has(f->b.err, "not found\n");
}

static void test_no_time(void **state)
{
    static const char *const answers[] = { OK JOB("1", "Suspended"), NOT_FOUND, NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "--timeout", "0"), TY_EXIT_BAD);
    assert_string_equal(f->b.err, "error: timed out waiting for the condition on trainjobs/t\n");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_a_watch_that_expires),
                                        T(test_deleted_while_the_watch_was_away),
                                        T(test_failed),
                                        T(test_no_right_to_watch),
                                        T(test_no_time),
                                        T(test_no_such_pod),
                                        T(test_gone_already) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
