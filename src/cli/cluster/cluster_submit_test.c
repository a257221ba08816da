/* submit against a scripted server; tests/operator/test_cli_verbs.py uses a real control plane. The
 * requests: the runtime of each TrainJob, then the objects. */
#include "cli/cluster/cluster_session_testing.h"

#define OBJECT(name)                                                                               \
    OK "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{"    \
       "\"name\":\"" name "\",\"namespace\":\"team\",\"uid\":\"u\"}}"
#define TRAINJOB(name)                                                                             \
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: " name "\n"     \
    "spec:\n  runtimeRef: {name: r}\n"
#define RUN(f, ...) FIXTURE_RUN(&(f)->b, "submit", "job.yaml", "--cluster", __VA_ARGS__)

static void begin(struct cluster_fixture *f, const char *const *answers)
{
    cluster_serve(f, answers);
    fixture_file("job.yaml", TRAINJOB("t"));
}

/* The runtime may not be read: the server checks the job. What is sent has no defaults of ours. */
static void test_create_and_apply(void **state)
{
    static const char *const answers[] = { FORBIDDEN, OBJECT("t"), FORBIDDEN, OBJECT("t"), NULL };
    struct cluster_fixture *f = *state;

    begin(f, answers);
    assert_int_equal(RUN(f, "--set", "spec.trainer.numNodes=4", "-e", "A=b"), TY_EXIT_OK);
    assert_int_equal(RUN(f, "--apply"), TY_EXIT_OK);
    assert_string_equal(f->b.out, "trainjob.trainer.kubeflow.org/t created\n"
                                  "trainjob.trainer.kubeflow.org/t serverside-applied\n");
    assert_has(f->b.err, "note: job.yaml:1: not checked before it is sent: cannot read "
                         "ClusterTrainingRuntime \"r\": you may not get ");
    assert_has(f->peer.asked[1], "POST /apis/trainer.kubeflow.org/v1alpha1/namespaces/team/"
                                 "trainjobs");
    assert_has(f->peer.asked[1], "\"trainer\":{\"numNodes\":4,\"env\":[{\"name\":\"A\"");
    assert_null(strstr(f->peer.asked[1], "managedBy"));
    assert_has(f->peer.asked[3], "PATCH ");
    assert_has(f->peer.asked[3], "fieldManager=trainyard-cli");
}

/* The place of the mistake is that of the file. */
static void test_refused(void **state)
{
    static const char *const answers[] = {
        FORBIDDEN,
        "HTTP/1.1 422 Unprocessable Entity\r\n\r\n{\"kind\":\"Status\",\"code\":422,\"reason\":"
        "\"Invalid\",\"message\":\"refused\",\"details\":{\"causes\":[{\"field\":"
        "\"spec.runtimeRef\",\"message\":\"Invalid value: no such thing\"}]}}",
        FORBIDDEN, "HTTP/1.1 409 Conflict\r\n\r\n" STATUS(409, "AlreadyExists", "it exists"), NULL
    };
    struct cluster_fixture *f = *state;

    begin(f, answers);
    assert_int_equal(RUN(f, "-o", "name"), TY_EXIT_BAD);
    assert_int_equal(RUN(f, "-o", "name"), TY_EXIT_BAD);
    assert_has(f->b.err, "job.yaml:6:15: spec.runtimeRef: Invalid value: no such thing\n");
    assert_has(f->b.err, "job.yaml:1: TrainJob t: it exists (--apply changes it)\n");
    assert_string_equal(f->b.out, "");
}

/* What the cluster does not have is known before anything is sent. */
static void test_no_runtime(void **state)
{
    static const char *const answers[] = { NOT_FOUND, NULL };
    struct cluster_fixture *f = *state;

    begin(f, answers);
    assert_int_equal(RUN(f, "--wait"), TY_EXIT_BAD);
    assert_has(f->b.err, "the cluster of context \"c\" has no such ClusterTrainingRuntime");
    assert_string_equal(f->peer.asked[1], "");
}

