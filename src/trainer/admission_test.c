#include "trainer/testing.h"

#define NEW(meta, spec)                                                                            \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{" meta            \
    "},'spec':{'runtimeRef':{'name':'rt'}" spec "}}"
#define NAMED "'name':'j','namespace':'ns'"

static int setup(void **state)
{
    core_setup(state);
    core_put(*state, RUNTIME("{'numNodes':1}", ""));
    return 0;
}
#define admit_test(fn) cmocka_unit_test_setup_teardown(fn, setup, fx_teardown)

static struct ty_admission_response create(struct fixture *f, const char *text)
{
    return core_admit(f, TY_ADMISSION_CREATE, fx_json(f->arena, text), NULL);
}

/* Defaults of a new TrainJob: runtimeRef's group and kind, suspend, managedBy. */
static void test_defaults(void **state)
{
    struct fixture *f = *state;
    struct ty_json *obj = fx_json(f->arena, NEW(NAMED, ""));
    struct ty_admission_response v = core_admit(f, TY_ADMISSION_CREATE, obj, NULL);

    assert_int_equal(v.code, 201);
    assert_null(v.message);
    assert_int_equal(v.errs.n, 0);
    assert_true(ty_json_eq(
        ty_json_get(obj, "spec"),
        fx_json(f->arena, "{'runtimeRef':{'name':'rt','apiGroup':'trainer.kubeflow.org','kind':"
                          "'ClusterTrainingRuntime'},'suspend':false,'managedBy':"
                          "'trainer.kubeflow.org/trainjob-controller'}")));
}

static void test_foreign_kinds_are_carried(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, "{'apiVersion':'v1','kind':'Pod','spec':7}");

    assert_true(v.code == 201 && !v.message);
    v = create(f, "{'apiVersion':'v1','kind':'ConfigMap','data':7}");
    assert_true(v.code == 201 && !v.message);
    v = create(f, "7");
    assert_true(v.code == 201 && !v.message);
}

static void test_unknown_fields_are_dropped(void **state)
{
    struct fixture *f = *state;
    struct ty_json *obj = fx_json(f->arena, NEW(NAMED, ",'trainer':{'numNode':3}"));

    assert_int_equal(core_admit(f, TY_ADMISSION_CREATE, obj, NULL).code, 201);
    assert_string_equal(fx_text(f, ty_json_at(obj, "spec.trainer")), "{}");
}

static void test_strict_refuses_unknown_fields(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_request in = { .pipeline = &f->pipeline,
                                       .view = &f->view,
                                       .obj = fx_json(f->arena,
                                                      NEW(NAMED, ",'trainer':{'numNode':3},'x':1")),
                                       .strict = true };
    struct ty_admission_response v;

    ty_admission_handle(f->arena, &in, &v);
    assert_int_equal(v.code, 400);
    assert_string_equal(v.message, "TrainJob in version \"v1alpha1\" cannot be handled as a "
                                   "TrainJob: strict decoding error: unknown field "
                                   "\"spec.trainer.numNode\", unknown field \"spec.x\"");
    assert_int_equal(v.errs.n, 2);
}

static void test_names(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, NEW("'namespace':'ns'", ""));

    assert_int_equal(v.code, 422);
    assert_has(v.message, "metadata.name: Required value: name or generateName is "
                          "required");
    v = create(f, NEW("'name':'A_b'", ""));
    assert_int_equal(v.code, 422);
    assert_has(v.message, "metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 "
                          "subdomain must consist of");
    v = create(f, NEW("'name':'a','namespace':'../x'", ""));
    assert_int_equal(v.code, 422);
    assert_has(v.message, "metadata.namespace: Invalid value: \"../x\": a lowercase RFC 1123 "
                          "label must consist of");
}

static void test_schema_answers_422(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, NEW(NAMED, ",'managedBy':'me'"));

    assert_int_equal(v.code, 422);
    assert_string_equal(v.message,
                        "TrainJob.trainer.kubeflow.org \"j\" is invalid: spec.managedBy: Invalid "
                        "value: \"me\": ManagedBy must be "
                        "trainer.kubeflow.org/trainjob-controller or kueue.x-k8s.io/multikueue if "
                        "set");
}

