#include <errno.h>

#include "trainer/runtime_resolve.h"
#include "trainer/testing.h"

#define NEW(spec) NEW_OF("", "ClusterTrainingRuntime", spec)
#define NEW_OF(meta, kind, spec)                                                                   \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{'name':'j',"      \
    "'namespace':'ns','uid':'test-uid'" meta "},'spec':{'runtimeRef':{'name':'rt','kind':'" kind   \
    "'}" spec "}}"
#define DENIED   "admission webhook \"validator.trainjob.trainer.kubeflow.org\" denied the request: "
#define NOW_TEXT "2026-01-02T03:04:05Z"

/* ---- the mutating webhook ---- */

static struct ty_json *mutated(struct fixture *f, const struct ty_json *obj,
                               const struct ty_json *old)
{
    struct ty_json *next = NULL;
    struct ty_str before = ty_json_text(f->arena, obj);

    assert_int_equal(ty_admission_mutate_trainjob(f->arena, obj, old, CORE_NOW, &next, &f->err), 0);
    assert_string_equal(ty_json_text(f->arena, obj).p, before.p); /* a new object, not this one */
    return next;
}

/* The patches after a create or, with `old`, an update: "manager@time ". */
static const char *stamped(struct fixture *f, const char *patches, const char *old)
{
    struct ty_json *obj = NULL, *was = NULL;
    ty_auto_buf out = { 0 };

    obj = fx_json(f->arena, NEW(",'runtimePatches':[]"));
    ty_json_set(f->arena, ty_json_get(obj, "spec"), "runtimePatches", fx_json(f->arena, patches));
    if (old) {
        was = fx_json(f->arena, NEW(""));
        ty_json_set(f->arena, ty_json_get(was, "spec"), "runtimePatches", fx_json(f->arena, old));
    }
    obj = mutated(f, obj, was);
    ty_each_item (p, ty_json_at(obj, "spec.runtimePatches"))
        ty_buf_printf(&out, "%.*s@%.*s ", TY_ARG(ty_json_str_at(*p, "manager")),
                      TY_ARG(ty_json_str_at(*p, "time")));
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

/* On create every patch without a time is stamped; a time given by the client stays. */
static void test_stamps_on_create(void **state)
{
    assert_string_equal(
        stamped(*state,
                "[{'manager':'a'},{'manager':'b','time':'2025-01-01T00:00:00Z'},{'manager':"
                "'c','time':null}]",
                NULL),
        "a@" NOW_TEXT " b@2025-01-01T00:00:00Z c@" NOW_TEXT " ");
}

/* On update an unchanged patch keeps its stored time, a changed one is stamped, and a new one is
 * stamped unless it carries a time. */
static void test_stamps_on_update(void **state)
{
    struct fixture *f = *state;
    static const char old[] = "[{'manager':'same','time':'2025-01-01T00:00:00Z'},"
                              "{'manager':'changed','time':'2025-01-01T00:00:00Z'},"
                              "{'manager':'untimed'}]";

    assert_string_equal(stamped(f, "[{'manager':'same'}]", old), "same@2025-01-01T00:00:00Z ");
    assert_string_equal(stamped(f, "[{'manager':'same','time':'2024-01-01T00:00:00Z'}]", old),
                        "same@2025-01-01T00:00:00Z ");
    assert_string_equal(stamped(f,
                                "[{'manager':'changed','time':'2025-01-01T00:00:00Z',"
                                "'trainingRuntimeSpec':{}}]",
                                old),
                        "changed@" NOW_TEXT " ");
    assert_string_equal(stamped(f, "[{'manager':'untimed','time':'2024-01-01T00:00:00Z'}]", old),
                        "untimed@ ");
    assert_string_equal(stamped(f, "[{'manager':'new'}]", old), "new@" NOW_TEXT " ");
    assert_string_equal(stamped(f, "[{'manager':'new','time':'2024-01-01T00:00:00Z'}]", old),
                        "new@2024-01-01T00:00:00Z ");
}

/* n patches, of managers m0, m1, … */
static const char *many(struct fixture *f, int n)
{
    ty_auto_buf out = { 0 };

    for (int i = 0; i < n; i++)
        ty_buf_printf(&out, "%c{'manager':'m%d'}", i ? ',' : '[', i);
    ty_buf_chr(&out, ']');
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

/* Beyond a bound of the CRD nothing is done: the API server, which validates next, refuses it. */
static void test_bounds_come_first(void **state)
{
    struct fixture *f = *state;

    assert_non_null(strstr(stamped(f, many(f, 16), many(f, 16)), "m15@ "));
    assert_non_null(strstr(stamped(f, many(f, 16), NULL), "m15@" NOW_TEXT));
    assert_null(strstr(stamped(f, many(f, 17), NULL), NOW_TEXT));
    assert_null(strstr(stamped(f, "[{'manager':'new'}]", many(f, 17)), NOW_TEXT));
}

/* Each speaks for itself, as in v2.3.0; refused next, too. */
static void test_the_same_manager_twice(void **state)
{
    assert_string_equal(stamped(*state,
                                "[{'manager':'a'},{'manager':'a','trainingRuntimeSpec':{}}]",
                                "[{'manager':'a','time':'2025-01-01T00:00:00Z'}]"),
                        "a@2025-01-01T00:00:00Z a@" NOW_TEXT " ");
}

/* The stored form of numProcPerNode: "field annotation". */
static const char *numproc(struct fixture *f, const char *meta, const char *value)
{
    struct ty_json *obj = fx_json(f->arena, meta);

    ty_json_set(f->arena, ty_json_ensure_object(f->arena, ty_json_get(obj, "spec"), "trainer"),
                "numProcPerNode", fx_json(f->arena, value));
    obj = mutated(f, obj, NULL);
    const char *field = fx_text(f, ty_json_at(obj, "spec.trainer.numProcPerNode"));
    const struct ty_json *a = ty_json_at(obj, "metadata.annotations");
    return ty_arena_printf(f->arena, "%s %s", field,
                           fx_text(f, ty_json_find(a, TY_LIT(TY_ANN_NUMPROC))));
}

/* A word in a stored object would break typed clients' list calls. */
static void test_words_of_numproc(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(numproc(f, NEW(""), "4"), "4 ");
    assert_string_equal(numproc(f, NEW(""), "'auto'"), " ");
    assert_string_equal(numproc(f, NEW(""), "'cpu'"), " 'cpu'");
    assert_string_equal(numproc(f, NEW(""), "'gpu'"), " 'gpu'");
    assert_string_equal(numproc(f, NEW(""), "'many'"), "'many' "); /* the schema's to refuse */
}

static void test_last_word_counts(void **state)
{
    struct fixture *f = *state;
    static const char with_gpu[] =
        NEW_OF(",'annotations':{'" TY_ANN_NUMPROC "':'gpu','other':'x'}", "TrainingRuntime", "");

    assert_string_equal(numproc(f, with_gpu, "'cpu'"), " 'cpu'");
    assert_string_equal(numproc(f, with_gpu, "'auto'"), " ");
    assert_string_equal(numproc(f, with_gpu, "2"), "2 'gpu'");
}

static void test_mutation_needs_right_types(void **state)
{
    struct fixture *f = *state;
    struct ty_json *obj = fx_json(f->arena, NEW(",'suspend':'yes'")), *next = NULL;

    assert_int_equal(ty_admission_mutate_trainjob(f->arena, obj, NULL, CORE_NOW, &next, &f->err),
                     -EINVAL);
    assert_string_equal(f->err.text, "json: cannot unmarshal string into Go struct field "
                                     "TrainJobSpec.spec.suspend of type bool");
}

static void test_mutation_of_nothing(void **state)
{
    struct fixture *f = *state;
    struct ty_json *obj = fx_json(f->arena, "{}");

    obj = mutated(f, obj, NULL);
    assert_string_equal(fx_text(f, obj), "{}");
}

/* ---- the validating webhook ---- */

static struct ty_admission_response create(struct fixture *f, const char *text)
{
    return core_admit(f, TY_ADMISSION_CREATE, fx_json(f->arena, text), NULL);
}

/* A missing ClusterTrainingRuntime is reported at v2.3.0's path spec.RuntimeRef, capital R. */
static void test_runtime_missing(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, NEW(""));

    assert_int_equal(v.code, 403);
    assert_string_equal(v.message, DENIED
                        "spec.RuntimeRef: Invalid value: {\"name\":\"rt\",\"apiGroup\":"
                        "\"trainer.kubeflow.org\",\"kind\":\"ClusterTrainingRuntime\"}: "
                        "ClusterTrainingRuntime.trainer.kubeflow.org \"rt\" not found: specified "
                        "clusterTrainingRuntime must be created before the TrainJob is created");
    v = create(f, NEW_OF("", "TrainingRuntime", ""));
    assert_string_equal(v.message,
                        DENIED "spec.runtimeRef: Invalid value: {\"name\":\"rt\",\"apiGroup\":"
                               "\"trainer.kubeflow.org\",\"kind\":\"TrainingRuntime\"}: "
                               "TrainingRuntime.trainer.kubeflow.org \"rt\" not found: specified "
                               "trainingRuntime must be created before the TrainJob is created");
    assert_int_equal(v.errs.n, 1);
    assert_non_null(v.errs.first->at);
}

static const char *refused(void *ctx TY_UNUSED, const struct ty_kind *kind,
                           struct ty_str ns TY_UNUSED, struct ty_str name TY_UNUSED)
{
    return kind == &ty_kind_clustertrainingruntime ? "forbidden" : NULL;
}

static const char *no_maps(void *ctx TY_UNUSED, const struct ty_kind *kind,
                           struct ty_str ns TY_UNUSED, struct ty_str name TY_UNUSED)
{
    return kind == &ty_kind_configmap ? "forbidden, too" : NULL;
}

/* Not a word against the job: nobody knows. The snapshot is of interest to updates only. */
static void test_runtime_unread(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, NEW(""));

    f->view.unread = refused;
    struct ty_admission_response v = create(f, NEW(""));
    assert_int_equal(v.code, 500);
    assert_string_equal(v.message,
                        DENIED "the TrainJob cannot be checked: "
                               "ClusterTrainingRuntime \"rt\" cannot be read: forbidden");
    assert_int_equal(v.errs.n, 0);
    assert_int_equal(create(f, NEW_OF("", "TrainingRuntime", "")).code, 403);
    f->view.unread = no_maps;
    assert_int_equal(core_admit(f, TY_ADMISSION_CREATE, job, NULL).code, 403);
    v = core_admit(f, TY_ADMISSION_UPDATE, ty_json_copy(f->arena, job, 0), job);
    assert_int_equal(v.code, 500);
    assert_string_equal(v.message, DENIED "the TrainJob cannot be checked: ConfigMap "
                                          "\"j-runtime-snapshot\" cannot be read: forbidden, too");
    core_put(f, RUNTIME("{}", "")); /* what is known is known */
    assert_null(core_admit(f, TY_ADMISSION_UPDATE, ty_json_copy(f->arena, job, 0), job).message);
}

