#include "trainer/testing.h"

static void test_time_text(void **state)
{
    struct fixture *f = *state;

    assert_true(ty_str_is(ty_time_text(f->arena, CORE_NOW), "2026-01-02T03:04:05Z"));
    assert_true(ty_str_is(ty_time_text(f->arena, 0), "1970-01-01T00:00:00Z"));
    assert_true(ty_str_is(ty_time_text(f->arena, -1), "1969-12-31T23:59:59Z"));
}

static void test_time_parse(void **state TY_UNUSED)
{
    static const struct {
        const char *text;
        int64_t s;
    } rows[] = {
        { "2026-01-02T03:04:05Z", CORE_NOW },
        { "2026-01-02T03:04:05z", CORE_NOW },
        { "2026-01-02T03:04:05.999999Z", CORE_NOW },
        { "2026-01-02T05:04:05+02:00", CORE_NOW },
        { "2026-01-01T21:34:05-05:30", CORE_NOW },
        { "2026-01-02T05:04:05.5+02:00", CORE_NOW },
        { "2026-01-02T03:04:05.000000000000000000000000000000Z", CORE_NOW },
        { "2024-02-29T00:00:00Z", 1709164800 },
        { "1970-01-01T00:00:00Z", 0 },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        int64_t s = -7;
        assert_true(ty_time_parse(ty_str(rows[i].text), &s));
        assert_int_equal(s, rows[i].s);
    }
}

static void test_what_is_no_time(void **state TY_UNUSED)
{
    static const char *const rows[] = {
        "",
        "x",
        "2026-01-02",
        "2026-01-02T03:04:05",
        "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:05 Z",
        "2026-01-02T03:04:05Zulu",
        "2026-01-02T03:04:05+02",
        "2026-01-02T03:04:05+02:00Z",
        "2026-01-02T03:04:05.Z",
        "2026-13-02T03:04:05Z",
        "2026-01-02T25:04:05Z",
        " 2026-1-2T3:4:5Z     ",
        "2026-01-02T03:04:05+99:99",
        "2026-00-02T03:04:05Z",
        "2026-01-02T03:04:05+0200",
        "+026-01-02T03:04:05Z",
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        int64_t s = -7;
        if (ty_time_parse(ty_str(rows[i]), &s))
            fail_msg("%s was read", rows[i]);
        assert_int_equal(s, -7);
    }
}

/* The view need not end where the text ends. */
static void test_time_is_a_view(void **state TY_UNUSED)
{
    int64_t s = 0;

    assert_true(ty_time_parse((struct ty_str){ "2026-01-02T03:04:05Zxyz", 20 }, &s));
    assert_int_equal(s, CORE_NOW);
    assert_false(ty_time_parse((struct ty_str){ "2026-01-02T03:04:05Z\0x", 22 }, &s));
}

static void set(struct fixture *f, struct ty_json *status, const char *type, const char *state,
                const char *reason, const char *time)
{
    ty_condition_set(f->arena, status, type, state, ty_str(reason), ty_str("m"), ty_str(time));
}

static void test_new_condition(void **state)
{
    struct fixture *f = *state;
    struct ty_json *status = ty_json_object(f->arena);

    set(f, status, "Complete", "True", "R", "t1");
    assert_string_equal(fx_text(f, status),
                        "{'conditions':[{'type':'Complete','lastTransitionTime':'t1','status':"
                        "'True','reason':'R','message':'m'}]}");
}

static void test_same_state_keeps_its_time(void **state)
{
    struct fixture *f = *state;
    struct ty_json *status = ty_json_object(f->arena);

    set(f, status, "Failed", "True", "R", "t1");
    set(f, status, "Failed", "True", "S", "t2");
    const struct ty_json *c = ty_condition_find(status, "Failed");
    assert_true(ty_str_is(ty_json_str_at(c, "lastTransitionTime"), "t1"));
    assert_true(ty_str_is(ty_json_str_at(c, "reason"), "S"));
}

static void test_flip_takes_the_new_time(void **state)
{
    struct fixture *f = *state;
    struct ty_json *status = ty_json_object(f->arena);

    set(f, status, "Suspended", "True", "R", "t1");
    set(f, status, "Suspended", "False", "S", "t2");
    assert_true(ty_str_is(
        ty_json_str_at(ty_condition_find(status, "Suspended"), "lastTransitionTime"), "t2"));
}

static void test_order_is_kept(void **state)
{
    struct fixture *f = *state;
    struct ty_json *status =
        fx_json(f->arena, "{'conditions':[{'type':'A','status':'True','observedGeneration':3},"
                          "{'type':'B','status':'True'}]}");

    set(f, status, "A", "False", "R", "t");
    set(f, status, "C", "True", "R", "t");
    const struct ty_json *list = ty_json_get(status, "conditions");
    assert_true(ty_str_is(ty_json_str_at(list->items[0], "type"), "A"));
    assert_true(ty_str_is(ty_json_str_at(list->items[1], "type"), "B"));
    assert_true(ty_str_is(ty_json_str_at(list->items[2], "type"), "C"));
    assert_string_equal(fx_text(f, ty_json_get(list->items[0], "observedGeneration")), "3");
}

static void test_looking_for_none(void **state)
{
    struct fixture *f = *state;

    assert_null(ty_condition_find(NULL, "A"));
    assert_null(ty_condition_find(fx_json(f->arena, "{'conditions':[1,{}]}"), "A"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_time_text),
        core_test(test_time_parse),
        core_test(test_what_is_no_time),
        core_test(test_time_is_a_view),
        core_test(test_new_condition),
        core_test(test_same_state_keeps_its_time),
        core_test(test_flip_takes_the_new_time),
        core_test(test_order_is_kept),
        core_test(test_looking_for_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
