#include "controller/events_series.h"
#include "json/json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NS    ((int64_t)1000000000)
#define BEGIN (1700000000 * NS + 123456789)

static struct ty_event event(const char *name)
{
    return (struct ty_event){ .controller = "trainer-trainjob-controller",
                              .kind = &ty_kind_trainjob,
                              .ns = TY_LIT("team"),
                              .name = ty_str(name),
                              .uid = TY_LIT("u-1"),
                              .version = TY_LIT("12"),
                              .type = "Warning",
                              .reason = "TrainJobResourcesCreationFailed",
                              .action = "Reconciling",
                              .note = TY_LIT("100% \"wrong\"") };
}

static const struct ty_events_series_entry *said;
static enum ty_events_series_action say(struct ty_events_series *s, struct ty_event e, int64_t at)
{
    said = NULL;
    return ty_events_series_record(s, &e, "trainer-trainjob-controller-host", at, &said);
}

static void test_shape(void **state)
{
    (void)state;
    struct ty_events_series *s = ty_events_series_new();
    assert_int_equal(say(s, event("job"), BEGIN), TY_EVENTS_SERIES_CREATE);
    assert_string_equal(said->ns, "team");
    assert_string_equal(said->name, "job.17979cfe3d85cd15");
    assert_string_equal(
        said->body,
        "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{"
        "\"name\":\"job.17979cfe3d85cd15\",\"namespace\":\"team\"},"
        "\"eventTime\":\"2023-11-14T22:13:20.123456Z\","
        "\"reportingController\":\"trainer-trainjob-controller\","
        "\"reportingInstance\":\"trainer-trainjob-controller-host\",\"action\":\"Reconciling\","
        "\"reason\":\"TrainJobResourcesCreationFailed\",\"regarding\":{\"kind\":\"TrainJob\","
        "\"namespace\":\"team\",\"name\":\"job\",\"uid\":\"u-1\","
        "\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"resourceVersion\":\"12\"},"
        "\"note\":\"100% \\\"wrong\\\"\",\"type\":\"Warning\"}");
    struct ty_event e = event("rt");
    e.kind = &ty_kind_clustertrainingruntime;
    e.ns = (struct ty_str){ 0 };
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    assert_string_equal(said->ns, "default"); /* of objects without a namespace */
    ty_events_series_free(s);
}

/* Each leader gives it the same name, and one of them writes it once. */
static void test_once(void **state)
{
    (void)state;
    struct ty_events_series *s = ty_events_series_new(), *other = ty_events_series_new();
    struct ty_event e = event("job");
    e.once = TY_LIT("first-failure-0");
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    assert_string_equal(said->name, "job.u-1.first-failure-0");
    e.version = TY_LIT("13");
    assert_int_equal(say(s, e, BEGIN + NS), TY_EVENTS_SERIES_COUNT);
    assert_null(ty_events_series_due(s, BEGIN + 10000 * NS, true));
    assert_int_equal(say(other, e, BEGIN + NS), TY_EVENTS_SERIES_CREATE);
    assert_string_equal(said->name, "job.u-1.first-failure-0");
    e.once = TY_LIT("first-failure-1"); /* the next attempt is no series of the first */
    assert_int_equal(say(s, e, BEGIN + NS), TY_EVENTS_SERIES_CREATE);
    assert_string_equal(said->name, "job.u-1.first-failure-1");
    ty_events_series_free(s);
    ty_events_series_free(other);
}

static void test_long_texts(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_events_series *s = ty_events_series_new();
    static char note[3000], name[254];
    struct ty_err err = { 0 };
    for (size_t i = 0; i < sizeof(note); i++)
        note[i] = "\xc3\xa4"[i & 1]; /* two bytes each */
    note[0] = 'x';
    memmove(note + 1, note + 2, sizeof(note) - 2); /* so that the limit is inside one */
    memset(name, 'n', 253);
    struct ty_event e = event(name);
    e.note = (struct ty_str){ note, sizeof(note) - 1 };
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    assert_int_equal(strlen(said->name), 253);
    struct ty_json *v = ty_json_parse(a, ty_str(said->body), NULL, &err);
    assert_non_null(v); /* UTF-8, too */
    assert_int_equal(ty_json_str_at(v, "note").n, 1023);
    ty_events_series_free(s);
}