/* The mutating webhook decodes before the schema is asked. */
static void test_wrong_type_answers_400(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, NEW(NAMED, ",'trainer':{'numNodes':'x'}"));

    assert_int_equal(v.code, 400);
    assert_string_equal(v.message,
                        "admission webhook \"defaulter.trainjob.trainer.kubeflow.org\" denied the "
                        "request: json: cannot unmarshal string into Go struct field "
                        "Trainer.spec.trainer.numNodes of type int32");
    assert_int_equal(v.errs.n, 1);
}

/* No schema has the types of labels: the place and the hint are added to Go's text. */
static void test_wrong_type_of_a_label_has_a_place(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(f, NEW(NAMED ",'labels':{'a':'x','b':1}", ""));

    assert_int_equal(v.code, 400);
    assert_int_equal(v.errs.n, 1);
    assert_string_equal(v.errs.first->hint, "write \"1\" in quotes");
    assert_int_equal(v.errs.first->at->i, 1);
    v = create(f, NEW(NAMED ",'annotations':[]", ""));
    assert_int_equal(v.errs.first->at->type, TY_JSON_ARRAY);
    assert_null(v.errs.first->hint);
    v = create(f, NEW(NAMED ",'generation':'x','labels':{'b':1}", "")); /* another field's error */
    assert_null(v.errs.first->at);
    assert_null(v.errs.first->hint);
}

static void test_first_stage_answers(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v =
        create(f, NEW(NAMED, ",'managedBy':'me','trainer':{'numNodes':'x'},'initializer':{"
                             "'model':{}}"));

    assert_int_equal(v.code, 400);
    assert_int_equal(v.errs.n, 1);
}

/* The validate command wants to hear all at once; the answer is still the first stage's. */
static void test_all_stages(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_request in = { .pipeline = &f->pipeline,
                                       .view = &f->view,
                                       .obj = fx_json(f->arena,
                                                      NEW(NAMED, ",'x':1,'initializer':{'model':"
                                                                 "{}}")),
                                       .strict = true,
                                       .all = true };
    struct ty_admission_response v;

    ty_admission_handle(f->arena, &in, &v);
    assert_int_equal(v.code, 400);
    assert_int_equal(v.errs.n, 2);
    assert_string_equal(v.errs.first->path, "spec.x");
    assert_string_equal(v.errs.last->path, "spec.runtimeRef");
    in.obj = fx_json(f->arena, NEW(NAMED, ",'x':1,'trainer':{'numNodes':'x'}"));
    ty_admission_handle(f->arena, &in, &v);
    assert_string_equal(v.errs.first->next->path, "spec.trainer.numNodes");
}

/* Metadata is not described in a CRD: only the webhook's decoder objects, and that is told. */
static void test_unreadable_metadata(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_request in = { .pipeline = &f->pipeline, .view = &f->view };
    struct ty_admission_response v;

    for (int all = 0; all < 2; all++) {
        in.obj = fx_json(f->arena, NEW(NAMED ",'creationTimestamp':'yesterday'", ""));
        in.all = all;
        ty_admission_handle(f->arena, &in, &v);
        assert_int_equal(v.code, 400);
        assert_int_equal(v.errs.n, 1);
        assert_has(v.errs.first->detail, "parsing time");
    }
}

/* What the schema refuses the webhooks never see, unless all is to be told: then they must bear it.
 */
static void test_broken_objects_and_the_webhooks(void **state)
{
    struct fixture *f = *state;
    static const char *const broken[] = {
        NEW(NAMED, ",'managedBy':'me','initializer':{'model':{}}"),
        NEW(NAMED, ",'trainer':7,'initializer':[],'runtimePatches':{},'podSpecOverrides':7"),
        NEW(NAMED, ",'runtimePatches':[7,{'manager':7,'trainingRuntimeSpec':{'template':[]}}]"),
        NEW(NAMED, ",'trainer':{'env':[7],'command':'x','args':{},'resourcesPerNode':7}"),
        NEW(NAMED, ",'podTemplateOverrides':[7,{'targetJobs':[7],'spec':'x','metadata':[]}]"),
        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','spec':7,'metadata':7}",
        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainingRuntime','spec':[]}",
        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainingRuntime','spec':{'template':"
        "{'spec':{'replicatedJobs':[7,{'name':7,'template':{'metadata':{'labels':{"
        "'" TY_LABEL_ANCESTOR "':'trainer'}},'spec':7}}]}}}}",
    };

    for (size_t i = 0; i < TY_COUNT(broken); i++) {
        struct ty_admission_request in = { .pipeline = &f->pipeline,
                                           .view = &f->view,
                                           .obj = fx_json(f->arena, broken[i]) };
        struct ty_admission_response one, all;
        ty_admission_handle(f->arena, &in, &one);
        in.obj = fx_json(f->arena, broken[i]);
        in.all = true;
        ty_admission_handle(f->arena, &in, &all);
        assert_true(one.code == 400 || one.code == 422);
        assert_int_equal(all.code, one.code);
        assert_string_equal(all.message, one.message);
        assert_true(all.errs.n >= one.errs.n);
    }
}

