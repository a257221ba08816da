#include "engine/job/job_count.h"
#include "engine/job/job_indexes.h"
#include "engine/job/job_spec.h"
#include "engine/job/job_status.h"
#include "engine/job/job_testing.h"

static void test_conditions(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *list = ty_json_array(a), *job = ty_json_object(a);

    (void)state;
    assert_false(ty_job_condition_set(a, list, "Suspended", false, "R", "m", T0));
    assert_int_equal(list->n, 0);
    assert_true(ty_job_condition_set(a, list, "Suspended", true, "R", "m", T0));
    assert_false(ty_job_condition_set(a, list, "Suspended", true, "R", "m", T0 + 5));
    ty_json_set(a, ty_json_ensure_object(a, job, "status"), "conditions", list);
    assert_true(ty_job_condition_is(job, "Suspended"));
    assert_false(ty_job_condition_is(job, "Failed"));
    is_text(ty_json_text(a, list),
            "[{\"type\":\"Suspended\",\"status\":\"True\",\"lastProbeTime\":"
            "\"2026-01-01T00:00:00Z\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\","
            "\"reason\":\"R\",\"message\":\"m\"}]");
    assert_true(ty_job_condition_set(a, list, "Suspended", false, "S", "m", T0 + 5));
    assert_false(ty_job_condition_is(job, "Suspended"));
    is_text(ty_json_str_at(list->items[0], "lastTransitionTime"), "2026-01-01T00:00:05Z");
    assert_int_equal(list->n, 1);
}

static void test_a_whole_status(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_index_range done[] = { { 0, 2 } }, lost[] = { { 5, 6 } };
    struct ty_job_count c = {
        .active = 3, .ready = 2, .terminating = 1, .done = { done, 1 }, .lost = { lost, 1 }
    };
    struct ty_job_spec s = { .indexed = true, .per_index = 1 };
    struct ty_job_status st = {
        .conditions = ty_json_array(a), .start_s = T0, .succeeded = 3, .failed = 4, .count = &c
    };

    (void)state;
    is_text(ty_json_text(a, ty_job_status_make(a, &s, &st)),
            "{\"startTime\":\"2026-01-01T00:00:00Z\",\"active\":3,\"succeeded\":3,\"failed\":4,"
            "\"terminating\":1,\"completedIndexes\":\"0-2\",\"failedIndexes\":\"5,6\","
            "\"uncountedTerminatedPods\":{},\"ready\":2}");
}

static void test_zeros(void **state)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_count c = { 0 };
    struct ty_job_spec s = { .per_index = -1 };
    struct ty_job_status st = { .conditions = ty_json_array(a), .count = &c };

    (void)state;
    is_text(ty_json_text(a, ty_job_status_make(a, &s, &st)),
            "{\"terminating\":0,\"uncountedTerminatedPods\":{},\"ready\":0}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_a_whole_status),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
