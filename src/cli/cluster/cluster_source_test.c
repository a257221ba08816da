/* get, describe and events against a scripted server; tests/operator/test_cli_cluster.py uses a
 * real control plane. The answers come in the order of the requests. */
#include "cli/cluster/cluster_session_testing.h"
#include "cli/cluster/cluster_source.h"

#define META(name)                                                                                 \
    "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"team\",\"uid\":\"u-" name "\","
#define JOB(name, status)                                                                          \
    "{" META(name) "\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"spec\":{\"runtimeRef\":{"    \
                   "\"name\":\"torch\",\"kind\":\"ClusterTrainingRuntime\"},\"trainer\":{"         \
                   "\"numNodes\":2}},\"status\":" status "}"
#define FAILED_AT                                                                                  \
    "{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"FailedJobs\","         \
    "\"message\":\"jobset failed; first failure: node-0-1: boom\","                                \
    "\"lastTransitionTime\":\"2026-01-02T03:05:05Z\"}]}"
#define JOBSET(name)                                                                               \
    "{" META(name) "\"ownerReferences\":[{\"kind\":\"TrainJob\",\"name\":\"" name "\","            \
                   "\"controller\":true}]},\"spec\":{\"failurePolicy\":{\"maxRestarts\":3},"       \
                   "\"replicatedJobs\":[{\"name\":\"node\"}]},\"status\":{\"restarts\":1}}"
#define POD(name, host, job, more)                                                                 \
    "{" META(name) "\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"" job "\"}},\"spec\":{"       \
                   "\"hostname\":\"" host                                                          \
                   "\",\"containers\":[{\"name\":\"node\"}]},\"status\":" more "}"
#define RUNNING                                                                                    \
    "{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\",\"containerStatuses\":[{\"name\":\"node\","     \
    "\"ready\":true,\"restartCount\":0,\"state\":{\"running\":{}}}]}"
#define EVENT_OF(uid, kind, name, reason, text)                                                    \
    "{\"metadata\":{\"name\":\"" uid "\",\"uid\":\"" uid                                           \
    "\"},\"involvedObject\":{\"kind\":\"" kind "\",\"name\":\"" name                               \
    "\"},\"type\":\"Normal\",\"reason\":\"" reason "\",\"message\":\"" text                        \
    "\",\"count\":1,\"firstTimestamp\":\"2026-01-02T03:04:10Z\",\"lastTimestamp\":"                \
    "\"2026-01-02T03:04:10Z\"}"

#define RUN(f, ...) FIXTURE_RUN(&(f)->b, __VA_ARGS__)

static void test_list(void **state)
{
    static const char *const answers[] = { LIST("1", JOB("a", FAILED_AT) "," JOB("b", "{}")),
                                           LIST("1", JOBSET("a")), LIST("1", JOB("a", FAILED_AT)),
                                           LIST("1", JOBSET("a")), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "get", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "NAME   RUNTIME   NODES   STATE     PROGRESS   RESTARTS   STARTED");
    assert_has(f->b.out, "\na      torch     2       Failed               1 ");
    assert_has(f->b.out, "\nb      torch     2       Created              0 ");
    assert_has(f->b.out, "   60s\n"); /* from creation to the condition */
    assert_has(f->peer.asked[0], "/namespaces/team/trainjobs?");
    assert_int_equal(RUN(f, "get", "-A", "-o", "wide", "--context", "c"), TY_EXIT_OK);
    assert_has(f->b.out, "DURATION   NAMESPACE\n");
    assert_has(f->peer.asked[2], "GET /apis/trainer.kubeflow.org/v1alpha1/trainjobs?");
}

static void test_objects_as_they_are(void **state)
{
    static const char *const answers[] = { OK JOB("a", "{}"), OK JOBSET("a"), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "get", "a", "-o", "json", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "\"uid\": \"u-a\"");
    assert_null(strstr(f->b.out, "trainyard.dev/"));
}

/* Those of TrainJobs only, by the name of the TrainJob, of the pod or of the host. */
static void test_pods(void **state)
{
    static const char *const answers[] = { LIST("1", JOBSET("a")),
                                           LIST("1", POD("a-node-0-0-x", "a-node-0-0", "a",
                                                         RUNNING) "," POD("z-0-0-x", "z-0-0", "z",
                                                                          RUNNING)),
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "get", "pods", "a", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "NAME           READY   STATUS    RESTARTS   AGE\n"
                         "a-node-0-0-x   1/1     Running   0 ");
    assert_null(strstr(f->b.out, "z-0-0"));
    assert_has(f->peer.asked[1], "labelSelector=jobset.sigs.k8s.io%2Fjobset-name");
}

static void test_describe(void **state)
{
    static const char *const answers[] = {
        OK JOB("a", FAILED_AT), OK JOBSET("a"),
        LIST("1", POD("a-node-0-0-x", "a-node-0-0", "a", RUNNING)),
        LIST("1", EVENT_OF("e1", "Pod", "a-node-0-0-x", "Pulled",
                           "m1") "," EVENT_OF("e2", "Pod", "other-node-0-0-x", "Pulled", "m2")),
        NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "describe", "trainjob/a", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "Name:        a\nNamespace:   team\nState:       Failed\n");
    assert_has(f->b.out, "Restarts:    1 of 3\nStarted:     2026-01-02T03:04:05Z (");
    assert_has(f->b.out, "\nFailure:\n  node-0-1: boom\nConditions:\n");
    assert_has(f->b.out, "\n    jobset failed\nTimeline:\n");
    assert_has(f->b.out, "  node-0-0   node        Running          0          10.0.0.1   "
                         "a-node-0-0-x\n");
    assert_has(f->b.out, "pod/a-node-0-0-x   m1\n");
    assert_null(strstr(f->b.out, "m2"));
    assert_null(strstr(f->b.out, "Run:"));
    assert_null(strstr(f->b.out, "Folder:"));
}