static void test_generated_names(void **state)
{
    struct fixture *f = *state;
    struct ty_json *obj = fx_json(f->arena, NEW("'generateName':'job-','namespace':'ns'", ""));

    assert_int_equal(core_admit(f, TY_ADMISSION_CREATE, obj, NULL).code, 201);
    assert_true(ty_str_is(ty_json_str_at(obj, "metadata.name"), "job-xxxxx"));
    assert_int_equal(create(f, NEW("'generateName':'Job-'", "")).code, 422);
    obj = fx_json(f->arena,
                  NEW("'generateName':"
                      "'a1234567890123456789012345678901234567890123456789012345678901234567890'",
                      ""));
    core_admit(f, TY_ADMISSION_CREATE, obj, NULL);
    assert_int_equal(ty_json_str_at(obj, "metadata.name").n, 63);
}

/* ---- status ---- */

static struct ty_admission_response update_status(struct fixture *f, const char *obj)
{
    return core_admit(f, TY_ADMISSION_UPDATE_STATUS, fx_json(f->arena, obj),
                      fx_json(f->arena, NEW(NAMED, "")));
}

#define WITH_STATUS(status)                                                                        \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{" NAMED           \
    "},'spec':{'runtimeRef':{'name':'nowhere'}},'status':" status "}"

static void test_status_alone_is_checked(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = update_status(f, WITH_STATUS("{'jobsStatus':[]}"));

    assert_int_equal(v.code, 200);
    assert_null(v.message);
    v = update_status(f, WITH_STATUS("{'trainerStatus':{'progressPercentage':150}}"));
    assert_int_equal(v.code, 422);
    assert_non_null(
        strstr(v.message, "status.trainerStatus.progressPercentage: Invalid value: 150"));
}

static void test_status_that_is_absent(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(update_status(f, NEW(NAMED, "")).code, 200);
}

/* Runtimes have no status. */
static void test_status_of_a_runtime(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v =
        core_admit(f, TY_ADMISSION_UPDATE_STATUS, fx_json(f->arena, RUNTIME("{}", "")), NULL);

    assert_int_equal(v.code, 200);
    assert_null(v.message);
}

/* ---- other kinds with a schema ---- */

static void test_jobset(void **state)
{
    struct fixture *f = *state;
    struct ty_admission_response v = create(
        f, "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'a'},"
           "'spec':{'replicatedJobs':'x'}}");

    assert_int_equal(v.code, 422);
}

/* ---- hints beside v2.3.0's own words ---- */