static void test_unsupported_kind(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, NEW_OF("", "Other", ""));

    assert_int_equal(v.code, 403);
    assert_string_equal(v.message, DENIED "unsupported runtime: Other.trainer.kubeflow.org");
    assert_string_equal(v.errs.first->path, "spec.runtimeRef");
}

/* A TrainJob that references a deprecated runtime is accepted with a warning. */
static void test_deprecated_runtime(void **state)
{
    struct fixture *f = *state;
    static const char runtime[] =
        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime','metadata':{"
        "'name':'rt','labels':{'trainer.kubeflow.org/support':'deprecated'}},'spec':{'template':{"
        "'spec':{'replicatedJobs':[" TRAINER_JOB("node", "") "]}}}}";

    core_put(f, runtime);
    struct ty_admission_response v = create(f, NEW(""));
    assert_null(v.message);
    assert_int_equal(v.warnings.n, 1);
    assert_string_equal(
        v.warnings.v[0],
        "Referenced ClusterTrainingRuntime \"rt\" is deprecated and will be removed in a future "
        "release of Kubeflow Trainer. See runtime deprecation policy: "
        "https://trainer.kubeflow.org/en/latest/operator-guides/"
        "runtime.html#runtime-deprecation-policy");
}

/* Only the exact label value "deprecated" causes the warning. */
static void test_only_that_word_is_deprecated(void **state)
{
    struct fixture *f = *state;
    struct ty_json *rt = core_put(f, RUNTIME("{}", ""));
    struct ty_json *labels = ty_json_ensure_object(f->arena, ty_json_get(rt, "metadata"), "labels");

    ty_json_set(f->arena, labels, "trainer.kubeflow.org/support",
                ty_json_cstr(f->arena, "deprecated-extra"));
    assert_int_equal(create(f, NEW("")).warnings.n, 0);
}

