/* The host table against a real plan. */
#include "plugin_host/extern_host.h"

#include "base/testing.h"
#include "trainer/pipeline.h"

#define H (&ty_extern_host)

static const char runtime_text[] =
    "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"ClusterTrainingRuntime\","
    "\"metadata\":{\"name\":\"rt\"},\"spec\":{\"mlPolicy\":{\"numNodes\":3,\"torch\":{}},"
    "\"template\":{\"spec\":{\"replicatedJobs\":[{\"name\":\"node\",\"template\":{\"metadata\":"
    "{\"labels\":{\"trainer.kubeflow.org/trainjob-ancestor-step\":\"trainer\"}},\"spec\":{"
    "\"template\":{\"spec\":{\"containers\":[{\"name\":\"node\",\"image\":\"i\",\"resources\":"
    "{\"limits\":{\"nvidia.com/gpu\":\"4\"}}}]}}}}}]}}}}";
static const char job_text[] =
    "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{"
    "\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u-1\",\"annotations\":{\"a/b\":\"c\"}},"
    "\"spec\":{\"runtimeRef\":{\"name\":\"rt\"}}}";

static const struct ty_json *no_object(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                       struct ty_str name)
{
    (void)ns;
    return kind == &ty_kind_secret && ty_str_is(name, "there") ? ctx : NULL;
}

struct fixture { /* a plan and all that it needs */
    struct ty_arena *a;
    struct ty_pipeline pipeline;
    struct ty_view view;
    struct ty_trainjob job;
    struct ty_plan plan;
    struct ty_err err;
    struct ty_errs errs;
    struct ty_warnings warnings;
    struct trainyard_plan p;
};

static int set_up(void **state)
{
    struct fixture *d = calloc(1, sizeof(*d));
    d->a = ty_arena_new(1 << 26);
    d->view = (struct ty_view){ .ctx = ty_json_object(d->a), .get = no_object };
    assert_int_equal(ty_pipeline_init(&d->pipeline, NULL, NULL, NULL, &d->err), 0);
    struct ty_json *runtime = ty_json_parse(d->a, ty_str(runtime_text), NULL, &d->err);
    assert_non_null(runtime);
    ty_trainjob_parse(&d->job, ty_json_parse(d->a, ty_str(job_text), NULL, &d->err));
    struct ty_plan_in in = {
        .pipeline = &d->pipeline,
        .settings = &ty_settings_default,
        .view = &d->view,
        .runtime = runtime,
    };
    assert_int_equal(ty_plan_init(d->a, &d->job, &in, &d->plan, &d->err), 0);
    d->errs.arena = d->warnings.arena = d->a;
    d->p = (struct trainyard_plan){
        .plan = &d->plan, .edit = &d->plan, .job = &d->job, .err = &d->err, .building = true
    };
    *state = d;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *d = *state;
    ty_arena_free(d->a);
    free(d);
    return 0;
}

static void test_getters(void **state)
{
    struct fixture *d = *state;
    assert_string_equal(H->job_name(&d->p), "j");
    assert_string_equal(H->job_namespace(&d->p), "ns");
    assert_string_equal(H->job_uid(&d->p), "u-1");
    assert_string_equal(H->job_annotation(&d->p, "a/b"), "c");
    assert_null(H->job_annotation(&d->p, "a/c"));
    assert_null(H->job_label(&d->p, "a/b"));
    assert_has(H->job_json(&d->p), "\"u-1\"");
    assert_string_equal(H->runtime_name(&d->p), "rt");
    assert_string_equal(H->policy_json(&d->p, "torch"), "{}");
    assert_null(H->policy_json(&d->p, "mpi"));
    assert_int_equal(H->num_nodes(&d->p), 3);
    assert_int_equal(H->num_gpus(&d->p), 4);
    assert_string_equal(H->trainer_job(&d->p), "node");
    assert_int_equal(H->num_jobs(&d->p), 1);
    assert_string_equal(H->job_at(&d->p, 0), "node");
    assert_null(H->job_at(&d->p, 1));
    assert_string_equal(H->live_json(&d->p, "Secret", "ns", "there"), "{}");
    assert_null(H->live_json(&d->p, "Secret", "ns", "gone"));
    assert_null(H->live_json(&d->p, "Nonsense", "ns", "there"));
}

