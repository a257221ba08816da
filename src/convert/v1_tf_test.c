#include "convert/convert_testing.h"

#define ONE             POD("tensorflow")
#define TF(more, roles) HEAD("TFJob") more "  tfReplicaSpecs: {" roles "}\n"
#define JOBSET          "spec.template.spec.successPolicy"

/* TF_CONFIG of a role that is not the trainer's, as the JSON it must be once the index is there. */
static const struct ty_json *config(struct ty_arena *a, struct ty_str text)
{
    ty_auto_buf b = { 0 };
    const struct ty_str index = TY_LIT("$(TY_INDEX)");
    struct ty_err err = { 0 };
    for (size_t i = 0; i < text.n; i++)
        if (ty_str_starts((struct ty_str){ text.p + i, text.n - i }, index)) {
            ty_buf_chr(&b, '1');
            i += index.n - 1;
        } else {
            ty_buf_chr(&b, text.p[i]);
        }
    char *copy = ty_arena_cstr(a, ty_buf_str(&b));
    const struct ty_json *v = ty_json_parse(a, ty_str(copy), NULL, &err);
    if (!v)
        fail_msg("%s: %s", err.text, copy);
    return v;
}

static const struct ty_json *config_of(struct ty_arena *a, const struct ty_convert_result *done,
                                       const char *role)
{
    const struct ty_json *main = ty_json_item(ty_json_get(rjob_pod(done, role), "containers"), 0);
    return config(a, env_value(main, "TF_CONFIG"));
}

static void test_cluster(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(
        a,
        TF("", "Evaluator: {template: " ONE "}, PS: {replicas: 2, template: {spec: {containers: "
               "[{name: tensorflow, image: x, ports: [{name: tfjob-port, containerPort: 7}]}]}}}, "
               "Worker: {replicas: 2, template: " ONE "}, Chief: {template: " ONE "}"));
    const struct ty_json *v = config(a, trainer_env(&done, "TF_CONFIG"));
    assert_string_equal(json_at(a, v, "cluster"),
                        "{\"chief\":[\"j-chief-0-0.j:2222\"],\"ps\":[\"j-ps-0-0.j:7\",\"j-ps-0-1.j:"
                        "7\"],\"worker\":[\"j-worker-0-0.j:2222\",\"j-worker-0-1.j:2222\"],"
                        "\"evaluator\":[\"j-evaluator-0-0.j:2222\"]}");
    assert_string_equal(json_at(a, v, "task"), "{\"type\":\"worker\",\"index\":1}");
    v = config_of(a, &done, "ps");
    assert_string_equal(json_at(a, v, "task"), "{\"type\":\"ps\",\"index\":1}");
}

static void test_sparse_cluster(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done = convert(a, TF("  enableDynamicWorker: true\n",
                                                  "PS: {replicas: 2, template: " ONE
                                                  "}, Worker: {replicas: 2, template: " ONE "}"));
    const struct ty_json *v = config(a, trainer_env(&done, "TF_CONFIG"));
    assert_string_equal(json_at(a, v, "cluster"),
                        "{\"ps\":[\"j-ps-0-0.j:2222\",\"j-ps-0-1.j:2222\"],"
                        "\"worker\":{\"1\":\"j-worker-0-1.j:2222\"}}");
    v = config_of(a, &done, "ps"); /* nothing of the workers, who come and go */
    assert_string_equal(json_at(a, v, "cluster"),
                        "{\"ps\":[\"j-ps-0-0.j:2222\",\"j-ps-0-1.j:2222\"]}");
}

static void test_success(void **state TY_UNUSED)
{
    static const struct {
        const char *more, *roles, *jobset, *first;
    } rows[] = {
        { "", "Worker: {replicas: 2, template: " ONE "}", "null", "\"0\"" },
        { "", "Worker: {template: " ONE "}", "null", NULL },
        { "  successPolicy: AllWorkers\n", "Worker: {replicas: 2, template: " ONE "}", "null",
          NULL },
        { "", "PS: {template: " ONE "}, Worker: {replicas: 2, template: " ONE "}", "[\"worker\"]",
          "\"0\"" },
        { "", "Chief: {template: " ONE "}, Worker: {replicas: 2, template: " ONE "}", "[\"chief\"]",
          NULL },
        { "  successPolicy: AllWorkers\n",
          "Chief: {template: " ONE "}, Worker: {replicas: 2, template: " ONE "}",
          "[\"worker\",\"chief\"]", NULL },
        { "", "Master: {template: " ONE "}, Evaluator: {template: " ONE "}", "[\"chief\"]", NULL },
        { "", "PS: {template: " ONE "}, Evaluator: {template: " ONE "}", "null", NULL },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
        struct ty_convert_result done =
            convert(a, ty_arena_printf(a, TF("%s", "%s"), rows[i].more, rows[i].roles));
        assert_string_equal(json_at(a, done.runtime, JOBSET ".targetReplicatedJobs"),
                            rows[i].jobset);
        const struct ty_json *rules =
            ty_json_at(rjob(&done, "worker"), "template.spec.successPolicy.rules");
        assert_string_equal(json_at(a, ty_json_item(rules, 0), "succeededIndexes"),
                            rows[i].first ? rows[i].first : "null");
    }
}

static void test_who_trains(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    struct ty_convert_result done =
        convert(a, TF("", "Chief: {template: " ONE "}, PS: {template: " ONE "}"));
    assert_string_equal(json_at(a, rjob(&done, "chief"), "template.metadata.labels"),
                        "{\"trainer.kubeflow.org/trainjob-ancestor-step\":\"trainer\"}");
    done = convert(a, TF("", "Evaluator: {template: " ONE "}"));
    assert_non_null(ty_json_at(rjob(&done, "evaluator"), "template.metadata.labels"));
    assert_true(trainer_env(&done, "TF_CONFIG").n == 0); /* alone, as in V1 */
}

static void test_bad_fields(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(TESTING_CEILING);
    refuse(a, TF("  successPolicy: Some\n", "Worker: {template: " ONE "}"), "spec.successPolicy",
           "must be empty or AllWorkers");
    refuse(a, TF("  successPolicy: 5\n", "Worker: {template: " ONE "}"), "spec.successPolicy",
           "must be a text");
    refuse(a, TF("  enableDynamicWorker: 1\n", "Worker: {template: " ONE "}"),
           "spec.enableDynamicWorker", "must be true or false");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cluster),    cmocka_unit_test(test_sparse_cluster),
        cmocka_unit_test(test_success),    cmocka_unit_test(test_who_trains),
        cmocka_unit_test(test_bad_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
