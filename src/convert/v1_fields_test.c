/* No field vanishes in silence. A V1 job of every kind with every field that its API and the API of
 * pods know, each with a value of its own, is converted; then each value must be in the result
 * under its name, or a warning must name it or what it is part of. */
#include "api/schema.h"
#include "convert/convert_testing.h"

/* ---- a value for everything ---- */

struct maker {
    struct ty_arena *arena;
    int64_t n; /* makes values differ */
};

static struct ty_json *full(struct maker *m, const struct ty_schema *s);

static struct ty_json *full_object(struct maker *m, const struct ty_schema *s)
{
    struct ty_json *o = ty_json_object(m->arena);
    for (const struct ty_field *f = s->fields; f && f->name; f++)
        ty_json_set(m->arena, o, f->name, full(m, f->schema));
    return o;
}

static struct ty_json *full(struct maker *m, const struct ty_schema *s)
{
    struct ty_json *v = NULL;
    m->n++;
    switch (s->type) {
    case TY_T_OBJECT:
        return full_object(m, s);
    case TY_T_MAP:
        v = ty_json_object(m->arena);
        ty_json_set(m->arena, v, ty_arena_printf(m->arena, "key%06lld", (long long)m->n),
                    full(m, s->items));
        return v;
    case TY_T_ARRAY:
        v = ty_json_array(m->arena);
        ty_json_push(m->arena, v, full(m, s->items));
        return v;
    case TY_T_INTEGER:
    case TY_T_NUMBER:
    case TY_T_INT_OR_STRING:
    case TY_T_QUANTITY:
        return ty_json_int(m->arena, 1000000 + m->n);
    case TY_T_BOOLEAN:
        return ty_json_bool(m->arena, true);
    case TY_T_TIME:
        return ty_json_cstr(m->arena, "2026-01-02T03:04:05Z");
    case TY_T_ANY:
    case TY_T_STRING:
        break;
    }
    return s->enums ? ty_json_cstr(m->arena, s->enums[0])
                    : ty_json_strf(m->arena, "v%06lld", (long long)m->n);
}

static void set_name(struct ty_arena *a, struct ty_json *list, const char *name)
{
    ty_json_set(a, ty_json_item(list, 0), "name", ty_json_cstr(a, name));
}

/* A pod template with everything, and a sidecar with everything. */
static struct ty_json *full_pod(struct ty_arena *a, const char *main)
{
    struct maker m = { .arena = a };
    struct ty_json *pod = full(&m, &ty_schema_PodTemplateSpec);
    struct ty_json *containers = ty_json_at(pod, "spec.containers");
    set_name(a, containers, main);
    ty_json_push(a, containers, full(&m, &ty_schema_Container));
    return pod;
}

/* ---- looking for it ---- */

struct job {
    const char *text;  /* without pod templates */
    const char *specs; /* "tfReplicaSpecs" */
    const char *main;  /* the container that trains */
    const char *roles[6];
    const char *same[12];         /* paths of what the result does without showing the value */
    const char *twin, *told_twin; /* what is told of one path holds for another */
};

struct search {
    struct ty_arena *arena;
    const struct job *job;
    const struct ty_convert_result *done;
};

/* The value under its name, or as an item of a list. */
static bool holds(const struct ty_json *tree, struct ty_str key, const struct ty_json *v)
{
    ty_each_item (it, tree)
        if (holds(*it, key, v) || (!key.p && ty_json_eq(*it, v)))
            return true;
    ty_each_member (m, tree)
        if ((key.p && ty_str_eq(m->key, key) && ty_json_eq(m->value, v)) || holds(m->value, key, v))
            return true;
    return false;
}

/* A value that is like no other may be part of a text: of a variable, a flag. */
static bool mentions(const struct ty_json *tree, struct ty_str text)
{
    char number[24];
    ty_each_item (it, tree)
        if (mentions(*it, text))
            return true;
    ty_each_member (m, tree)
        if (mentions(m->value, text))
            return true;
    if (!ty_json_is(tree, TY_JSON_INT))
        return ty_str_contains(ty_json_as_str(tree), text);
    (void)snprintf(number, sizeof(number), "%lld", (long long)tree->i);
    return ty_str_is(text, number);
}