/* Refused with `message` somewhere in the answer; the warnings, one a line. */
static const char *hints(struct fixture *f, const char *text, const char *message)
{
    struct ty_admission_response v =
        core_admit(f, TY_ADMISSION_CREATE, fx_json(f->arena, text), NULL);
    ty_auto_buf out = { 0 };

    assert_true(v.code >= 400);
    assert_non_null(strstr(v.message, message));
    for (size_t i = 0; i < v.warnings.n; i++)
        ty_buf_printf(&out, "%s%s", i ? "\n" : "", v.warnings.v[i]);
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

static void test_hints_for_what_cannot_be_decoded(void **state)
{
    struct fixture *f = *state;

    core_put(f, RUNTIME("{}", ""));
    assert_string_equal(hints(f, JOB("'resourcesPerNode':{'requests':{'memory':'10GB'}}"),
                              "quantities must match the regular expression"),
                        "spec.trainer.resourcesPerNode.requests.memory: \"10GB\": use 10G or 10Gi");
    assert_string_equal(hints(f, JOB("'numNodes':'four'"), "cannot unmarshal string"),
                        "spec.trainer.numNodes: \"four\": write a number");
    assert_string_equal(hints(f, JOB("'numNodes':'4'"), "cannot unmarshal string"),
                        "spec.trainer.numNodes: \"4\": write 4 without quotes");
    assert_string_equal(hints(f, JOB("'env':[{'name':'A','value':1},{'name':'B','value':true}]"),
                              "cannot unmarshal"),
                        "spec.trainer.env[0].value: 1: write \"1\" in quotes\n"
                        "spec.trainer.env[1].value: true: put it in quotes: YAML reads yes, on and "
                        "true as a boolean");
    assert_string_equal(hints(f, JOB("'args':'--fast'"), "cannot unmarshal"),
                        "spec.trainer.args: \"--fast\": write a list: [\"--fast\"]");
}

/* However long and many the values are. */
static void test_hints_are_bounded(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf args = { 0 };

    core_put(f, RUNTIME("{}", ""));
    for (int i = 0; i < 100; i++)
        ty_buf_printf(&args, "%s%d", i ? "," : "", i);
    char *many = ty_arena_printf(f->arena, JOB("'args':[%.*s]"), TY_ARG(ty_buf_str(&args)));
    assert_int_equal(core_admit(f, TY_ADMISSION_CREATE, fx_json(f->arena, many), NULL).warnings.n,
                     15);
    char *big = ty_arena_printf(f->arena, JOB("'numNodes':'%0999d'"), 0);
    struct ty_admission_response v =
        core_admit(f, TY_ADMISSION_CREATE, fx_json(f->arena, big), NULL);
    assert_int_equal(v.warnings.n, 1);
    assert_true(strlen(v.warnings.v[0]) <= 256);
}

static size_t two_names(void *ctx TY_UNUSED, struct ty_arena *a TY_UNUSED,
                        const struct ty_kind *kind, struct ty_str ns, const char *ret[],
                        size_t most)
{
    assert_ptr_equal(kind, &ty_kind_clustertrainingruntime);
    assert_true(ns.n == 0 && most >= 2);
    ret[0] = "torch-distributed";
    ret[1] = "rt";
    return 2;
}

static void test_hints_for_runtimes(void **state)
{
    struct fixture *f = *state;
    static const char missing[] = "must be created before the TrainJob is created";

    assert_string_equal(hints(f, JOB_OF("torch-distribute", ""), missing), "");
    f->view.names = two_names;
    assert_string_equal(hints(f, JOB_OF("torch-distribute", ""), missing),
                        "spec.RuntimeRef: did you mean \"torch-distributed\"? there are: "
                        "torch-distributed, rt");
    assert_string_equal(
        hints(f,
              "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{'name':"
              "'j','namespace':'ns'},'spec':{'runtimeRef':{'name':'rt','kind':'Runtime'}}}",
              "denied the request: unsupported runtime: Runtime.trainer.kubeflow.org"),
        "spec.runtimeRef: use kind ClusterTrainingRuntime or TrainingRuntime, apiGroup "
        "trainer.kubeflow.org");
}

static void test_hints_for_plugins_refusals(void **state)
{
    struct fixture *f = *state;

    core_put(f, RUNTIME("{'torch':{}}", ""));
    assert_string_equal(hints(f, JOB("'env':[{'name':'PET_NNODES','value':'1'}]"), "reserved envs"),
                        "spec.trainer.env: remove them: the operator sets these variables");
    assert_string_equal(hints(f, JOB_OF("rt", ",'initializer':{'dataset':{}}"),
                              "must have dataset-initializer job"),
                        "spec.runtimeRef: use a runtime with such a job, or remove "
                        "spec.initializer.dataset");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_hints_for_what_cannot_be_decoded),
        core_test(test_hints_are_bounded),
        core_test(test_hints_for_runtimes),
        core_test(test_hints_for_plugins_refusals),
        admit_test(test_defaults),
        admit_test(test_foreign_kinds_are_carried),
        admit_test(test_unknown_fields_are_dropped),
        admit_test(test_strict_refuses_unknown_fields),
        admit_test(test_names),
        admit_test(test_schema_answers_422),
        admit_test(test_wrong_type_answers_400),
        admit_test(test_wrong_type_of_a_label_has_a_place),
        admit_test(test_first_stage_answers),
        admit_test(test_all_stages),
        admit_test(test_broken_objects_and_the_webhooks),
        admit_test(test_generated_names),
        admit_test(test_unreadable_metadata),
        admit_test(test_status_alone_is_checked),
        admit_test(test_status_that_is_absent),
        admit_test(test_status_of_a_runtime),
        admit_test(test_jobset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
