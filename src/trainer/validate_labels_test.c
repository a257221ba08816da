/* Labels of templates with which no JobSet or Job can be created: warnings with their place. */
#include "trainer/testing.h"
#include "trainer/validate.h"

#define BAD(at) at ".labels: \"a b\": name part must consist of alphanumeric characters"
#define META    "'metadata':{'labels':{'a b':'x'}}"
#define TEMPLATE(meta, job, pod)                                                                   \
    "'template':{" meta "'spec':{'replicatedJobs':[{'name':'node','template':{" job                \
    "'spec':{'template':{" pod "'spec':{'containers':[{'name':'node'}]}}}}}]}}"
#define PATCH_OF(meta, job, pod)                                                                   \
    JOB_OF("rt", ",'runtimePatches':[{'manager':'a.io/b','trainingRuntimeSpec':{" TEMPLATE(        \
                     meta, job, pod) "}}]")
#define PATCH_PATH "spec.runtimePatches[0].trainingRuntimeSpec.template"
#define NODE_PATH  ".spec.replicatedJobs[0].template"

/* "path: detail" of the only error, which has its place. */
static const char *only_error(struct fixture *f)
{
    const struct ty_field_err *e = f->errs.first;

    assert_int_equal(f->errs.n, 1);
    assert_true(e->warn_only);
    assert_non_null(e->at);
    return ty_arena_printf(f->arena, "%s: %s", e->path, e->detail);
}

static const char *said(struct fixture *f, const char *job)
{
    fx_plan(f, RUNTIME("{}", ""), job);
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_labels(&f->job, &f->errs);
    return only_error(f);
}

static const char *said_of_runtime(struct fixture *f, const char *spec)
{
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_runtime_labels(fx_json(f->arena, spec), &f->errs);
    return only_error(f);
}

static void test_trainjob(void **state)
{
    struct fixture *f = *state;

    assert_has(said(f, JOB_OF("rt", ",'labels':{'a b':'x'}")), BAD("spec"));
    assert_has(said(f, JOB_OF("rt", ",'annotations':{'a b':'x'}")),
               "spec.annotations: \"a b\": name part must");
    assert_has(said(f, PATCH_OF(META ",", "", "")), BAD(PATCH_PATH ".metadata"));
    assert_has(said(f, PATCH_OF("", META ",", "")), BAD(PATCH_PATH NODE_PATH ".metadata"));
    assert_has(said(f, PATCH_OF("", "", META ",")),
               BAD(PATCH_PATH NODE_PATH ".spec.template.metadata"));
    assert_has(said(f, JOB_OF("rt", ",'podTemplateOverrides':[{'targetJobs':[{'name':'node'}]," META
                                    "}]")),
               BAD("spec.podTemplateOverrides[0].metadata"));
}

static void test_runtime(void **state)
{
    struct fixture *f = *state;

    assert_has(said_of_runtime(f, "{'spec':{" TEMPLATE(META ",", "", "") "}}"),
               BAD("spec.template.metadata"));
    assert_has(said_of_runtime(f, "{'spec':{" TEMPLATE("", META ",", "") "}}"),
               BAD("spec.template" NODE_PATH ".metadata"));
    assert_has(said_of_runtime(f, "{'spec':{" TEMPLATE("", "", META ",") "}}"),
               BAD("spec.template" NODE_PATH ".spec.template.metadata"));
}

static void test_valid(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, RUNTIME("{}", ""), JOB_OF("rt", ",'labels':{'a':'x'},'annotations':{'b':'c d'}"));
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_validate_labels(&f->job, &f->errs);
    ty_validate_runtime_labels(f->plan.runtime, &f->errs);
    assert_int_equal(f->errs.n, 0);
}

/* The webhook accepts, as v2.3.0 does, and warns; the value is cut, the rule is not. */
static void test_webhook_warns(void **state)
{
    struct fixture *f = *state;
    char key[200] = "";

    memset(key, 'k', sizeof(key) - 1);
    const char *text =
        said(f, ty_arena_printf(f->arena, JOB_OF("rt", ",'labels':{'%s':'x'}"), key));
    assert_has(text, "kkk…\": name part must be no more than 63 bytes");
    assert_true(strlen(text) < 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_trainjob),
        core_test(test_runtime),
        core_test(test_valid),
        core_test(test_webhook_warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
