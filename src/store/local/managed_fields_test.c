#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "store/local/managed_fields.h"
#include "json/json_testing.h"

/* One object that managers apply to, as text with ' for ". */
struct world {
    struct ty_arena *a;
    struct ty_managed_fields *all;
    struct ty_json *live;
};

static void by(struct world *w, const char *manager, const char *text)
{
    struct ty_json *obj = json_of(w->a, text);
    w->live = ty_json_copy(w->a, ty_managed_fields_apply(w->a, w->live, w->all, manager, obj), 0);
    ty_managed_fields_update(w->a, &w->all, manager, obj);
}

static void live_is(struct world *w, const char *text)
{
    const struct ty_json *want = json_of(w->a, text);
    if (!ty_json_eq(w->live, want))
        fail_msg("%.*s", TY_ARG(ty_json_text(w->a, w->live)));
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    w->a = ty_arena_new((size_t)16 << 20);
    w->live = ty_json_object(w->a);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    ty_managed_fields_free(w->all);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

static void own_fields_go_when_no_longer_wanted(void **state)
{
    struct world *w = *state;

    w->live = json_of(w->a, "{'written':1,'spec':{'by-hand':2}}");
    by(w, "one", "{'spec':{'x':1,'deep':{'a':1,'b':2}}}");
    live_is(w, "{'written':1,'spec':{'by-hand':2,'x':1,'deep':{'a':1,'b':2}}}");
    by(w, "one", "{'spec':{'deep':{'b':3}}}");
    live_is(w, "{'written':1,'spec':{'by-hand':2,'deep':{'b':3}}}");
    by(w, "one", "{}");
    live_is(w, "{'written':1,'spec':{'by-hand':2}}");
}

static void managers_do_not_remove_each_others(void **state)
{
    struct world *w = *state;

    by(w, "one", "{'spec':{'x':1,'both':7}}");
    by(w, "two", "{'spec':{'y':2,'both':7}}");
    live_is(w, "{'spec':{'x':1,'both':7,'y':2}}");
    by(w, "one", "{'spec':{'z':3}}");
    live_is(w, "{'spec':{'both':7,'y':2,'z':3}}"); /* both: still wanted by two */
    by(w, "one", "{}");
    live_is(w, "{'spec':{'both':7,'y':2}}");
    by(w, "two", "{'spec':{'y':2}}");
    live_is(w, "{'spec':{'y':2}}");
}

static void a_whole_map_goes_but_for_what_another_applied_inside(void **state)
{
    struct world *w = *state;

    by(w, "one", "{'labels':{'a':'1','b':'2','deep':{'p':1,'q':2}}}");
    by(w, "two", "{'labels':{'b':'2','deep':{'q':2}}}");
    by(w, "one", "{'other':true}");
    live_is(w, "{'labels':{'b':'2','deep':{'q':2}},'other':true}");
}

static void force_takes_a_field_over(void **state)
{
    struct world *w = *state;

    by(w, "one", "{'spec':{'n':1,'keep':1,'list':[1,2]}}");
    by(w, "two", "{'spec':{'n':5,'list':[3]}}");
    live_is(w, "{'spec':{'n':5,'keep':1,'list':[3]}}");
    by(w, "one", "{'spec':{'keep':1}}"); /* n and list are no longer its own to remove */
    live_is(w, "{'spec':{'n':5,'keep':1,'list':[3]}}");
    by(w, "two", "{'spec':{}}");
    live_is(w, "{'spec':{'keep':1}}");
}

static void taken_back_by_force(void **state)
{
    struct world *w = *state;

    by(w, "one", "{'n':1}");
    by(w, "two", "{'n':2}");
    by(w, "one", "{'n':1}");
    live_is(w, "{'n':1}");
    by(w, "two", "{}");
    live_is(w, "{'n':1}");
    by(w, "one", "{}");
    live_is(w, "{}");
}

static void a_map_against_a_word(void **state)
{
    struct world *w = *state;

    by(w, "one", "{'v':{'x':1}}");
    by(w, "two", "{'v':'word'}");
    live_is(w, "{'v':'word'}");
    by(w, "one", "{}");
    live_is(w, "{'v':'word'}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(own_fields_go_when_no_longer_wanted, setup, teardown),
        cmocka_unit_test_setup_teardown(managers_do_not_remove_each_others, setup, teardown),
        cmocka_unit_test_setup_teardown(a_whole_map_goes_but_for_what_another_applied_inside, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(force_takes_a_field_over, setup, teardown),
        cmocka_unit_test_setup_teardown(taken_back_by_force, setup, teardown),
        cmocka_unit_test_setup_teardown(a_map_against_a_word, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
