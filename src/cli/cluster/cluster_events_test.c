#include "base/testing.h"
#include "cli/cluster/cluster_events.h"

static void test_whose_it_is(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_job_history_entry job = {
        .name = "a",
        .jobset = ty_json_parse(a,
                                TY_LIT("{\"spec\":{\"replicatedJobs\":[{\"name\":\"node\"},"
                                       "{\"name\":\"my-step\"}]}}"),
                                NULL, NULL)
    };
    static const struct {
        const char *kind, *name;
        bool of;
    } cases[] = {
        { "TrainJob", "a", true },
        { "JobSet", "a", true },
        { "TrainJob", "a-b", false },
        { "Job", "a-node-0", true },
        { "Job", "a-my-step-12", true },
        { "Job", "a-node", false },
        { "Job", "a-b-node-0", false },
        { "Job", "a-node-0-0-x7k2p", false },
        { "Pod", "a-node-0-1-x7k2p", true },
        { "Pod", "a-b-node-0-1-x7k2p", false },
        { "Pod", "a-node-0-x7k2p", false },
        { "Pod", "a-other-0-1-x7k2p", false },
        { "Pod", "a", false },
        { "Secret", "a", false },
        { "Pod", "a-node-0-1-", false },
        { "Job", "a-", false },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++)
        if (ty_cluster_events_is_of(&job, ty_str(cases[i].kind), ty_str(cases[i].name)) !=
            cases[i].of)
            fail_msg("%s %s", cases[i].kind, cases[i].name);
    job.jobset = NULL; /* the usual steps */
    assert_true(ty_cluster_events_is_of(&job, TY_LIT("Job"), TY_LIT("a-dataset-initializer-0")));
    assert_false(ty_cluster_events_is_of(&job, TY_LIT("Job"), TY_LIT("a-my-step-0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_whose_it_is) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
