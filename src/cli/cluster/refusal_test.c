#include "cli/cluster/refusal.h"

#include "cli/testing.h"
#include "json/json_testing.h"

static const char job_text[] = "kind: TrainJob\n"
                               "metadata:\n"
                               "  name: t\n"
                               "spec:\n"
                               "  trainer:\n"
                               "    numNodes: -1\n"
                               "    env: [{name: A}, {name: A}]\n";

/* What is printed for a Status. */
static char *refused(struct ty_arena *a, const char *status)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_findings f = { .arena = a };
    struct ty_json *v = json_read(a, status);
    ty_auto_buf out = { 0 };

    assert_int_equal(ty_yaml_parse(a, "job.yaml", ty_str(job_text), NULL, &docs, NULL), 0);
    struct ty_doc doc = {
        .file = "job.yaml", .obj = docs.v[0], .kind = &ty_kind_trainjob, .name = TY_LIT("t")
    };
    ty_refusal_add(&f, &doc, v, ty_json_cstr_at(a, v, "message"));
    ty_findings_print(&out, &f, false);
    ty_findings_done(&f);
    return ty_arena_cstr(a, ty_buf_str(&out));
}

static void test_causes(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(
        refused(a, "{\"message\":\"TrainJob t is invalid\",\"details\":{\"causes\":["
                   "{\"field\":\"spec.trainer.numNodes\",\"message\":\"Invalid value: -1: must be "
                   "positive\"},{\"field\":\"spec.trainer.env[1]\",\"message\":\"Duplicate value: "
                   "{\\\"name\\\":\\\"A\\\"}\"},{\"field\":\"spec.gone\",\"message\":\"Required "
                   "value\"}]}}"),
        "job.yaml:6:15: spec.trainer.numNodes: Invalid value: -1: must be positive\n"
        "job.yaml:7:22: spec.trainer.env[1]: Duplicate value: {\"name\":\"A\"}\n"
        "job.yaml:5:3: spec.gone: Required value\n");
}

static void test_webhooks(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(refused(a,
                                "{\"message\":\"admission webhook \\\"v.x\\\" denied the request: "
                                "spec.trainer.numNodes: Forbidden: too many\"}"),
                        "job.yaml:6:15: spec.trainer.numNodes: Forbidden: too many\n");
    assert_string_equal(refused(a,
                                "{\"message\":\"admission webhook \\\"v.x\\\" denied the request: "
                                "no jobs on Fridays: \\u001b[2Jgo home\"}"),
                        "job.yaml:1: TrainJob t: admission webhook \"v.x\" denied the request: no "
                        "jobs on Fridays: go home\n");
    assert_string_equal(refused(a, "{\"message\":\"x\",\"details\":{\"causes\":[{},3]}}"),
                        "job.yaml:1: TrainJob t: x\n");
}

#define CONFLICT(manager, field)                                                                   \
    "{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict with \\\"" manager                \
    "\\\" using v1\",\"field\":\"" field "\"}"

static void test_conflicts(void **state)
{
    static const struct {
        const char *text;
        bool own;
    } rows[] = {
        { "{\"details\":{\"causes\":[" CONFLICT("trainyard-cli", ".spec.a") "]}}", true },
        { "{\"details\":{\"causes\":[" CONFLICT("trainyard-cli2", ".spec.a") "]}}", false },
        { "{\"details\":{\"causes\":[" CONFLICT("trainyard-cli",
                                                ".spec.a") "," CONFLICT("kubectl", ".spec.b") "]}}",
          false },
        { "{\"details\":{\"causes\":[]}}", false },
        { "", false },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    (void)state;
    assert_string_equal(
        refused(
            a,
            "{\"message\":\"Apply failed\",\"details\":{\"causes\":[" CONFLICT(
                "kubectl-edit",
                ".spec.trainer.numNodes") "," CONFLICT("trainyard-cli",
                                                       ".spec.trainer.image") "," CONFLICT("kueue",
                                                                                           ".spec."
                                                                                           "suspen"
                                                                                           "d") "]}"
                                                                                                "}"),
        "job.yaml:6:15: spec.trainer.numNodes: Conflict: it belongs to field manager "
        "\"kubectl-edit\" using v1 (--force-conflicts takes it over)\n"
        "job.yaml:5:3: spec.suspend: Conflict: it belongs to field manager \"kueue\" using v1 "
        "(--force-conflicts takes it over)\n");
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_cluster_answer answer = { .code = 409, .text = ty_str(rows[i].text) };
        assert_int_equal(ty_refusal_is_own_conflict(a, &answer), rows[i].own);
    }
}

static void test_rights(void **state)
{
    struct ty_cluster_answer answer = { .code = 403 };

    (void)state;
    answer.message = "trainjobs is forbidden: User \"u\" cannot create resource \"trainjobs\"";
    assert_true(ty_refusal_is_rights(&answer));
    answer.message = "pods \"x\" is forbidden: exceeded quota: q";
    assert_false(ty_refusal_is_rights(&answer));
    answer.message = "admission webhook \"v\" denied the request: you cannot do this";
    assert_false(ty_refusal_is_rights(&answer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_webhooks),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