/* The server has the kind, but not the namespace. */
static void test_no_namespace(void **state)
{
    static const char *const answers[] = {
        FORBIDDEN,
        "HTTP/1.1 404 Not Found\r\n\r\n{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\","
        "\"message\":\"namespaces \\\"ghost\\\" not "
        "found\",\"details\":{\"name\":\"ghost\",\"kind\":"
        "\"namespaces\"}}",
        NOT_FOUND, NULL
    };
    struct cluster_fixture *f = *state;

    begin(f, answers);
    assert_int_equal(RUN(f, "-n", "ghost"), TY_EXIT_BAD);
    assert_has(f->b.err,
               "error: cannot create TrainJob \"t\": namespace \"ghost\" not found in the "
               "cluster of context \"c\"\n");
    assert_int_equal(RUN(f, "-n", "ghost", "--set", "spec.runtimeRef.kind=TrainingRuntime"),
                     TY_EXIT_BAD);
    assert_has(f->b.err, "has no such TrainingRuntime in namespace \"ghost\" (");
}

static void test_wait_for_the_end(void **state)
{
    static const char *const answers[] = {
        FORBIDDEN, OBJECT("t"),
        LIST("1", "{\"metadata\":{\"name\":\"t\",\"namespace\":\"team\",\"uid\":\"u\","
                  "\"resourceVersion\":\"1\"},\"status\":{\"conditions\":[{\"type\":\"Failed\","
                  "\"status\":\"True\",\"message\":\"because\"}]}}"),
        NULL
    };
    struct cluster_fixture *f = *state;

    begin(f, answers);
    assert_int_equal(RUN(f, "--wait"), TY_EXIT_BAD);
    assert_has(f->b.err, "note: waiting for the end; Ctrl-C stops waiting, not the job\n");
    assert_has(f->b.err, "error: trainjob \"t\" is Failed: because\n");
}

/* What create and suspend wrote is not a conflict; what others wrote is one. */
#define CONFLICT(manager)                                                                          \
    "HTTP/1.1 409 Conflict\r\n\r\n{\"kind\":\"Status\",\"code\":409,\"reason\":\"Conflict\","      \
    "\"message\":\"Apply failed\",\"details\":{\"causes\":[{\"reason\":\"FieldManagerConflict\","  \
    "\"message\":\"conflict with \\\"" manager                                                     \
    "\\\" using v1\",\"field\":\".spec.runtimeRef\"}]}}"
static void test_conflict(void **state)
{
    static const char *const answers[] = { FORBIDDEN,
                                           CONFLICT("trainyard-cli"),
                                           OBJECT("t"),
                                           FORBIDDEN,
                                           CONFLICT("kubectl-edit"),
                                           FORBIDDEN,
                                           OBJECT("t"),
                                           NULL };
    struct cluster_fixture *f = *state;

    begin(f, answers);
    assert_int_equal(RUN(f, "--force-conflicts"), TY_EXIT_USAGE);
    assert_int_equal(RUN(f, "--apply"), TY_EXIT_OK);
    assert_null(strstr(f->peer.asked[1], "force=true"));
    assert_has(f->peer.asked[2], "fieldManager=trainyard-cli&force=true");
    assert_int_equal(RUN(f, "--apply"), TY_EXIT_BAD);
    assert_has(f->b.err, "job.yaml:6:15: spec.runtimeRef: Conflict: it belongs to field manager "
                         "\"kubectl-edit\" using v1 (--force-conflicts takes it over)\n");
    assert_int_equal(RUN(f, "--apply", "--force-conflicts"), TY_EXIT_OK);
    assert_has(f->peer.asked[6], "fieldManager=trainyard-cli&force=true");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_create_and_apply), T(test_refused),
                                        T(test_no_runtime),       T(test_no_namespace),
                                        T(test_wait_for_the_end), T(test_conflict) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