static void test_editing(void **state)
{
    struct fixture *d = *state;
    char name[] = "A", key[] = "k", value[] = "1";
    assert_int_equal(H->set_env(&d->p, NULL, NULL, name, value), TRAINYARD_OK);
    assert_int_equal(H->set_env(&d->p, "node", "node", "B", "100%s"), TRAINYARD_OK);
    assert_int_equal(H->set_pod_label(&d->p, "node", key, value), TRAINYARD_OK);
    assert_int_equal(H->set_pod_annotation(&d->p, NULL, key, value), TRAINYARD_OK);
    assert_int_equal(H->add_port(&d->p, NULL, NULL, 8080), TRAINYARD_OK);
    name[0] = key[0] = value[0] = 'X'; /* the host has copied them */
    const struct ty_json *c = ty_plan_main_container(&d->plan);
    const struct ty_json *env = ty_json_get(c, "env");
    assert_true(
        ty_str_is(ty_json_str_at(ty_json_find_item(env, "name", TY_LIT("A"), NULL), "value"), "1"));
    assert_true(ty_str_is(
        ty_json_str_at(ty_json_find_item(env, "name", TY_LIT("B"), NULL), "value"), "100%s"));
    assert_true(ty_str_is(ty_json_str_at(d->plan.trainer->pod_meta, "labels.k"), "1"));
    assert_true(ty_str_is(ty_json_str_at(d->plan.trainer->pod_meta, "annotations.k"), "1"));
    assert_int_equal(ty_json_len(ty_json_get(c, "ports")), 1);
}

static void test_edits_that_cannot_be(void **state)
{
    struct fixture *d = *state;
    assert_int_equal(H->set_env(&d->p, "other", NULL, "A", "1"), TRAINYARD_NO_SUCH_PLACE);
    assert_int_equal(H->set_env(&d->p, NULL, "other", "A", "1"), TRAINYARD_NO_SUCH_PLACE);
    assert_int_equal(H->set_env(&d->p, NULL, NULL, "", "1"), TRAINYARD_BAD_VALUE);
    assert_int_equal(H->set_env(&d->p, NULL, NULL, "A=B", "1"), TRAINYARD_BAD_VALUE);
    assert_int_equal(H->add_port(&d->p, NULL, NULL, 70000), TRAINYARD_BAD_VALUE);
    assert_int_equal(H->set_pod_label(&d->p, NULL, "", "1"), TRAINYARD_BAD_VALUE);
    assert_int_equal(H->add_child(&d->p, "{"), TRAINYARD_BAD_VALUE);
    assert_int_equal(H->add_child(&d->p, "{\"kind\":\"X\",\"apiVersion\":\"v1\"}"),
                     TRAINYARD_BAD_VALUE);
    d->p.building = false;
    assert_int_equal(H->add_child(&d->p, "{}"), TRAINYARD_NOT_NOW);
    d->p.edit = NULL; /* as in validate */
    assert_int_equal(H->set_env(&d->p, NULL, NULL, "A", "1"), TRAINYARD_NOT_NOW);
    assert_int_equal(H->set_pod_label(&d->p, NULL, "k", "1"), TRAINYARD_NOT_NOW);
    assert_null(d->plan.want);
}

static void test_children(void **state)
{
    struct fixture *d = *state;
    assert_int_equal(H->add_child(&d->p,
                                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
                                  "{\"name\":\"cm\",\"namespace\":\"elsewhere\",\"labels\":"
                                  "{\"l\":\"1\"}},\"data\":{\"k\":\"v\"}}"),
                     TRAINYARD_OK);
    assert_int_equal(H->add_child(&d->p, "{\"apiVersion\":\"acme.io/v1\",\"kind\":\"Thing\","
                                         "\"metadata\":{\"name\":\"t\"}}"),
                     TRAINYARD_OK);
    const struct ty_desired_object *w = d->plan.want;
    assert_non_null(w);
    assert_ptr_equal(w->kind, &ty_kind_configmap);
    assert_true(ty_str_is(ty_json_str_at(w->obj, "metadata.namespace"), "ns"));
    assert_true(ty_str_is(ty_json_str_at(w->obj, "metadata.labels.l"), "1"));
    assert_true(ty_str_is(ty_json_str_at(w->obj, "data.k"), "v"));
    const struct ty_json *owner = ty_json_item(ty_json_at(w->obj, "metadata.ownerReferences"), 0);
    assert_true(ty_str_is(ty_json_str_at(owner, "uid"), "u-1"));
    w = w->next;
    assert_non_null(w);
    assert_string_equal(w->kind->group, "acme.io");
    assert_string_equal(w->kind->version, "v1");
    assert_string_equal(w->kind->plural, "things");
    assert_true(ty_str_is(ty_json_str_at(w->obj, "apiVersion"), "acme.io/v1"));
}

static void test_reports(void **state)
{
    struct fixture *d = *state;
    H->report_error(&d->p, "a", "b", "not in this hook");
    d->p.errs = &d->errs;
    d->p.warnings = &d->warnings;
    H->report_error(&d->p, "spec.x", "v", "100% wrong");
    H->report_warning(&d->p, "50% odd");
    assert_int_equal(d->errs.n, 1);
    assert_string_equal(ty_errs_text(d->a, &d->errs), "spec.x: Invalid value: \"v\": 100% wrong");
    assert_string_equal(d->warnings.v[0], "50% odd");
    assert_int_equal((H->fail)(&d->p, "5%d"), -1);
    assert_string_equal(d->err.text, "5%d");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_getters),  TEST(test_editing), TEST(test_edits_that_cannot_be),
        TEST(test_children), TEST(test_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
