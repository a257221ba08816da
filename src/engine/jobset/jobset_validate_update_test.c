#include "engine/jobset/jobset_testing.h"

static struct ty_json *stored(struct ty_arena *a, const char *patch)
{
    struct ty_json *js = merged(a, set_t(a), patch);

    assert_string_equal(admit(a, js, TY_GATE_ELASTIC), "");
    return js;
}

#define SUSPENDED "{'spec':{'suspend':true}}"

/* Where pods run: what Kueue changes. */
static struct ty_json *moved(struct ty_arena *a, const struct ty_json *js)
{
    struct ty_json *new = ty_json_copy(a, js, 0);

    patch_rj(a, new, 1,
             "{'template':{'spec':{'template':{'metadata':{'labels':{'l':'1'},'annotations':"
             "{'n':'2'}},'spec':{'nodeSelector':{'zone':'z'},'tolerations':[{'key':'k'}],"
             "'schedulingGates':[{'name':'g'}]}}}}}");
    return new;
}

static void case_026_placement_while_suspended(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *old = stored(a, SUSPENDED), *running = stored(a, "{}");
    const char *said;

    assert_string_equal(admit_update(a, moved(a, old), old, 0), "");
    assert_string_equal(
        admit_update(a, merged(a, moved(a, old), "{'spec':{'suspend':false}}"), old, 0), "");
    assert_string_equal(admit_update(a, merged(a, moved(a, running), SUSPENDED), running, 0), "");
    said = admit_update(a, moved(a, running), running, 0);
    assert_has(said, "spec.replicatedJobs: Invalid value: [{\"name\":\"" A "\",");
    assert_has(said, "]: field is immutable\n");
    /* and nothing else while suspended */
    struct ty_json *new = ty_json_copy(a, old, 0);
    patch_rj(a, new, 1, "{'template':{'spec':{'template':{'spec':{'subdomain':'x'}}}}}");
    assert_has(admit_update(a, new, old, 0), ": field is immutable\n");
}

static void immutable_is(struct ty_arena *a, const char *first, const char *changed,
                         const char *said)
{
    struct ty_json *old = stored(a, first);

    assert_has(admit_update(a, merged(a, old, changed), old, 0), said);
}

static void case_027_what_may_change(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *old = stored(a, "{'spec':{'managedBy':'acme.io/x'}}"), *new;

    assert_string_equal(admit_update(a, merged(a, old, SUSPENDED), old, 0), "");
    assert_string_equal(
        admit_update(a, merged(a, old, "{'metadata':{'labels':{'a':'b'}}}"), old, 0), "");
    assert_string_equal(
        admit_update(a, merged(a, old, "{'spec':{'ttlSecondsAfterFinished':5}}"), old, 0), "");
    assert_string_equal(
        admit_update(a, merged(a, old, "{'spec':{'managedBy':'acme.io/y'}}"), old, 0),
        "spec.managedBy: Invalid value: \"acme.io/y\": field is immutable\n");
    assert_has(admit_update(a, merged(a, old, "{'spec':{'managedBy':null}}"), old, 0),
               "spec.managedBy: Invalid value: null: field is immutable\n");
    immutable_is(a, "{}", "{'spec':{'successPolicy':{'operator':'Any'}}}", "Value is immutable\n");
    immutable_is(a, "{'spec':{'failurePolicy':{}}}", "{'spec':{'failurePolicy':{'maxRestarts':3}}}",
                 "Value is immutable\n");
    immutable_is(a, "{'spec':{'volumeClaimPolicies':[{'templates':[]}]}}",
                 "{'spec':{'volumeClaimPolicies':[]}}", "Value is immutable\n");
    old = set_t(a);
    patch_rj(a, old, 1, "{'dependsOn':[{'name':'" A "','status':'Ready'}]}");
    assert_string_equal(admit(a, old, 0), "");
    new = ty_json_copy(a, old, 0);
    patch_rj(a, new, 1, "{'dependsOn':[{'name':'" A "','status':'Complete'}]}");
    assert_has(admit_update(a, new, old, 0), "Value is immutable\n");
}

