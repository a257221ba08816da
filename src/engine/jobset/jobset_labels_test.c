#include "engine/jobset/jobset_labels.h"
#include "engine/jobset/jobset_testing.h"

/* The metadata that a Job of the given place gets. */
static const struct ty_json *marks(struct ty_arena *a, struct ty_json *jobset, size_t place,
                                   int64_t index)
{
    const struct ty_jobset_observed in = { .jobset = jobset };
    struct ty_json *metadata = ty_json_object(a);
    struct ty_changes none;
    struct ty_jobset_ctx js;

    ty_jobset_default(a, jobset);
    ty_changes_init(&none, a);
    ty_jobset_init(&js, a, &in, &none);
    ty_jobset_mark(&js, &js.rjobs[place], index, metadata);
    return metadata;
}

/* As a label and as an annotation. */
static void both_are(const struct ty_json *metadata, const char *key, const char *want)
{
    static const char *const lists[] = { "labels", "annotations" };

    for (size_t i = 0; i < 2; i++) {
        struct ty_str got = ty_json_as_str(ty_json_get(ty_json_get(metadata, lists[i]), key));
        if (!ty_str_is(got, want))
            fail_msg("%s %s is \"%.*s\", not \"%s\"", lists[i], key, TY_ARG(got), want);
    }
}

#define P "jobset.sigs.k8s.io/"

static void every_job_knows_its_place(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const struct ty_json *m = marks(a, set_t(a), 1, 2);

    both_are(m, P "jobset-name", "test-js");
    both_are(m, P "jobset-uid", "js-uid");
    both_are(m, P "replicatedjob-name", B);
    both_are(m, P "replicatedjob-replicas", "3");
    both_are(m, P "job-index", "2");
    both_are(m, P "restart-attempt", "0");
    /* printf default/test-js-replicated-job-b-2 | sha1sum */
    both_are(m, P "job-key", "14d9869cb0fb66125c51b9ed65be8cc5815f40ab");
    assert_int_equal(ty_json_len(ty_json_get(m, "labels")), 12);
    assert_int_equal(ty_json_len(ty_json_get(m, "annotations")), 12);
}

static struct ty_json *sized(struct ty_arena *a, int x, int y, int z)
{
    struct ty_json *js = empty_set(a);

    add_rjob(a, js, "x", x);
    add_rjob(a, js, "y", y);
    add_rjob(a, js, "z", z);
    return js;
}

static void case_031_global_index(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const struct ty_jobset_observed in = { .jobset = sized(a, 2, 4, 1) };
    struct ty_changes none;
    struct ty_jobset_ctx js;

    both_are(marks(a, sized(a, 2, 4, 1), 1, 3), P "job-global-index", "5");
    both_are(marks(a, sized(a, 2, 4, 1), 2, 0), P "job-global-index", "6");
    ty_jobset_init(&js, a, &in, &none);
    assert_null(ty_jobset_rjob(&js, TY_LIT("unknown"))); /* no entry, no index */
}

static void case_032_global_replicas(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const struct ty_jobset_observed in = { .jobset = empty_set(a) };
    struct ty_changes none;
    struct ty_jobset_ctx js;

    both_are(marks(a, sized(a, 2, 5, 0), 0, 0), P "global-replicas", "7");
    ty_jobset_init(&js, a, &in, &none);
    assert_int_equal(js.replicas, 0);
}

static void case_033_groups(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = sized(a, 2, 3, 4);
    const struct ty_json *m;

    ty_json_set(a, rjob_at(js, 1), "groupName", ty_json_cstr(a, "other"));
    m = marks(a, js, 2, 1);
    both_are(m, P "group-name", "default");
    both_are(m, P "group-replicas", "6");
    both_are(m, P "job-group-index", "3");
    both_are(m, P "job-global-index", "6");
    m = marks(a, js, 1, 2);
    both_are(m, P "group-name", "other");
    both_are(m, P "group-replicas", "3");
    both_are(m, P "job-group-index", "2");
}

static void case_034_coordinator(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = set_t(a);

    assert_null(ty_json_get(ty_json_get(marks(a, js, 0, 0), "labels"), P "coordinator"));
    js = merged(a, js, "{'spec':{'coordinator':{'replicatedJob':'" A "'}}}");
    both_are(marks(a, js, 0, 0), P "coordinator", "test-js-" A "-0-0.test-js");
    both_are(marks(a, js, 1, 2), P "coordinator", "test-js-" A "-0-0.test-js");
}

static void restart_attempt(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    both_are(marks(a, merged(a, set_t(a), "{'status':{'restarts':2}}"), 0, 0), P "restart-attempt",
             "2");
}

#define ALPHA "alpha.jobset.sigs.k8s.io/"

static void exclusive_placement_is_an_annotation(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a),
                                "{'metadata':{'annotations':{'" ALPHA
                                "exclusive-topology':'rack','" ALPHA "node-selector':'true'}}}");
    const struct ty_json *m;

    patch_rj(a, js, 1,
             "{'template':{'metadata':{'annotations':{'" ALPHA "exclusive-topology':'zone'}}}}");
    m = ty_json_get(marks(a, js, 0, 0), "annotations");
    assert_true(ty_str_is(ty_json_as_str(ty_json_get(m, ALPHA "exclusive-topology")), "rack"));
    assert_true(ty_str_is(ty_json_as_str(ty_json_get(m, ALPHA "node-selector")), "true"));
    m = ty_json_get(marks(a, js, 1, 0), "annotations");
    assert_true(ty_str_is(ty_json_as_str(ty_json_get(m, ALPHA "exclusive-topology")), "zone"));
    m = ty_json_get(marks(a, js, 0, 0), "labels");
    assert_null(ty_json_get(m, ALPHA "exclusive-topology"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_knows_its_place),
        cmocka_unit_test(case_031_global_index),
        cmocka_unit_test(case_032_global_replicas),
        cmocka_unit_test(case_033_groups),
        cmocka_unit_test(case_034_coordinator),
        cmocka_unit_test(restart_attempt),
        cmocka_unit_test(exclusive_placement_is_an_annotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