static bool mentioned(const struct search *s, const struct ty_json *v)
{
    struct ty_str text = ty_json_as_str(v);
    if (ty_json_is(v, TY_JSON_INT))
        text = ty_str(ty_arena_printf(s->arena, "%lld", (long long)v->i));
    return text.n >= 4 && (mentions(s->done->job, text) || mentions(s->done->runtime, text));
}

static bool is_reported(const struct search *s, const char *path)
{
    const char *twin = s->job->twin;
    for (const char *const *p = s->job->same; *p; p++)
        if (strcmp(*p, path) == 0)
            return true;
    if (warned(s->done, path))
        return true;
    return twin && strncmp(path, twin, strlen(twin)) == 0 &&
           is_reported(s,
                       ty_arena_printf(s->arena, "%s%s", s->job->told_twin, path + strlen(twin)));
}

/* The path of the first value that is nowhere; NULL: all are accounted for. */
static const char *find_lost(const struct search *s, struct ty_str key, const struct ty_json *v,
                             const struct ty_field_path *at)
{
    const char *path = ty_errs_path_text(s->arena, at), *found = NULL;
    size_t i = 0;
    if (is_reported(s, path) || holds(s->done->job, key, v) || holds(s->done->runtime, key, v))
        return NULL;
    if (!ty_json_len(v)) /* a leaf */
        return mentioned(s, v) ? NULL : path;
    ty_each_item (it, v)
        if (!found)
            found = find_lost(s, (struct ty_str){ 0 }, *it, TY_IDX(at, i++));
    ty_each_member (m, v)
        if (!found)
            found = find_lost(s, m->key, m->value, TY_KEYS(at, m->key));
    return found;
}

static size_t leaves(const struct ty_json *v)
{
    size_t n = ty_json_len(v) == 0;
    ty_each_item (it, v)
        n += leaves(*it);
    ty_each_member (m, v)
        n += leaves(m->value);
    return n;
}

static struct ty_json *full_job(struct ty_arena *a, const struct job *job)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    if (ty_yaml_parse(a, "t", ty_str(job->text), NULL, &docs, &err) < 0)
        fail_msg("%s", err.text);
    struct ty_json *all = ty_json_get(ty_json_get(docs.v[0], "spec"), job->specs);
    for (const char *const *r = job->roles; *r; r++) {
        assert_non_null(ty_json_get(all, *r));
        ty_json_set(a, ty_json_get(all, *r), "template", full_pod(a, job->main));
    }
    return docs.v[0];
}

static const char *lost_of(struct ty_arena *a, const struct job *job, const struct ty_json *v1,
                           const struct ty_convert_result *done)
{
    struct search s = { .arena = a, .job = job, .done = done };
    const char *found = NULL;
    ty_each_member (m, v1)
        if (!found && !ty_str_is(m->key, "apiVersion") && !ty_str_is(m->key, "kind"))
            found = find_lost(&s, m->key, m->value, TY_KEYS(NULL, m->key));
    return found;
}

/* ---- the kinds, with all fields of their own ---- */

#define META                                                                                       \
    "metadata: {name: j, namespace: nnnn, labels: {a: bbbb}, annotations: {c: dddd}, "             \
    "generateName: g, uid: u, resourceVersion: '1', generation: 2, creationTimestamp: t, "         \
    "deletionTimestamp: t, deletionGracePeriodSeconds: 3, selfLink: s, "                           \
    "managedFields: [{manager: m}], finalizers: [f], ownerReferences: [{name: o}]}\n"              \
    "status: {conditions: [{type: Running}], startTime: now}\n"
