#include "engine/job/job_pod_builder.h"
#include "engine/job/job_spec.h"
#include "engine/job/job_testing.h"

static void test_an_indexed_pod(void **state)
{
    auto_job_fixture w;
    const struct ty_json *pod, *owner;

    (void)state;
    fixture_init(&w, "{'parallelism':3,'completions':3,'completionMode':'Indexed','template':"
                     "{'metadata':{'labels':{'app':'x'},'annotations':{'note':'y'}},'spec':"
                     "{'hostname':'mine','subdomain':'sub'}}}");
    reconcile(&w);
    pod = w.pods[2];
    is_text(ty_json_str_at(pod, "kind"), "Pod");
    is_text(ty_json_str_at(pod, "apiVersion"), "v1");
    is_text(ty_json_str_at(pod, "metadata.namespace"), "default");
    is_text(ty_json_str_at(pod, "metadata.generateName"), "my-job-2-");
    assert_true(ty_str_starts(ty_json_str_at(pod, "metadata.name"), TY_LIT("my-job-2-")));
    assert_int_equal(ty_json_str_at(pod, "metadata.name").n, 14);
    is_text(ty_json_str_at(pod, "spec.hostname"), "my-job-2");
    is_text(ty_json_str_at(pod, "spec.subdomain"), "sub");
    assert_true(ty_json_eq(
        ty_json_at(pod, "metadata.labels"),
        parse(w.a, "{'app':'x','batch.kubernetes.io/job-name':'my-job','job-name':'my-job',"
                   "'batch.kubernetes.io/controller-uid':'job-uid','controller-uid':'job-uid',"
                   "'batch.kubernetes.io/job-completion-index':'2'}")));
    assert_true(
        ty_json_eq(ty_json_at(pod, "metadata.annotations"),
                   parse(w.a, "{'note':'y','batch.kubernetes.io/job-completion-index':'2'}")));
    owner = ty_json_item(ty_json_at(pod, "metadata.ownerReferences"), 0);
    assert_true(
        ty_json_eq(owner, parse(w.a, "{'apiVersion':'batch/v1','kind':'Job','name':'my-job',"
                                     "'uid':'job-uid','controller':true,"
                                     "'blockOwnerDeletion':true}")));
    is_text(ty_json_str_at(w.job, "spec.template.spec.hostname"), "mine"); /* not touched */
}

static void test_a_plain_pod(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{}");
    reconcile(&w);
    is_text(ty_json_str_at(w.pods[0], "metadata.generateName"), "my-job-");
    assert_null(ty_json_at(w.pods[0], "spec.hostname"));
    assert_null(ty_json_get(ty_json_item(ty_json_at(w.pods[0], "spec.containers"), 0), "env"));
    assert_int_equal(index_of(&w, 0), -1);
}

static struct ty_str env_of(struct job_fixture *w, const char *list, size_t container, size_t i)
{
    const struct ty_json *c = ty_json_item(ty_json_at(w->pods[0], list), container);
    return ty_json_text(w->a, ty_json_item(ty_json_get(c, "env"), i));
}

static void case_107_own_completion_index_is_kept(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w,
                 "{'completions':1,'completionMode':'Indexed','template':{'spec':{'containers':["
                 "{'name':'a','env':[{'name':'X','value':'$(JOB_COMPLETION_INDEX)'}]},"
                 "{'name':'b','env':[{'name':'JOB_COMPLETION_INDEX','value':'7'}]}],"
                 "'initContainers':[{'name':'i'}]}}}");
    reconcile(&w);
    is_text(env_of(&w, "spec.containers", 0, 0),
            "{\"name\":\"X\",\"value\":\"$(JOB_COMPLETION_INDEX)\"}");
    is_text(env_of(&w, "spec.containers", 0, 1), /* appended last */
            "{\"name\":\"JOB_COMPLETION_INDEX\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\","
            "\"fieldPath\":\"metadata.labels['batch.kubernetes.io/job-completion-index']\"}}}");
    is_text(env_of(&w, "spec.containers", 1, 0),
            "{\"name\":\"JOB_COMPLETION_INDEX\",\"value\":\"7\"}");
    assert_int_equal(
        ty_json_len(ty_json_get(ty_json_item(ty_json_at(w.pods[0], "spec.containers"), 1), "env")),
        1);
    assert_true(
        ty_str_contains(env_of(&w, "spec.initContainers", 0, 0), TY_LIT("JOB_COMPLETION_INDEX")));
}

static struct ty_str name_for(struct ty_arena *a, const char *job, int64_t index)
{
    struct ty_job_spec s = { .name = ty_str(job), .ns = TY_LIT("n"), .uid = TY_LIT("u") };
    struct ty_job_observed in = { .seed = 1 };
    struct ty_job_pod_builder m;

    s.indexed = index >= 0;
    ty_job_pod_builder_init(&m, a, &s, &in, 1);
    return ty_json_str_at(ty_job_pod_builder_make(&m, index, -1, -1), "metadata.name");
}

static void test_long_names_are_cut_before_the_index(void **state)
{
    static const char job[] = "a23456789-123456789-123456789-123456789-123456789-123456789-12";
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_str name = name_for(a, job, 12345);

    (void)state;
    assert_int_equal(name.n, 63);
    assert_true(ty_str_starts(name, TY_LIT("a23456789-123456789-123456789-123456789-123456789-1")));
    assert_memory_equal(name.p + 51, "-12345-", 7);
    name = name_for(a, job, -1);
    assert_int_equal(name.n, 63);
    assert_memory_equal(name.p, job, 58);
    name = name_for(a, "short", 3);
    assert_true(ty_str_starts(name, TY_LIT("short-3-")));
    for (size_t i = name.n - 5; i < name.n; i++)
        assert_non_null(strchr("bcdfghjklmnpqrstvwxz2456789", name.p[i]));
}

static int by_text(const void *x, const void *y)
{
    return ty_str_cmp(*(const struct ty_str *)x, *(const struct ty_str *)y);
}

/* Many plain pods, and the same random numbers again and again: no name twice. */
static void test_names_never_repeat(void **state)
{
    struct ty_str names[1000];
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':500,'completions':1000}");
    for (int i = 0; i < 2; i++) {
        w.seed = 7;
        for (size_t k = 0; k < w.n; k++)
            finish_pod(&w, k, 0);
        reconcile(&w);
        assert_int_equal(w.created, 500);
    }
    for (size_t i = 0; i < 1000; i++)
        names[i] = ty_json_str_at(w.pods[i], "metadata.name");
    qsort(names, 1000, sizeof(names[0]), by_text);
    for (size_t i = 1; i < 1000; i++)
        assert_false(ty_str_eq(names[i - 1], names[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_indexed_pod),
        cmocka_unit_test(test_a_plain_pod),
        cmocka_unit_test(case_107_own_completion_index_is_kept),
        cmocka_unit_test(test_long_names_are_cut_before_the_index),
        cmocka_unit_test(test_names_never_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
