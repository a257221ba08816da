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
    static const char *const both[] = { "flux", "xgboost" }; /* as in v2.3.0 */
    size_t n_both = 0;

    f->plan = (struct ty_plan){ .ml = fx_json(f->arena, "{}") };
    assert_true(ty_plugin_plainml.applies(&f->plan));
    for (size_t i = 0; ty_plugins[i]; i++) {
        const char *policy = ty_plugins[i]->policy;
        bool shared = policy && (strcmp(policy, both[0]) == 0 || strcmp(policy, both[1]) == 0);
        if (!policy)
            continue;
        struct ty_json *ml = ty_json_object(f->arena);
        ty_json_set(f->arena, ml, policy, ty_json_object(f->arena));
        f->plan = (struct ty_plan){ .ml = ml };
        assert_int_equal(ty_plugin_plainml.applies(&f->plan), ty_plugins[i]->with_plainml);
        assert_true(!shared || ty_plugins[i]->with_plainml);
        n_both += shared;
    }
    assert_int_equal(n_both, 2);
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