#define POLICY                                                                                     \
    "  runPolicy: {suspend: true, managedBy: kubeflow.org/training-operator, backoffLimit: 7777, " \
    "activeDeadlineSeconds: 8888, ttlSecondsAfterFinished: 9999, cleanPodPolicy: All, "            \
    "schedulingPolicy: {minAvailable: 1, minResources: {cpu: 6}, queue: qqqq, "                    \
    "priorityClass: pppp, scheduleTimeoutSeconds: 5555}}\n"
#define V1(kind) "apiVersion: kubeflow.org/v1\nkind: " kind "\n" META "spec:\n" POLICY
#define TWO(n)                                                                                     \
    "{Master: {replicas: 1, restartPolicy: " n "}, Worker: {replicas: 3333, "                      \
    "restartPolicy: " n "}}\n"

/* Becomes the name of our own controller. */
#define MANAGED "spec.runPolicy.managedBy"
/* The container that trains is always called node. */
#define NAME(role) "spec." role ".template.spec.containers[0].name"

static const struct job jobs[] = {
    { .text =
          V1("PyTorchJob") "  nprocPerNode: '4000'\n"
                           "  elasticPolicy: {minReplicas: 2222, maxReplicas: 4444, "
                           "rdzvBackend: static, rdzvPort: 14444, rdzvHost: hhhh, rdzvId: iiii, "
                           "standalone: true, rdzvConf: [{key: kkkk, value: vvvv}], "
                           "nProcPerNode: 5, maxRestarts: 6666, metrics: [{type: Resource}]}\n"
                           "  pytorchReplicaSpecs: " TWO("OnFailure"),
      .specs = "pytorchReplicaSpecs",
      .main = "pytorch",
      .roles = { "Master", "Worker" },
      .same = { MANAGED, NAME("pytorchReplicaSpecs.Worker"), "spec.elasticPolicy.standalone",
                "spec.pytorchReplicaSpecs.Master.replicas",
                "spec.pytorchReplicaSpecs.Worker.replicas" },
      .twin = "spec.pytorchReplicaSpecs.Master",
      .told_twin = "spec.pytorchReplicaSpecs.Worker" },
    { .text = V1("TFJob") "  successPolicy: AllWorkers\n  enableDynamicWorker: true\n"
                          "  tfReplicaSpecs: {Chief: {replicas: 1}, PS: {replicas: 1111}, "
                          "Worker: {replicas: 2222}, Evaluator: {replicas: 3333}}\n",
      .specs = "tfReplicaSpecs",
      .main = "tensorflow",
      .roles = { "Chief", "PS", "Worker", "Evaluator" },
      .same = { MANAGED, "spec.successPolicy", NAME("tfReplicaSpecs.Chief"),
                NAME("tfReplicaSpecs.PS"), NAME("tfReplicaSpecs.Worker"),
                NAME("tfReplicaSpecs.Evaluator"), "spec.tfReplicaSpecs.Chief.replicas" } },
    { .text = V1("MPIJob") "  slotsPerWorker: 4321\n  cleanPodPolicy: All\n  mainContainer: main\n"
                           "  mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: "
                           "2222}}\n",
      .specs = "mpiReplicaSpecs",
      .main = "main",
      .roles = { "Launcher", "Worker" },
      .same = { MANAGED, "spec.mainContainer", NAME("mpiReplicaSpecs.Launcher"),
                NAME("mpiReplicaSpecs.Worker"), "spec.mpiReplicaSpecs.Launcher.replicas" } },
    { .text = "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\n" META "spec:\n" POLICY
              "  slotsPerWorker: 4321\n  runLauncherAsWorker: true\n  sshAuthMountPath: /ssh\n"
              "  launcherCreationPolicy: WaitForWorkersReady\n  mpiImplementation: Intel\n"
              "  mpiReplicaSpecs: {Launcher: {replicas: 1, restartPolicy: Never}, "
              "Worker: {replicas: 2222, restartPolicy: OnFailure}}\n",
      .specs = "mpiReplicaSpecs",
      .main = "main",
      .roles = { "Launcher", "Worker" },
      .same = { MANAGED, "spec.runLauncherAsWorker", "spec.launcherCreationPolicy",
                NAME("mpiReplicaSpecs.Launcher"), NAME("mpiReplicaSpecs.Worker"),
                "spec.mpiReplicaSpecs.Launcher.replicas",
                "spec.mpiReplicaSpecs.Worker.replicas" } },
    { .text = V1("XGBoostJob") "  xgbReplicaSpecs: " TWO("Never"),
      .specs = "xgbReplicaSpecs",
      .main = "xgboost",
      .roles = { "Master", "Worker" },
      .same = { MANAGED, NAME("xgbReplicaSpecs.Worker"), "spec.xgbReplicaSpecs.Master.replicas",
                "spec.xgbReplicaSpecs.Worker.replicas" },
      .twin = "spec.xgbReplicaSpecs.Master",
      .told_twin = "spec.xgbReplicaSpecs.Worker" },
    { .text =
          V1("PaddleJob") "  elasticPolicy: {minReplicas: 1, maxReplicas: 2, maxRestarts: 6666, "
                          "metrics: [{type: Resource}]}\n"
                          "  paddleReplicaSpecs: {Master: {replicas: 1111, restartPolicy: "
                          "Always}, Worker: {replicas: 2222, restartPolicy: OnFailure}}\n",
      .specs = "paddleReplicaSpecs",
      .main = "paddle",
      .roles = { "Master", "Worker" },
      .same = { MANAGED, NAME("paddleReplicaSpecs.Master"), NAME("paddleReplicaSpecs.Worker") } },
    { .text = V1("JAXJob") "  jaxReplicaSpecs: {Worker: {replicas: 2222, restartPolicy: "
                           "Never}}\n",
      .specs = "jaxReplicaSpecs",
      .main = "jax",
      .roles = { "Worker" },
      .same = { MANAGED, NAME("jaxReplicaSpecs.Worker") } },
};

