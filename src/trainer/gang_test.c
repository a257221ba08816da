#include "trainer/gang.h"
#include "trainer/testing.h"

#define WAITS(name, more)   "{'name':'" name "'" more "}"
#define ON(name, status)    "{'name':'" name "','status':'" status "'}"
#define TRAINER(name, more) STEP_JOB(name, "trainer", "node", more)

/* The names of the gang's members. */
static const char *members(struct fixture *f, const char *jobs)
{
    ty_auto_buf out = { 0 };

    fx_plan(
        f,
        ty_arena_printf(f->arena, "{'spec':{'template':{'spec':{'replicatedJobs':[%s]}}}}", jobs),
        JOB(""));
    ty_each_set (s, &f->plan)
        if (s->gang)
            ty_buf_printf(&out, "%s%.*s", out.n ? " " : "", TY_ARG(s->name));
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

static void test_all_together(void **state)
{
    assert_string_equal(members(*state, TRAINER("node", "") "," WAITS("launcher", "")),
                        "node launcher");
}

/* B11: what the trainer waits for until it is complete is over by then. */
static void test_initializers_are_over(void **state)
{
    assert_string_equal(
        members(*state, WAITS("data", "") "," WAITS(
                            "model",
                            ",'dependsOn':[" ON(
                                "data", "Complete") "]") "," TRAINER("node",
                                                                     ",'dependsOn':[" ON(
                                                                         "model", "Complete") "]")),
        "node");
}

/* What is only waited for until it is ready runs on; but then the trainer starts after a member. */
static void test_ready_is_not_over(void **state)
{
    assert_string_equal(members(*state, WAITS("cache", "") "," TRAINER(
                                            "node", ",'dependsOn':[" ON("cache", "Ready") "]")),
                        "cache");
}

/* Past a Complete everything further up is over too, however it was waited for. */
static void test_over_is_inherited(void **state)
{
    assert_string_equal(
        members(*state,
                WAITS("a", "") "," WAITS("b", ",'dependsOn':[" ON("a", "Ready") "]") "," TRAINER(
                    "node", ",'dependsOn':[" ON("b", "Complete") "]")),
        "node");
}

/* The launcher that waits for ready nodes cannot be in one gang with them. */
static void test_late_jobs(void **state)
{
    assert_string_equal(
        members(*state, TRAINER("node", "") "," WAITS(
                            "launcher",
                            ",'dependsOn':[" ON(
                                "node", "Ready") "]") "," WAITS("after",
                                                                ",'dependsOn':[" ON(
                                                                    "launcher", "Complete") "]")),
        "node");
}

/* One way is enough to be over: a diamond of Ready and Complete. */
static void test_diamond(void **state)
{
    assert_string_equal(
        members(
            *state,
            WAITS("top", "") "," WAITS("l", ",'dependsOn':[" ON("top", "Ready") "]") "," WAITS(
                "r",
                ",'dependsOn':[" ON(
                    "top", "Complete") "]") "," TRAINER("node",
                                                        ",'dependsOn':[" ON("l", "Complete") "," ON(
                                                            "r", "Complete") "]")),
        "node");
}

/* The JobSet webhook refuses circles; until then they must only end. */
static void test_circles_end(void **state)
{
    struct fixture *f = *state;

    members(f, TRAINER("a", ",'dependsOn':[" ON("b", "Complete") "]") "," WAITS(
                   "b", ",'dependsOn':[" ON("a", "Complete") "]"));
    members(f, TRAINER("a", ",'dependsOn':[" ON("a", "Ready") "]"));
    members(f,
            WAITS("a", ",'dependsOn':[" ON("b", "Ready") "]") "," WAITS(
                "b", ",'dependsOn':[" ON(
                         "c", "Ready") "]") "," WAITS("c", ",'dependsOn':[" ON("a", "Ready") "]"));
    assert_int_equal(f->plan.n_sets, 3);
}

static void test_unknown_names_are_passed_over(void **state)
{
    assert_string_equal(
        members(*state,
                TRAINER("node", ",'dependsOn':[" ON(
                                    "none", "Complete") ",7,"
                                                        "{}]") ",{'name':'x','dependsOn':'x'}"),
        "node x");
}

/* A chain as long as plans may be: no stack is exhausted, no time lost. */
static void test_long_chain(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf out = { 0 };

    ty_buf_cstr(&out, "{'name':'j0'}");
    for (int i = 1; i < 4095; i++)
        ty_buf_printf(&out, ",{'name':'j%d','dependsOn':[" ON("j%d", "Complete") "]}", i, i - 1);
    ty_buf_cstr(&out, "," TRAINER("node", ",'dependsOn':[" ON("j4094", "Complete") "]"));
    assert_string_equal(members(f, ty_arena_cstr(f->arena, ty_buf_str(&out))), "node");
}

static void test_size_counts_replicas(void **state)
{
    struct fixture *f = *state;

    members(f, "{'name':'w','replicas':3,'template':{'spec':{'parallelism':4,'template':{'spec':{"
               "'containers':[{'resources':{'requests':{'cpu':'500m'},'limits':{'nvidia.com/gpu':2"
               "}}}]}}}}}," WAITS("one", ""));
    const struct ty_json *g = ty_gang_podgroup(&f->plan, &f->job, &ty_kind_podgroup_cosched);
    assert_string_equal(fx_text(f, ty_json_get(g, "spec")),
                        "{'minMember':13,'minResources':{'cpu':'6','nvidia.com/gpu':'24'}}");
}

/* Sizes that nobody can run must not wrap around. */
static void test_huge_sizes_saturate(void **state)
{
    struct fixture *f = *state;
#define HUGE_JOB(n)                                                                                \
    "{'name':'" n "','replicas':9223372036854775807,'template':{'spec':{'parallelism':"            \
    "9223372036854775807,'template':{'spec':{'containers':[{'resources':{'requests':{'cpu':1}}}]}" \
    "}"                                                                                            \
    "}}}"

    members(f, HUGE_JOB("a") "," HUGE_JOB("b"));
    const struct ty_json *g = ty_gang_podgroup(&f->plan, &f->job, &ty_kind_podgroup_cosched);
    assert_true(ty_json_at(g, "spec.minMember")->i == INT64_MAX);
    assert_non_null(ty_json_at(g, "spec.minResources.cpu"));
}

static void test_podgroup(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, RUNTIME("{'numNodes':2}", ""), JOB(""));
    const struct ty_json *g = ty_gang_podgroup(&f->plan, &f->job, &ty_kind_podgroup_cosched);
    assert_string_equal(fx_text(f, ty_json_get(g, "spec")), "{'minMember':2,'minResources':{}}");
    assert_ptr_equal(f->plan.want->obj, g);
}

