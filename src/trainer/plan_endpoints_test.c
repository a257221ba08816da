#include "trainer/testing.h"

/* All addresses of a job, one a line. */
static const char *all(struct fixture *f, const char *name)
{
    struct ty_plan_endpoints it = { .plan = &f->plan,
                                    .job = &f->job,
                                    .set = ty_plan_find_podset(&f->plan, ty_str(name)) };
    ty_auto_buf out = { 0 };

    while (ty_plan_endpoints_next(&it, &out))
        ty_buf_chr(&out, '\n');
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

#define TWO_JOBS                                                                                   \
    RUNTIME_JOBS("{'numNodes':2}", PLAIN_JOB("launcher", "1", "") "," TRAINER_JOB("node", ""))

/* mlPolicy.numNodes counts the trainer's pods; the launcher keeps its one. */
static void test_addresses(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, TWO_JOBS, JOB(""));
    assert_string_equal(all(f, "launcher"), "j-launcher-0-0.j\n");
    assert_string_equal(all(f, "node"), "j-node-0-0.j\nj-node-0-1.j\n");
}

static void test_replicas(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            RUNTIME_JOBS("{}", "{'name':'w','replicas':2,'template':{'spec':{'parallelism':2}}}"),
            JOB(""));
    assert_string_equal(all(f, "w"), "j-w-0-0.j\nj-w-0-1.j\nj-w-1-0.j\nj-w-1-1.j\n");
}

/* network.subdomain replaces the TrainJob's name as the domain. */
static void test_subdomain(void **state)
{
    struct fixture *f = *state;

    fx_plan(f,
            "{'spec':{'template':{'spec':{'network':{'subdomain':'kubeflow.org'},"
            "'replicatedJobs':[{'name':'node'}]}}}}",
            JOB(""));
    assert_string_equal(all(f, "node"), "j-node-0-0.kubeflow.org\n");
    assert_string_equal(
        ty_plan_endpoint(&f->plan, &f->job, ty_plan_find_podset(&f->plan, TY_LIT("node")), 3, 4),
        "j-node-3-4.kubeflow.org");
}

static void test_none(void **state)
{
    struct fixture *f = *state;

    fx_plan(f, TWO_JOBS, JOB(""));
    ty_plan_podset_scale(ty_plan_find_podset(&f->plan, TY_LIT("node")), 0);
    assert_string_equal(all(f, "node"), "");
    ty_plan_podset_scale(ty_plan_find_podset(&f->plan, TY_LIT("node")), -5);
    assert_string_equal(all(f, "node"), "");
    ty_plan_find_podset(&f->plan, TY_LIT("launcher"))->replicas = 0;
    assert_string_equal(all(f, "launcher"), "");
}

/* After the last one there is none, however often it is asked. */
static void test_stays_at_the_end(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf out = { 0 };

    fx_plan(f, TWO_JOBS, JOB(""));
    struct ty_plan_endpoints it = { .plan = &f->plan, .job = &f->job, .set = f->plan.trainer };
    assert_true(ty_plan_endpoints_next(&it, &out) && ty_plan_endpoints_next(&it, &out));
    for (int i = 0; i < 5; i++)
        assert_false(ty_plan_endpoints_next(&it, &out));
}

/* A list that is full ends: nobody counts to two thousand million. */
static void test_full_list(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf out = { .ceiling = 30 };
    int n = 0;

    fx_plan(f, TWO_JOBS, JOB(""));
    ty_plan_podset_scale(f->plan.trainer, INT64_MAX);
    struct ty_plan_endpoints it = { .plan = &f->plan, .job = &f->job, .set = f->plan.trainer };
    while (ty_plan_endpoints_next(&it, &out))
        n++;
    assert_int_equal(n, 2);
    assert_true(out.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_addresses), core_test(test_replicas),         core_test(test_subdomain),
        core_test(test_none),      core_test(test_stays_at_the_end), core_test(test_full_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