static void test_no_field_vanishes(void **state)
{
    const struct job *job = *state;
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_json *v1 = full_job(a, job);
    struct ty_convert_result done;
    assert_true(leaves(v1) > 500);
    if (ty_convert(a, v1, NULL, &done) < 0)
        fail_msg("%s: %s", done.bad->path, done.bad->text);
    const char *path = lost_of(a, job, v1, &done);
    if (path)
        fail_msg("%s vanished", path);
}

/* The search itself must notice what is missing. */
static void test_a_lost_field_is_found(void **state TY_UNUSED)
{
    static const char *const keys[] = { "workingDir", "dnsPolicy", "hostIPC",
                                        "terminationMessagePath", "topologySpreadConstraints" };
    const struct job *job = &jobs[TY_COUNT(jobs) - 1];
    for (size_t i = 0; i < TY_COUNT(keys); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_json *v1 = full_job(a, job);
        struct ty_convert_result done;
        assert_int_equal(ty_convert(a, v1, NULL, &done), 0);
        struct ty_json *pod = ty_json_at(rjob(&done, "node"), "template.spec.template.spec");
        struct ty_json *main = ty_json_item(ty_json_get(pod, "containers"), 0);
        assert_true(ty_json_del(pod, ty_str(keys[i])) || ty_json_del(main, ty_str(keys[i])));
        const char *path = lost_of(a, job, v1, &done);
        assert_non_null(path);
        assert_has(path, keys[i]);
    }
}

int main(void)
{
    static const char *const names[] = { "PyTorchJob", "TFJob",     "MPIJob v1", "MPIJob v2beta1",
                                         "XGBoostJob", "PaddleJob", "JAXJob" };
    enum { N = TY_COUNT(jobs) };
    struct CMUnitTest tests[N + 1] = { [N] = cmocka_unit_test(test_a_lost_field_is_found) };
    for (size_t i = 0; i < N; i++) {
        struct job *job = (struct job *)(uintptr_t)&jobs[i]; /* cmocka's state is not const */
        tests[i] = (struct CMUnitTest){ names[i], test_no_field_vanishes, NULL, NULL, job };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