#define LIVE_GROUP                                                                                 \
    "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{'name':'j',"       \
    "'namespace':'ns'}}"

/* The PodGroup of a running TrainJob is not applied again; that of a suspended one is. */
static void test_podgroup_is_frozen(void **state)
{
    struct fixture *f = *state;

    core_put(f, LIVE_GROUP);
    fx_plan(f, RUNTIME("{'numNodes':2}", ""), JOB(""));
    assert_null(ty_gang_podgroup(&f->plan, &f->job, &ty_kind_podgroup_cosched));
    assert_null(f->plan.want);
    assert_non_null(ty_gang_podgroup(&f->plan, &f->job, &ty_kind_podgroup_volcano));
    fx_plan(f, RUNTIME("{'numNodes':2}", ""), JOB_OF("rt", ",'suspend':true"));
    assert_non_null(ty_gang_podgroup(&f->plan, &f->job, &ty_kind_podgroup_cosched));
}

static void test_join(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, RUNTIME("{}", ""), JOB(""));
    ty_plan_origin(&f->plan, "gang");
    ty_gang_join(&f->plan, &f->job, f->plan.pod_labels, "k");
    assert_string_equal(fx_text(f, f->plan.pod_labels), "{'k':'j'}");
    assert_string_equal(core_origin(&f->plan, ty_json_get(f->plan.pod_labels, "k")), "gang");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_all_together),        core_test(test_initializers_are_over),
        core_test(test_ready_is_not_over),   core_test(test_over_is_inherited),
        core_test(test_late_jobs),           core_test(test_diamond),
        core_test(test_circles_end),         core_test(test_unknown_names_are_passed_over),
        core_test(test_long_chain),          core_test(test_size_counts_replicas),
        core_test(test_huge_sizes_saturate), core_test(test_podgroup),
        core_test(test_podgroup_is_frozen),  core_test(test_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