static void test_series(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_events_series *s = ty_events_series_new();
    int64_t t = BEGIN;
    assert_int_equal(say(s, event("job"), t), TY_EVENTS_SERIES_CREATE);
    struct ty_event e = event("job");
    e.note = TY_LIT("another note, the same thing");
    assert_int_equal(say(s, e, t += 60 * NS), TY_EVENTS_SERIES_PATCH);
    assert_string_equal(ty_events_series_patch(a, said).p,
                        "{\"series\":{\"count\":2,"
                        "\"lastObservedTime\":\"2023-11-14T22:14:20.123456Z\"}}");
    for (int i = 0; i < 100; i++)
        assert_int_equal(say(s, event("job"), t += NS), TY_EVENTS_SERIES_COUNT);
    assert_null(ty_events_series_due(s, t, false));
    t += 360 * NS;
    const struct ty_events_series_entry *due = ty_events_series_due(s, t, false);
    assert_non_null(due);
    assert_int_equal(due->count, 102);
    assert_string_equal(due->name, "job.17979cfe3d85cd15");
    assert_null(ty_events_series_due(s, t, false)); /* once, then it is freed */
    assert_int_equal(say(s, event("job"), t + NS), TY_EVENTS_SERIES_CREATE);
    ty_events_series_free(s);
}

static void test_what_is_the_same(void **state)
{
    (void)state;
    struct ty_events_series *s = ty_events_series_new();
    struct ty_event e = event("job");
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    e.reason = "Other";
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    e = event("job");
    e.uid = TY_LIT("u-2"); /* deleted and created again */
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    e = event("job");
    e.type = "Normal";
    assert_int_equal(say(s, e, BEGIN), TY_EVENTS_SERIES_CREATE);
    assert_int_equal(say(s, event("job2"), BEGIN), TY_EVENTS_SERIES_CREATE);
    assert_int_equal(say(s, event("job"), BEGIN), TY_EVENTS_SERIES_PATCH);
    /* six minutes later it is a new event */
    assert_int_equal(say(s, event("job2"), BEGIN + 359 * NS), TY_EVENTS_SERIES_PATCH);
    assert_int_equal(say(s, event("job"), BEGIN + 361 * NS), TY_EVENTS_SERIES_CREATE);
    ty_events_series_free(s);
}

static void test_long_series_is_written_in_between(void **state)
{
    (void)state;
    struct ty_events_series *s = ty_events_series_new();
    int64_t t = BEGIN;
    int written = 0;
    say(s, event("job"), t);
    for (int minute = 0; minute < 121; minute++) {
        say(s, event("job"), t += 60 * NS);
        while (ty_events_series_due(s, t, false))
            written++;
    }
    assert_int_equal(written, 4); /* every half hour */
    say(s, event("job"), t);
    assert_non_null(
        ty_events_series_due(s, t, true)); /* at shutdown: all counts that are not written */
    assert_null(ty_events_series_due(s, t, true));
    ty_events_series_free(s);
}

/* Every time another reason, so no series: 25, then one every five minutes. */
static void test_flood(void **state)
{
    (void)state;
    struct ty_events_series *s = ty_events_series_new();
    int written = 0;
    char reason[32];
    for (int i = 0; i < 1000; i++) {
        struct ty_event e = event("mad");
        snprintf(reason, sizeof(reason), "R%d", i);
        e.reason = reason;
        written += say(s, e, BEGIN) == TY_EVENTS_SERIES_CREATE;
    }
    assert_int_equal(written, 25);
    assert_int_equal(say(s, event("calm"), BEGIN),
                     TY_EVENTS_SERIES_CREATE); /* each object has its own limit */
    assert_int_equal(say(s, event("mad"), BEGIN + 299 * NS), TY_EVENTS_SERIES_DROP);
    assert_int_equal(say(s, event("mad"), BEGIN + 301 * NS), TY_EVENTS_SERIES_CREATE);
    ty_events_series_free(s);
}

static void test_bounded(void **state)
{
    (void)state;
    struct ty_events_series *s = ty_events_series_new();
    char name[32];
    for (int i = 0; i < 3 * TY_EVENTS_KEYS; i++) {
        snprintf(name, sizeof(name), "job-%d", i);
        assert_int_equal(say(s, event(name), BEGIN + i), TY_EVENTS_SERIES_CREATE);
    }
    assert_int_equal(say(s, event(name), BEGIN), TY_EVENTS_SERIES_PATCH);     /* in memory */
    assert_int_equal(say(s, event("job-0"), BEGIN), TY_EVENTS_SERIES_CREATE); /* forgotten */
    ty_events_series_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_what_is_the_same),
        cmocka_unit_test(test_long_series_is_written_in_between),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
