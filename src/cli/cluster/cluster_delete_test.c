/* delete against a scripted server; tests/operator/test_cli_verbs.py uses a real control plane. */
#include "cli/cluster/cluster_session_testing.h"

#define GOING(name)                                                                                \
    OK "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"team\",\"uid\":\"u-" name "\"}}"
#define RUN(f, ...) FIXTURE_RUN(&(f)->b, __VA_ARGS__)

/* All are deleted before the end of any is waited for. That may not be watched: it is unknown. */
static void test_several(void **state)
{
    static const char *const answers[] = { GOING("a"), GOING("b"), /* a dry run */
                                           GOING("a"), GOING("b"), FORBIDDEN, FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "delete", "a", "b", "--cluster"), TY_EXIT_BAD);
    assert_has(f->peer.asked[2], "DELETE ");
    assert_has(f->peer.asked[3], "DELETE ");
    assert_has(f->b.out, "\"a\" deleted\n");
    assert_has(f->b.out, "\"b\" deleted\n");
    assert_has(f->b.err, "error: cannot watch TrainJob \"a\": you may not watch ");
    assert_has(f->b.err, "error: cannot watch TrainJob \"b\": you may not watch ");
}

/* A word before the name may be a kind that trainyard does not know: a server that is asked to
 * delete would have an answer too few. */
static void test_one_of_several_is_missing(void **state)
{
    static const char *const answers[] = { NOT_FOUND, GOING("a"), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "delete", "deployment", "a", "--cluster"), TY_EXIT_BAD);
    assert_has(f->peer.asked[0], "\"dryRun\":[\"All\"]");
    assert_has(f->peer.asked[1], "\"dryRun\":[\"All\"]");
    assert_string_equal(f->b.out, "");
    assert_string_equal(f->b.err,
                        "error: trainjobs.trainer.kubeflow.org \"deployment\" not found\n"
                        "note: nothing was deleted, because not all of these TrainJobs exist\n");
}

/* Whether the other exists is not known. */
static void test_one_of_several_is_refused(void **state)
{
    static const char *const answers[] = { FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "delete", "deployment", "a", "--cluster"), TY_EXIT_BAD);
    assert_string_equal(f->b.out, "");
    assert_has(f->b.err, "error: cannot delete TrainJob \"deployment\": ");
}

static void test_all(void **state)
{
    static const char *const answers[] = {
        LIST("1", "{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}"),
        GOING("a"),
        GOING("b"),
        FORBIDDEN,
        FORBIDDEN,
        NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "delete", "--all", "--yes", "--cluster"), TY_EXIT_BAD);
    assert_has(f->peer.asked[1], "DELETE ");
    assert_has(f->peer.asked[2], "DELETE ");
}

/* Without waiting nothing is watched. */
static void test_no_wait(void **state)
{
    static const char *const answers[] = { GOING("a"), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "delete", "a", "--wait=false", "--cluster"), TY_EXIT_OK);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_several), T(test_one_of_several_is_missing),
                                        T(test_one_of_several_is_refused), T(test_all),
                                        T(test_no_wait) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