/* B28. */
static void test_unlabelled_runtime_warns(void **state)
{
    struct fixture *f = *state;

    core_put(f, RUNTIME_JOBS("{}", PLAIN_JOB("node", "1", "{'name':'node'}")));
    struct ty_admission_response v = create(f, NEW(""));
    assert_null(v.message);
    assert_int_equal(v.warnings.n, 1);
    assert_string_equal(v.warnings.v[0], "runtime \"rt\" labels no job with " TY_LABEL_ANCESTOR
                                         "; job \"node\" is taken as the trainer");
}

static void test_disabled_plugin(void **state)
{
    struct fixture *f = *state;
    static const char *const off[] = { "Torch", NULL };

    assert_int_equal(ty_pipeline_init(&f->pipeline, NULL, off, NULL, &f->err), 0);
    core_put(f, RUNTIME("{'torch':{}}", ""));
    struct ty_admission_response v = create(f, NEW(""));
    assert_int_equal(v.code, 403);
    assert_string_equal(v.message, DENIED "spec.runtimeRef: Forbidden: runtime \"rt\" needs plugin "
                                          "Torch, which the operator's configuration disables");
}

static void test_plan_that_fails(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf jobs = { 0 };

    for (int i = 0; i < 4097; i++)
        ty_buf_printf(&jobs, "%s{'name':'j%d'}", i ? "," : "", i);
    core_put(f, ty_arena_printf(f->arena,
                                "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':"
                                "'ClusterTrainingRuntime','metadata':{'name':'rt'},'spec':{"
                                "'template':{'spec':{'replicatedJobs':[%.*s]}}}}",
                                TY_ARG(ty_buf_str(&jobs))));
    struct ty_admission_response v = create(f, NEW(""));
    assert_string_equal(v.message, DENIED "spec: Forbidden: runtime rt has 4097 replicatedJobs, at "
                                          "most 4096 can be planned");
}