/* Only the message of a failure has a part that is printed elsewhere. */
static void test_describe_long_messages(void **state)
{
    static const char *const answers[] = {
        OK JOB("a",
               "{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\",\"reason\":"
               "\"Queued\",\"message\":\"no quota:\\ngpu: 8 of 8 used\\ncpu: first failure: x\"},"
               "{\"type\":\"Failed\",\"status\":\"False\",\"reason\":\"Again\",\"message\":"
               "\"it was:\\nretried\"}]}"),
        OK JOBSET("a"), LIST("1", ""), LIST("1", ""), NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "describe", "a", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "\n    no quota:\n    gpu: 8 of 8 used\n    cpu: first failure: x\n");
    assert_has(f->b.out, "\n    it was:\n    retried\n");
}

/* Without the right to pods and events a sentence stands in their place. */
static void test_missing_rights(void **state)
{
    static const char *const answers[] = {
        OK JOB("a", "{}"),         FORBIDDEN, FORBIDDEN,         FORBIDDEN, FORBIDDEN,
        LIST("1", JOB("a", "{}")), FORBIDDEN, OK JOB("a", "{}"), FORBIDDEN, NULL
    };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "describe", "a", "--cluster"), TY_EXIT_OK);
    assert_null(strstr(f->b.out, "Restarts:"));
    assert_has(f->b.out, "\nNodes:\n  cannot list its pods: you may not list pods in namespace "
                         "\"team\" of context \"c\"; to check: kubectl --context c auth can-i list "
                         "pods -n team\n");
    assert_has(f->b.out, "\nEvents:\n  cannot list events: you may not list events in namespace ");
    assert_int_equal(RUN(f, "get", "--cluster"), TY_EXIT_BAD);
    assert_has(f->b.err, "error: cannot list TrainJobs: you may not list "
                         "trainjobs.trainer.kubeflow.org in namespace \"team\"");
    /* Only the JobSets may not be read: their restarts are unknown, which is not 0. */
    assert_int_equal(RUN(f, "get", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.err, "; NODES and RESTARTS may be missing\n");
    assert_int_equal(RUN(f, "get", "a", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "RESTARTS");
    assert_null(strstr(f->b.out, "   0   "));
}

static bool count_event(void *ctx, const struct ty_job_event *event)
{
    assert_string_equal(event->message, "said");
    ++*(int *)ctx;
    return true;
}

/* What a call reads is in its own arena: a watch runs for days. */
static void test_memory_of_events(void **state)
{
    static const char *const answers[] = { LIST("1", EVENT_OF("e", "JobSet", "a", "R", "said")),
                                           LIST("1", EVENT_OF("e", "JobSet", "a", "R", "said")),
                                           FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;
    ty_auto_job_source *s = NULL;
    const char *why = NULL;
    int n = 0;

    cluster_serve(f, answers);
    assert_int_equal(
        ty_cluster_source_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, false, &s),
        TY_EXIT_OK);
    size_t used = ty_arena_used(f->b.cli.arena);
    for (int i = 0; i < 3; i++) {
        ty_auto_arena *a = ty_arena_new_input(1 << 20, NULL);
        assert_int_equal(s->ops->events(s, a, NULL, count_event, &n, &why), TY_EXIT_OK);
        assert_true((why != NULL) == (i == 2));
    }
    assert_int_equal(n, 2);
    assert_int_equal(ty_arena_used(f->b.cli.arena), used);
}

static void test_by_a_pod(void **state)
{
    static const char *const answers[] = { NOT_FOUND,
                                           NOT_FOUND,
                                           LIST("1", POD("a-node-0-0-x", "a-node-0-0", "a", "{}")),
                                           OK JOB("a", "{}"),
                                           OK JOBSET("a"),
                                           LIST("1", EVENT_OF("e", "JobSet", "a", "R", "said")),
                                           NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "events", "a-node-0-0", "--cluster"), TY_EXIT_OK);
    assert_has(f->b.out, "jobset/a   said\n");
}

static void test_not_found(void **state)
{
    static const char *const answers[] = { NOT_FOUND, NOT_FOUND, NOT_FOUND, LIST("1", ""), NULL };
    struct cluster_fixture *f = *state;

    cluster_serve(f, answers);
    assert_int_equal(RUN(f, "get", "ghost", "--cluster"), TY_EXIT_BAD);
    assert_has(f->b.err, "error: trainjobs.trainer.kubeflow.org \"ghost\" not found\n");
    assert_int_equal(RUN(f, "describe", "ghost", "--cluster"), TY_EXIT_BAD);
}

static void test_usage(void **state)
{
    struct cluster_fixture *f = *state;

    cluster_kubeconfig("http://127.0.0.1:1");
    assert_int_equal(RUN(f, "get", "--cluster", "--run", "1"), TY_EXIT_USAGE);
    assert_int_equal(RUN(f, "get", "claims", "--cluster"), TY_EXIT_USAGE);
    assert_has(f->b.err, "claims are those of this machine");
    assert_int_equal(RUN(f, "get", "--context", "nowhere"), TY_EXIT_BAD);
    assert_has(f->b.err, "nowhere");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_list),     T(test_objects_as_they_are),    T(test_pods),
        T(test_describe), T(test_describe_long_messages), T(test_missing_rights),
        T(test_by_a_pod), T(test_memory_of_events),       T(test_not_found),
        T(test_usage)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
