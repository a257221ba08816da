#include "trainer/plugins/fixture.h"

static void test_numbers_and_variables(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{'numNodes':2}", ",'env':[{'name':'A','value':'0'}]"),
           JOB("'numNodes':3,'env':[{'name':'B','value':'2'},{'name':'A','value':'1'}]"));
    assert_int_equal(f->plan.trainer->count, 3);
    assert_string_equal(fx_env(f, "node", "node"), "A=1;B=2");
}

static void test_zero_nodes_are_allowed(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{'numNodes':2}", ""), JOB("'numNodes':0"));
    assert_int_equal(f->plan.trainer->count, 0);
}

static void test_runtime_decides_without_a_trainer(void **state)
{
    struct fixture *f = *state;

    fx_run(f, RUNTIME("{'numNodes':2}", ""), JOB_OF("rt", ""));
    assert_int_equal(f->plan.trainer->count, 2);
    assert_string_equal(fx_env(f, "node", "node"), "");
    assert_string_equal(fx_member(f, "node", "node", "ports"), "");
}

static void test_leaves_frameworks_alone(void **state)
{
    struct fixture *f = *state;
    extern const struct ty_plugin ty_plugin_plainml;
    static const char *const own[] = { "{'torch':{}}", "{'mpi':{}}", "{'jax':{}}",
                                       "{'tensorflow':{}}" };
    static const char *const ours[] = { "{}", "{'xgboost':{}}", "{'flux':{}}" };

    for (size_t i = 0; i < 4; i++) {
        f->plan = (struct ty_plan){ .ml = fx_json(f->arena, own[i]) };
        assert_false(ty_plugin_plainml.applies(&f->plan));
    }
    for (size_t i = 0; i < 3; i++) {
        f->plan = (struct ty_plan){ .ml = fx_json(f->arena, ours[i]) };
        assert_true(ty_plugin_plainml.applies(&f->plan));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fx_test(test_numbers_and_variables),
        fx_test(test_zero_nodes_are_allowed),
        fx_test(test_runtime_decides_without_a_trainer),
        fx_test(test_leaves_frameworks_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