/* Created with a warning: admission_dropin_test.c. */
static void test_long_names_only_on_create(void **state)
{
    struct fixture *f = *state;
    struct ty_json *obj = fx_json(f->arena, NEW(""));
    struct ty_json *meta = ty_json_get(obj, "metadata");

    core_put(f, RUNTIME("{}", ""));
    ty_json_set(
        f->arena, meta, "name",
        ty_json_cstr(f->arena, "a123456789012345678901234567890123456789012345678901234567"));
    struct ty_admission_response v = core_admit(f, TY_ADMISSION_CREATE, obj, NULL);
    assert_int_equal(v.warnings.n, 1);
    v = core_admit(f, TY_ADMISSION_UPDATE, obj, ty_json_copy(f->arena, obj, 0));
    assert_int_equal(v.code, 200);
    assert_int_equal(v.warnings.n, 0); /* the name cannot change any more */
}

/* B12: when the runtime is gone, an update is checked against the job's snapshot of it. */
static void test_update_without_runtime(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;
    struct ty_json *map = NULL, *old = fx_json(f->arena, NEW(",'suspend':false"));

    core_put(f, RUNTIME("{}", ""));
    assert_int_equal(core_admit(f, TY_ADMISSION_CREATE, old, NULL).code, 201);
    ty_trainjob_parse(&f->job, old);
    assert_int_equal(ty_runtime_resolve(f->arena, &f->job, &f->view, &rt, &map, &f->err), 0);
    core_drop(f, &ty_kind_clustertrainingruntime);
    struct ty_json *obj = fx_json(f->arena, NEW(",'suspend':true"));
    assert_int_equal(core_admit(f, TY_ADMISSION_UPDATE, obj, old).code, 403);
    core_keep(f, map);
    assert_int_equal(core_admit(f, TY_ADMISSION_UPDATE, obj, old).code, 200);
    assert_int_equal(create(f, NEW("")).code, 403); /* a new job needs the runtime */
}

static void test_update_of_patches(void **state)
{
    struct fixture *f = *state;
    struct ty_json *old = fx_json(f->arena, NEW("")),
                   *obj = fx_json(f->arena, NEW(",'runtimePatches':[{'manager':'a.io/b'}]"));

    core_put(f, RUNTIME("{}", ""));
    core_admit(f, TY_ADMISSION_CREATE, old, NULL);
    struct ty_admission_response v = core_admit(f, TY_ADMISSION_UPDATE, obj, old);
    assert_int_equal(v.code, 403);
    assert_string_equal(v.message, DENIED "spec.runtimePatches: Forbidden: RuntimePatches can only "
                                          "be modified when the TrainJob is suspended before or "
                                          "after the update");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_stamps_on_create),
        core_test(test_stamps_on_update),
        core_test(test_bounds_come_first),
        core_test(test_the_same_manager_twice),
        core_test(test_words_of_numproc),
        core_test(test_last_word_counts),
        core_test(test_mutation_needs_right_types),
        core_test(test_mutation_of_nothing),
        core_test(test_runtime_missing),
        core_test(test_runtime_unread),
        core_test(test_unsupported_kind),
        core_test(test_deprecated_runtime),
        core_test(test_only_that_word_is_deprecated),
        core_test(test_unlabelled_runtime_warns),
        core_test(test_disabled_plugin),
        core_test(test_plan_that_fails),
        core_test(test_long_names_only_on_create),
        core_test(test_update_without_runtime),
        core_test(test_update_of_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
