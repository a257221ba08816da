#include "engine/jobset/jobset_status.h"
#include "engine/jobset/jobset_testing.h"

struct fixture {
    struct ty_jobset_ctx js;
    struct ty_changes out;
    struct ty_jobset_observed in;
};

static void begin(struct fixture *f, struct ty_arena *a, const char *status)
{
    struct ty_json *obj = merged(a, set_t(a), ty_arena_printf(a, "{'status':%s}", status));

    f->in = (struct ty_jobset_observed){ .jobset = obj, .now_s = NOW };
    ty_changes_init(&f->out, a);
    ty_jobset_init(&f->js, a, &f->in, &f->out);
}

static const char *conditions(struct ty_arena *a, const struct fixture *f)
{
    return json_show(a, ty_json_get(f->js.status, "conditions"));
}

static void say(struct fixture *f, const char *type, bool on, const char *reason)
{
    ty_jobset_condition(
        &f->js, &(struct ty_jobset_condition_value){
                    .type = type, .on = on, .event = "Normal", .reason = reason, .message = "m" });
}

static void a_condition_first_appears_true(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct fixture f;

    begin(&f, a, "{}");
    say(&f, "Suspended", false, "No");
    assert_false(f.js.dirty);
    assert_null(f.js.status_events.events);
    assert_string_equal(conditions(a, &f), "[]");
    say(&f, "Suspended", true, "Yes");
    assert_true(f.js.dirty);
    assert_string_equal(f.js.status_events.events->reason, "Yes");
    assert_string_equal(conditions(a, &f),
                        "[{'type':'Suspended','status':'True','reason':'Yes','message':'m',"
                        "'lastTransitionTime':'2023-11-14T22:13:20Z'}]");
}

#define OLD                                                                                        \
    "{'conditions':[{'type':'Suspended','status':'True','reason':'Old','message':'m',"             \
    "'lastTransitionTime':'2020-01-01T00:00:00Z'}]}"

static void the_time_is_that_of_the_last_change_of_status(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct fixture f;

    begin(&f, a, OLD);
    say(&f, "Suspended", true, "Old");
    assert_false(f.js.dirty);
    say(&f, "Suspended", true, "New");
    assert_true(f.js.dirty);
    assert_has(conditions(a, &f), "'reason':'New'");
    assert_has(conditions(a, &f), "2020-01-01T00:00:00Z");
    say(&f, "Suspended", false, "Off");
    assert_has(conditions(a, &f), "'status':'False','reason':'Off'");
    assert_has(conditions(a, &f), "2023-11-14T22:13:20Z");
    assert_string_equal(f.js.status_events.events->reason, "New");
    assert_string_equal(f.js.status_events.events->next->reason, "Off");
}

static void startup_conditions_exclude_each_other(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct fixture f;

    begin(&f, a, "{}");
    say(&f, "StartupPolicyInProgress", true, "P");
    f.in.now_s += 60;
    say(&f, "StartupPolicyCompleted", true, "C");
    assert_string_equal(conditions(a, &f),
                        "[{'type':'StartupPolicyInProgress','status':'False','reason':'P',"
                        "'message':'m','lastTransitionTime':'2023-11-14T22:13:20Z'},"
                        "{'type':'StartupPolicyCompleted','status':'True','reason':'C',"
                        "'message':'m','lastTransitionTime':'2023-11-14T22:14:20Z'}]");
    say(&f, "StartupPolicyInProgress", true, "P");
    assert_has(conditions(a, &f), "'StartupPolicyCompleted','status':'False'");
}

static void the_end_is_told_twice_when_restarting(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct fixture f;

    begin(&f, a,
          "{'conditions':[{'type':'RestartingJobSet','status':'True','reason':'R',"
          "'message':'m','lastTransitionTime':'2020-01-01T00:00:00Z'}]}");
    assert_false(ty_jobset_finished(&f.js));
    ty_jobset_failed(&f.js, "ReachedMaxRestarts", "why");
    assert_true(ty_jobset_finished(&f.js));
    assert_string_equal(f.js.status_events.events->type, "Warning");
    assert_string_equal(f.js.status_events.events->message, "why");
    assert_string_equal(f.js.status_events.events->next->reason, "JobSetFailed");
    assert_string_equal(f.js.status_events.events->next->message, "jobset failed");
    assert_true(ty_str_is(ty_json_str_at(f.js.status, "terminalState"), "Failed"));
}

static void written_as_typed_clients_read_it(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct fixture f;

    begin(&f, a, "{}");
    ty_jobset_compare_counters(&f.js);
    assert_true(f.js.dirty);
    ty_jobset_write_status(&f.js);
    assert_int_equal(f.out.first->op, TY_CHANGE_STATUS);
    assert_ptr_equal(f.out.first->kind, &ty_kind_jobset);
    assert_true(ty_str_is(f.out.first->name, "test-js"));
    assert_string_equal(json_show(a, ty_json_get(f.out.first->obj, "status")),
                        "{'restarts':0,'replicatedJobsStatus':[{'name':'" B
                        "','ready':0,'succeeded':0,'failed':0,'active':0,'suspended':0},{'name':'" A
                        "','ready':0,'succeeded':0,'failed':0,'active':0,'suspended':0}]}");
    begin(&f, a, json_show(a, ty_json_get(f.out.first->obj, "status")));
    ty_jobset_compare_counters(&f.js);
    ty_jobset_write_status(&f.js);
    assert_null(f.out.first); /* nothing new */
}

static void a_failed_pass_writes_nothing(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct fixture f;

    begin(&f, a, "{}");
    say(&f, "Suspended", true, "Yes");
    ty_jobset_abort(&f.js, "Broken", "because of %d", 5);
    ty_jobset_write_status(&f.js);
    assert_null(f.out.first);
    assert_string_equal(f.out.events->reason, "Broken");
    assert_string_equal(f.out.events->message, "because of 5");
    assert_null(f.out.events->next);
    assert_int_equal(f.out.requeue_ms, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_first_appears_true),
        cmocka_unit_test(the_time_is_that_of_the_last_change_of_status),
        cmocka_unit_test(startup_conditions_exclude_each_other),
        cmocka_unit_test(the_end_is_told_twice_when_restarting),
        cmocka_unit_test(written_as_typed_clients_read_it),
        cmocka_unit_test(a_failed_pass_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
