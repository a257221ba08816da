/* What is refused before anything starts, and that nothing starts then. */
#include "engine/engine_testing.h"

static bool found(const struct engine_fixture *w, const char *path, const char *text)
{
    for (const struct ty_preflight_finding *f = w->findings.first; f; f = f->next)
        if (f->error && strcmp(f->path, path) == 0 && strstr(f->text, text))
            return true;
    return false;
}

static void refused(struct engine_fixture *w, const char *text, const char *path, const char *why)
{
    struct ty_err err = { 0 };
    int r = fixture_submit_text(w, text, &err);

    if (r != -ENOTSUP)
        fail_msg("%d: %s", r, err.text);
    if (!found(w, path, why))
        fail_msg("%s: %s", w->findings.first ? w->findings.first->path : "nothing",
                 w->findings.first ? w->findings.first->text : "");
    assert_null(
        ty_local_find(ty_engine_store(w->e), &ty_kind_trainjob, TY_LIT("default"), TY_LIT("j")));
    fixture_run(w); /* over at once: there is nothing to wait for */
    assert_int_equal(w->told.n, 0);
}

static void a_job_of_somebody_else(void **state)
{
    struct engine_fixture *w = *state;
    char *text = fixture_job_text(w, "j", 1, "", SH("true"));

    text = ty_arena_printf(w->a, "%.*s, managedBy: kueue.x-k8s.io/multikueue}\n",
                           (int)strlen(text) - 2, text);
    refused(w, text, "spec.managedBy",
            "TrainJob j is managed by kueue.x-k8s.io/multikueue; not run");
}

static void our_own_name_is_no_obstacle(void **state)
{
    struct engine_fixture *w = *state;
    char *text = fixture_job_text(w, "j", 1, "", SH("true"));
    struct ty_err err = { 0 };

    text = ty_arena_printf(w->a, "%.*s, managedBy: trainer.kubeflow.org/trainjob-controller}\n",
                           (int)strlen(text) - 2, text);
    assert_int_equal(fixture_submit_text(w, text, &err), 0);
    fixture_run(w);
    assert_observed(w, "J j Complete");
}

static void a_jobset_of_somebody_else(void **state)
{
    struct engine_fixture *w = *state;
    refused(w, fixture_job_text(w, "j", 1, "      managedBy: acme.io/x\n", SH("true")),
            "spec.managedBy", "managed by acme.io/x; not run");
}

static void more_pods_than_the_machine_has_room_for(void **state)
{
    struct engine_fixture *w = *state;

    assert_true(w->o.host.pods_most > 100); /* found for real */
    assert_true(w->o.host.pods_why[0]);
    w->o.host.pods_most = 3;
    refused(w, fixture_job_text(w, "j", 4, "", SH("true")),
            "spec.replicatedJobs[0].template.spec.parallelism",
            "wants 4 pods at once, this machine can have 3: ");
}

#define POLICY                                                                                     \
    "      volumeClaimPolicies: [{templates: [{metadata: {name: data}, spec: {accessModes: "       \
    "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}]\n"
#define MOUNTING                                                                                   \
    "{restartPolicy: Never, containers: [{name: main, image: x, command: ['true'], volumeMounts: " \
    "[{name: data, mountPath: /data}]}]}"

/* A claim of that name that somebody else made would be mistaken for the job's own. */
static void a_claim_that_exists_already(void **state)
{
    struct engine_fixture *w = *state;
    char *job = fixture_job_text(w, "j", 1, POLICY, MOUNTING);

    refused(w,
            ty_arena_printf(w->a,
                            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: "
                            "data-j}\nspec: {accessModes: [ReadWriteOnce]}\n---\n%s",
                            job),
            "JobSet", "data-j");
}

static void findings_come_all_at_once(void **state)
{
    struct engine_fixture *w = *state;

    refused(w,
            fixture_job_text(w, "j", 1, "",
                             "{restartPolicy: Never, hostPID: true, nodeSelector: {disk: ssd},"
                             " containers: [{name: main, image: x, command: ['true']}]}"),
            "spec.replicatedJobs[0].template.spec.template.spec.hostPID", "no local equivalent");
    assert_true(found(w, "spec.replicatedJobs[0].template.spec.template.spec.nodeSelector[disk]",
                      "no host label disk=ssd"));
    assert_int_equal(w->findings.n_errors, 2);
}

static void a_runtime_that_is_not_there(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };
    int r = fixture_submit_text(
        w,
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j}\n"
        "spec: {runtimeRef: {name: nowhere, kind: ClusterTrainingRuntime, apiGroup: "
        "trainer.kubeflow.org}}\n",
        &err);

    assert_true(r < 0);
    assert_has(err.text, "nowhere");
}

/* What an API server would not take is not taken here: all that is made of an object fits. */
static void an_object_of_four_megabytes(void **state)
{
    struct engine_fixture *w = *state;
    size_t n = (size_t)4 << 20;
    char *big = ty_arena_alloc(w->a, n + 1, 1);
    struct ty_err err = { 0 };

    memset(big, 'x', n);
    char *text = fixture_job_text(w, "j", 1, "", SH("true"));
    text = ty_arena_printf(w->a, "%.*s{env: [{name: A, value: %s}]}}\n", (int)strlen(text) - 4,
                           text, big);
    assert_int_equal(fixture_submit_text(w, text, &err), -EFBIG);
    assert_non_null(strstr(err.text, "TrainJob j: Request entity too large: limit is 3145728"));
}

/* Each pod is a copy of the template. */
static void a_run_of_many_large_pods(void **state)
{
    struct engine_fixture *w = *state;
    size_t n = (size_t)1 << 20;
    char *big = ty_arena_alloc(w->a, n + 1, 1);
    struct ty_err err = { 0 };

    memset(big, 'x', n);
    char *pod = ty_arena_printf(w->a,
                                "{containers: [{name: node, image: i, command: [\"true\"],"
                                " env: [{name: A, value: %s}]}]}",
                                big);
    char *text = fixture_job_text(w, "j", 200, "", pod);
    int r = fixture_submit_text(w, text, &err);
    if (r != -ENOTSUP)
        fail_msg("%d: %s", r, err.text);
    const struct ty_preflight_finding *it = w->findings.first;
    assert_int_equal(w->findings.n_errors, 1);
    assert_string_equal(it->text, "200 pods of job \"node\" would together be larger than 128 MiB");
    assert_string_equal(it->path, "spec.runtimeRef"); /* the runtime has numNodes */
    assert_string_equal(it->job, "j");
    assert_true(it->in_trainjob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(a_job_of_somebody_else),
        ENGINE_TEST(our_own_name_is_no_obstacle),
        ENGINE_TEST(a_jobset_of_somebody_else),
        ENGINE_TEST(more_pods_than_the_machine_has_room_for),
        ENGINE_TEST(a_claim_that_exists_already),
        ENGINE_TEST(findings_come_all_at_once),
        ENGINE_TEST(a_runtime_that_is_not_there),
        ENGINE_TEST(an_object_of_four_megabytes),
        ENGINE_TEST(a_run_of_many_large_pods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