static void case_028_jobs_added_or_renamed(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *old = stored(a, SUSPENDED), *new = ty_json_copy(a, old, 0);

    add_rjob(a, new, "late", 1);
    assert_has(admit_update(a, new, old, TY_GATE_ELASTIC), ": field is immutable\n");
    new = ty_json_copy(a, old, 0);
    ty_json_set(a, rjob_at(new, 0), "name", ty_json_cstr(a, "renamed"));
    assert_has(admit_update(a, new, old, TY_GATE_ELASTIC), ": field is immutable\n");
    new = ty_json_copy(a, old, 0);
    ty_json_remove(ty_json_at(new, "spec.replicatedJobs"), 0);
    assert_has(admit_update(a, new, old, TY_GATE_ELASTIC), ": field is immutable\n");
    new = ty_json_copy(a, old, 0);
    ty_json_set(a, rjob_at(new, 1), "replicas", ty_json_int(a, 4));
    assert_has(admit_update(a, new, old, TY_GATE_ELASTIC), ": field is immutable\n");
}

static const char *scaled(struct ty_arena *a, const struct ty_json *old, const char *sizes,
                          unsigned gates)
{
    struct ty_json *new = ty_json_copy(a, old, 0);

    patch_rj(a, new, 1, ty_arena_printf(a, "{'template':{'spec':%s}}", sizes));
    return admit_update(a, new, old, gates);
}

static struct ty_json *sized(struct ty_arena *a, const char *mode)
{
    struct ty_json *js = set_t(a);

    patch_rj(a, js, 1,
             ty_arena_printf(a,
                             "{'template':{'spec':{'completionMode':'%s','parallelism':2,"
                             "'completions':2}}}",
                             mode));
    assert_string_equal(admit(a, js, 0), "");
    return js;
}

static void case_029_elastic_sizes(void **state TY_UNUSED)
{
    static const char at[] = "spec.replicatedJobs[1].template.spec", four[] = "{'parallelism':4,"
                                                                              "'completions':4}";
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *old = sized(a, "Indexed"), *ended;

    assert_string_equal(scaled(a, old, four, TY_GATE_ELASTIC), "");
    assert_has(scaled(a, old, four, 0), ": field is immutable\n");
    assert_string_equal(
        scaled(a, old, "{'parallelism':0,'completions':0}", TY_GATE_ELASTIC),
        ty_arena_printf(a,
                        "%s.parallelism: Invalid value: 0: parallelism must be >= 1\n"
                        "%s.completions: Invalid value: 0: completions must be >= 1\n",
                        at, at));
    assert_string_equal(
        scaled(a, old, "{'parallelism':4}", TY_GATE_ELASTIC),
        ty_arena_printf(a,
                        "%s.completions: Invalid value: 2: completions must be equal to "
                        "parallelism for Elastic Indexed Jobs\n",
                        at));
    assert_has(scaled(a, sized(a, "NonIndexed"), four, TY_GATE_ELASTIC), ": field is immutable\n");
    ended = merged(a, old,
                   "{'status':{'conditions':[{'type':'Failed','status':'True','reason':'x',"
                   "'message':'y','lastTransitionTime':'2023-11-14T22:13:20Z'}]}}");
    assert_string_equal(
        scaled(a, ended, four, TY_GATE_ELASTIC),
        ty_arena_printf(a,
                        "%s: Forbidden: Cannot mutate parallelism or completions when JobSet is in "
                        "a terminal state (Completed or Failed)\n",
                        at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_026_placement_while_suspended),
        cmocka_unit_test(case_027_what_may_change),
        cmocka_unit_test(case_028_jobs_added_or_renamed),
        cmocka_unit_test(case_029_elastic_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
