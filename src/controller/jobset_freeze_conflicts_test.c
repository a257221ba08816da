/* Hostile and odd JobSets beside today's rendering; what is kept at all is jobset_freeze_test.c. */
#include "controller/jobset_freeze.h"

#include "api/kind.h"
#include "controller/applied_digest_testing.h"

#define JOBSET(pod, container)                                                                     \
    "{'metadata':{'name':'j'},'spec':{'replicatedJobs':[{'name':'node','template':{'spec':{"       \
    "'template':{'spec':{" pod "'containers':[{'name':'node'" container "}]}}}}}]}}"
#define ENV(x, y) ",'env':[{'name':'" x "'},{'name':'" y "'}]"

static struct ty_json *stored(struct ty_arena *a, const struct ty_json *obj)
{
    return applied_stored(a, ty_kind_jobset.schema, obj, "trainer");
}

static struct ty_json *pod_of(struct ty_json *jobset)
{
    return ty_json_at(ty_json_item(ty_json_at(jobset, "spec.replicatedJobs"), 0),
                      "template.spec.template.spec");
}

/* An apply in another order reorders the live list, which JobSet refuses. */
static void test_another_order(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_field_changes kept;

    ty_jobset_freeze_conflicts(a, json_of(a, JOBSET("", ENV("A", "B"))),
                               stored(a, json_of(a, JOBSET("", ENV("B", "A")))), &kept);
    assert_int_equal(kept.n, 1);
    assert_string_equal(kept.first->path, "spec.replicatedJobs[node].template.spec.template.spec."
                                          "containers[node].env");
    ty_jobset_freeze_conflicts(a, json_of(a, JOBSET("", ENV("A", "B"))),
                               stored(a, json_of(a, JOBSET("", ENV("A", "B")))), &kept);
    assert_int_equal(kept.n, 0);
}

static struct ty_json *long_names(struct ty_arena *a, int n)
{
    struct ty_json *jobset = json_of(a, JOBSET("", "")), *env = ty_json_array(a);
    struct ty_json *node = ty_json_item(ty_json_get(pod_of(jobset), "containers"), 0);
    const char *name = ty_arena_printf(a, "%0200000d", 0);

    ty_json_set(a, node, "name", ty_json_cstr(a, name));
    for (int i = 0; i < n; i++)
        ty_json_push(a, env, json_of(a, ty_arena_printf(a, "{'name':'E%d'}", i)));
    ty_json_set(a, node, "env", env);
    return jobset;
}

/* A key of kilobytes is cut in each path. */
static void test_long_names(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)64 << 20, NULL);
    struct ty_field_changes kept;
    const struct ty_json *live = stored(a, long_names(a, 5000));

    ty_jobset_freeze_conflicts(a, long_names(a, 1), live, &kept);
    assert_false(ty_arena_full(a));
    assert_int_equal(kept.n, 4999);
    assert_true(strlen(kept.first->path) < 400);
}

/* What still does not fit marks the arena full instead of aborting. */
static void test_an_arena_that_is_full(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    ty_auto_arena *small = ty_arena_new_input((size_t)1 << 20, NULL);
    const struct ty_json *live = stored(a, long_names(a, 5000));
    struct ty_field_changes kept;

    ty_jobset_freeze_conflicts(small, long_names(a, 1), live, &kept);
    assert_true(ty_arena_full(small));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_order),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_an_arena_that_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
