/* Who gets the machine's devices, in which order, and what becomes of those who wait. */
#include "engine/engine_testing.h"
#include "engine/pod/pods.h"

static const char *const two[] = { "0", "1", NULL };

/* A machine with these devices; they are not opened by anybody. */
static void have(struct engine_fixture *w, const char *const *gpus)
{
    w->o.host.gpus = gpus;
    w->o.host.gpu_resource = "nvidia.com/gpu";
    w->o.host.gpu_var = "CUDA_VISIBLE_DEVICES";
}

/* A pod that asks for `gpus`; its script runs in the folder that the test shares with it. */
static char *pod(struct engine_fixture *w, int gpus, const char *script)
{
    return ty_arena_printf(
        w->a,
        "{restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{name: main, image: "
        "x, workingDir: %s/claims, resources: {limits: {nvidia.com/gpu: %d}}, command: [sh, -c, "
        "\"%s\"]}]}",
        w->dir, gpus, script);
}

static void touch(struct engine_fixture *w, const char *file)
{
    int fd = open(ty_arena_printf(w->a, "%s/claims/%s", w->dir, file),
                  O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

#define UNTIL(file) "until test -e " file "; do sleep 0.02; done; "
/* Two ranks, neither of which can end without the other. */
#define MEET(job) "touch " job "-$JOB_COMPLETION_INDEX; " UNTIL(job "-0") UNTIL(job "-1") "echo met"

static bool all_wait(struct engine_fixture *w)
{
    size_t waiting = 0;
    for (const struct ty_pod_runtime *p = w->e->pods.first; p; p = p->next)
        waiting += p->waiting;
    return fixture_observed(w, "L x-node-0-0/main up\n") && waiting == 2 &&
           ty_engine_queued(w->e) == 0;
}

/* Job x has all of the machine until the file `go` is there. */
static void submit_x(struct engine_fixture *w, int gpus)
{
    fixture_submit(w, "x", 1, pod(w, gpus, "echo up; " UNTIL("go") "echo down"));
}

static void a_gang_behind_a_large_pod(void **state)
{
    struct engine_fixture *w = *state;

    have(w, two);
    submit_x(w, 2);
    fixture_submit(w, "b", 2, pod(w, 1, MEET("b")));
    w->enough = all_wait;
    fixture_run(w);
    assert_false(fixture_observed(w, "met"));
    touch(w, "go");
    w->enough = NULL;
    fixture_run(w);
    assert_observed(w, "J b Complete");
    assert_int_equal(w->e->gpus.used, 0);
}

/* A job of these replicated jobs, in YAML. */
static void submit_rjobs(struct engine_fixture *w, const char *job, const char *rjobs)
{
    struct ty_err err = { 0 };
    const char *text = ty_arena_printf(
        w->a,
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
        "metadata: {name: rt-%s}\nspec:\n  mlPolicy: {numNodes: 1}\n  template:\n    spec:\n"
        "      replicatedJobs:\n%s"
        "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: %s}\n"
        "spec: {runtimeRef: {name: rt-%s, kind: ClusterTrainingRuntime,"
        " apiGroup: trainer.kubeflow.org}, trainer: {}}\n",
        job, rjobs, job, job);

    if (fixture_submit_text(w, text, &err) < 0)
        fail_msg("%s: %s", err.text, w->findings.first ? w->findings.first->text : "");
}

static char *rjob(struct engine_fixture *w, const char *name, const char *depends_on,
                  const char *pod)
{
    return ty_arena_printf(w->a,
                           "      - {name: %s, dependsOn: [%s], template: {spec: {backoffLimit: 0,"
                           " template: {spec: %s}}}}\n",
                           name, depends_on, pod);
}

/* A gang whose second half comes when the first is ready: each of two would hold one device and
 * wait for the other for ever. */
static void submit_halves(struct engine_fixture *w, const char *job)
{
    char *first = pod(w, 1, ty_arena_printf(w->a, UNTIL("%s-second") "echo met", job));
    char *second = pod(w, 1, ty_arena_printf(w->a, "touch %s-second", job));

    submit_rjobs(w, job,
                 ty_arena_printf(w->a, "%s%s", rjob(w, "first", "", first),
                                 rjob(w, "second", "{name: first, status: Ready}", second)));
}

static void two_gangs_do_not_halve_the_machine(void **state)
{
    struct engine_fixture *w = *state;

    have(w, two);
    submit_halves(w, "a");
    submit_halves(w, "b");
    fixture_run(w);
    assert_observed(w, "J a Complete");
    assert_observed(w, "J b Complete");
    assert_int_equal(w->e->gpus.used, 0);
}

/* b runs beside c, which comes after a and is not counted with it: the claim is 2, and 3 are held.
 */
static void stages_that_overlap(void **state)
{
    struct engine_fixture *w = *state;
    static const char *const three[] = { "0", "1", "2", NULL };

    have(w, three);
    submit_rjobs(w, "j",
                 ty_arena_printf(w->a, "%s%s%s", rjob(w, "a", "", pod(w, 1, "true")),
                                 rjob(w, "b", "", pod(w, 1, UNTIL("met") "echo b met")),
                                 rjob(w, "c", "{name: a, status: Complete}",
                                      pod(w, 2, "touch met; echo c has $CUDA_VISIBLE_DEVICES"))));
    fixture_run(w);
    assert_observed(w, "b met");
    assert_observed(w, "c has 0,2");
    assert_observed(w, "J j Complete");
}

/* x has one device; a wants two; b would fit, but a came first. */
static void a_later_job_does_not_pass(void **state)
{
    struct engine_fixture *w = *state;

    have(w, two);
    submit_x(w, 1);
    fixture_submit(w, "a", 1, pod(w, 2, "echo a ran"));
    fixture_submit(w, "b", 1, pod(w, 1, "echo b ran"));
    w->enough = all_wait;
    fixture_run(w);
    touch(w, "go");
    w->enough = NULL;
    fixture_run(w);
    assert_observed(w, "main down\nL a-node-0-0/main a ran\nL b-node-0-0/main b ran\n");
}

static void who_waits_says_so(void **state)
{
    struct engine_fixture *w = *state;

    have(w, two);
    submit_x(w, 2);
    fixture_submit(w, "b", 2, pod(w, 1, "true"));
    w->enough = all_wait;
    fixture_run(w);
    const struct ty_json *conditions =
        ty_json_at(fixture_stored(w, "b-node-0-1"), "status.conditions");
    const struct ty_json *c = ty_json_find_item(conditions, "type", TY_LIT("PodScheduled"), NULL);
    assert_true(ty_str_is(ty_json_str_at(c, "status"), "False"));
    assert_true(ty_str_is(ty_json_str_at(c, "message"),
                          "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."));
    c = ty_json_find_item(ty_json_at(fixture_stored(w, "x-node-0-0"), "status.conditions"), "type",
                          TY_LIT("PodScheduled"), NULL);
    assert_true(ty_str_is(ty_json_str_at(c, "status"), "True"));
}

static bool one_waits(struct engine_fixture *w)
{
    return !fixture_stored(w, "a-node-0-0") && ty_engine_queued(w->e) == 0;
}

static bool b_is_complete(struct engine_fixture *w)
{
    return fixture_observed(w, "J b Complete");
}

/* a is first in line, and is taken out of it; b follows, and later a, if it comes back. */
static void who_is_suspended_gives_up_its_place(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    have(w, two);
    submit_x(w, 2);
    fixture_submit(w, "a", 1, pod(w, 2, "echo a ran"));
    fixture_submit(w, "b", 1, pod(w, 2, "echo b ran"));
    w->enough = all_wait;
    fixture_run(w);
    assert_int_equal(ty_engine_suspend(w->e, "a", true, &err), 0);
    w->enough = one_waits;
    fixture_run(w);
    touch(w, "go");
    w->enough = b_is_complete;
    fixture_run(w);
    assert_not_observed(w, "a ran");
    assert_int_equal(ty_engine_suspend(w->e, "a", false, &err), 0);
    w->enough = NULL;
    fixture_run(w);
    assert_observed(w, "J a Complete");
}

static void who_is_deleted_is_not_waited_for(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    have(w, two);
    submit_x(w, 1);
    fixture_submit(w, "a", 1, pod(w, 2, "echo a ran"));
    fixture_submit(w, "b", 1, pod(w, 1, "echo b ran; touch go"));
    w->enough = all_wait;
    fixture_run(w);
    assert_int_equal(ty_engine_delete(w->e, "a", &err), 0); /* b fits beside x now */
    w->enough = NULL;
    fixture_run(w);
    assert_observed(w, "J b Complete");
    assert_not_observed(w, "a ran");
}

/* A job of one pod with these members of the Job's spec. */
static void submit_with(struct engine_fixture *w, const char *name, const char *job_spec,
                        const char *pod)
{
    static const char usual[] = "backoffLimit: 0";
    struct ty_err err = { 0 };
    char *text = fixture_job_text(w, name, 1, "", pod), *at = strstr(text, usual);

    assert_non_null(at);
    text = ty_arena_printf(w->a, "%.*s%s%s", (int)(at - text), text, job_spec, at + strlen(usual));
    assert_int_equal(fixture_submit_text(w, text, &err), 0);
}

/* Its time is over before it began. */
static void who_fails_while_waiting_is_not_waited_for(void **state)
{
    struct engine_fixture *w = *state;

    have(w, two);
    submit_x(w, 1);
    submit_with(w, "a", "activeDeadlineSeconds: 1", pod(w, 2, "echo a ran"));
    fixture_submit(w, "b", 1, pod(w, 1, "echo b ran; touch go"));
    fixture_run(w);
    assert_observed(w, "J a Failed");
    assert_observed(w, "J b Complete");
    assert_not_observed(w, "a ran");
}

/* Init containers run one after another: with the same devices as the containers after them. */
static void init_containers_ask_for_no_more(void **state)
{
    struct engine_fixture *w = *state;

    have(w, two);
    fixture_submit(
        w, "j", 1,
        "{restartPolicy: Never, initContainers: [{name: one, image: x, resources: {limits:"
        " {nvidia.com/gpu: 2}}, command: [sh, -c, 'echo $CUDA_VISIBLE_DEVICES']}],"
        " containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 1}},"
        " command: [sh, -c, 'echo $CUDA_VISIBLE_DEVICES']}, {name: more, image: x,"
        " resources: {limits: {nvidia.com/gpu: 1}}, command: [sh, -c,"
        " 'echo $CUDA_VISIBLE_DEVICES']}]}");
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/one 0,1\n");
    assert_observed(w, "L j-node-0-0/main 0\n");
    assert_observed(w, "L j-node-0-0/more 1\n");
}

static const char *first_error(const struct engine_fixture *w)
{
    const struct ty_preflight_finding *f = w->findings.first;

    while (f && !f->error)
        f = f->next;
    return f ? f->text : "";
}

/* Found before anything starts; and should it come later all the same, nobody waits for ever. */
static void more_than_there_is(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };
    static const char *const one[] = { "0", NULL };

    have(w, two);
    assert_int_equal(
        fixture_submit_text(w, fixture_job_text(w, "a", 3, "", pod(w, 1, "true")), &err), -ENOTSUP);
    assert_has(first_error(w), "wants 3 nvidia.com/gpu at once, host has 2");
    w->findings = (struct ty_preflight_findings){ .arena = w->a };
    fixture_submit(w, "b", 1, pod(w, 2, "true"));
    w->e->o.host.gpus = one;
    fixture_run(w);
    assert_observed(w, "E Warning FailedToBegin b-node-0-0: wants 2 nvidia.com/gpu, host has 1");
    assert_observed(w, "J b Failed");
}

/* The first restart is at once, the second after ten seconds. */
static bool crashed(struct engine_fixture *w)
{
    return fixture_count(w, "P x-node-0-0 main 1 Error") == 2 && ty_engine_queued(w->e) == 0 &&
           w->e->pods.first && w->e->pods.first->waiting;
}

/* x waits for its next try and is over as soon as it is told to stop; the device that it had then
 * must not start the one that waits, whichever of the two is told first. */
static void nobody_begins_while_all_is_stopped(void **state)
{
    struct engine_fixture *w = *state;
    static const char *const one[] = { "0", NULL };

    have(w, one);
    submit_with(w, "x", "backoffLimit: 6",
                "{restartPolicy: OnFailure, containers: [{name: main, image: x, resources: {limits:"
                " {nvidia.com/gpu: 1}}, command: [sh, -c, 'exit 1']}]}");
    fixture_submit(w, "b", 1, pod(w, 1, "echo b ran"));
    w->enough = crashed;
    fixture_run(w);
    struct ty_pod_runtime *b = w->e->pods.first,
                          *x = b->next; /* newest first; now the other way round */
    assert_null(x->next);
    w->e->pods.first = x;
    x->next = b;
    b->next = NULL;
    ty_engine_stop(w->e, false, "enough");
    w->enough = NULL;
    fixture_run(w);
    assert_not_observed(w, "b ran");
    assert_not_observed(w, "P b-node-0-0");
    assert_not_observed(w, "Started b-node-0-0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(a_gang_behind_a_large_pod),
        ENGINE_TEST(two_gangs_do_not_halve_the_machine),
        ENGINE_TEST(stages_that_overlap),
        ENGINE_TEST(a_later_job_does_not_pass),
        ENGINE_TEST(who_waits_says_so),
        ENGINE_TEST(who_is_suspended_gives_up_its_place),
        ENGINE_TEST(who_is_deleted_is_not_waited_for),
        ENGINE_TEST(who_fails_while_waiting_is_not_waited_for),
        ENGINE_TEST(init_containers_ask_for_no_more),
        ENGINE_TEST(more_than_there_is),
        ENGINE_TEST(nobody_begins_while_all_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
