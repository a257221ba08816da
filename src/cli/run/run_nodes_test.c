#include "cli/run/run_nodes.h"

#include "cli/testing.h"

static struct ty_preflight_pods eval = { "eval", "node", 1, 1, true, NULL };
static struct ty_preflight_pods launcher = { "ddp", "launcher", 1, 1, true, &eval };
static struct ty_preflight_pods nodes = { "ddp", "node", 2, 4, true, &launcher };

static void names(void **state TY_UNUSED)
{
    static const char *const good[] = { "node-0-0",     "node-1-3",         "launcher-0-0",
                                        "ddp/node-1-0", "ddp-launcher-0-0", "eval/node-0-0" };
    static const char *const bad[] = {
        "node-0-4",  "node-2-0", "node-0", "node",    "eval/node-0-1", "x/node-0-0",
        "node-0-0x", "",         "ddp/",   "node--0", "node-0-",       "ddp/ddp/node-0-0"
    };

    for (size_t i = 0; i < TY_COUNT(good); i++)
        if (!ty_run_nodes_match(&nodes, good[i]))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        if (ty_run_nodes_match(&nodes, bad[i]))
            fail_msg("%s", bad[i]);
}

/* Pods without an index have a random end. */
static void random_names(void **state TY_UNUSED)
{
    struct ty_preflight_pods any = { "j", "node", 1, 2, false, NULL };

    assert_true(ty_run_nodes_match(&any, "node-0-x7k2p"));
    assert_false(ty_run_nodes_match(&any, "node-0-"));
    assert_false(ty_run_nodes_match(&any, "node-1-x7k2p"));
}

static void lists(void **state TY_UNUSED)
{
    ty_auto_buf many = { 0 }, one = { 0 };

    ty_run_nodes_print(&many, &nodes);
    assert_true(ty_str_is(ty_buf_str(&many),
                          "ddp/node-0-0 … ddp/node-1-3, ddp/launcher-0-0, eval/node-0-0"));
    ty_run_nodes_print(&one, &eval);
    assert_true(ty_str_is(ty_buf_str(&one), "node-0-0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names), cmocka_unit_test(random_names),
                                        cmocka_unit_test(lists) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
