#include "engine/pod/pod_env_net.h"
#include "engine/pod/pod_testing.h"

static const char *text(struct fixture *f, const char *before, const char *s)
{
    return ty_arena_cstr(f->a, ty_pod_net_text(&f->x, ty_str(before), ty_str(s)));
}

static void test_ports(void **state)
{
    static const char *const rows[][3] = {
        /* before, text, want */
        { "PET_MASTER_PORT=", "29500", "41000" },
        { "", "29500", "41000" },
        { "--master_port ", "29500", "41000" },
        { "", "--master-port=29500", "--master-port=41000" },
        { "", "tcp://js-node-0-0.js:29500", "tcp://js-node-0-0.js:41000" },
        { "JAX_COORDINATOR_ADDRESS=", "h.js:29500", "h.js:41000" },
        { "-p ", "29500", "41000" },
        { "", "-p29500", "-p41000" },
        { "run.py ", "29500", "41000" },
        { "", "os.environ['MASTER_PORT'] = '29500'", "os.environ['MASTER_PORT'] = '41000'" },
        { "", "a:29500,b:29500", "a:41000,b:41000" },
        { "", "listen on port 29500.", "listen on port 41000." },
        { "", "('h', 29500)", "('h', 41000)" },
        /* not ports */
        { "SEED=", "29500", "29500" },
        { "--max-steps ", "29500", "29500" },
        { "", "--max-steps=29500", "--max-steps=29500" },
        { "", "{\"steps\": 29500}", "{\"steps\": 29500}" },
        { "", "129500", "129500" },
        { "", "295000", "295000" },
        { "", "0.29500", "0.29500" },
        { "", "29500.5", "29500.5" },
        { "", "a29500b", "a29500b" },
        { "", "/data/29500/x", "/data/29500/x" },
        { "", "ckpt-29500", "ckpt-29500" },
        { "", "29500.pt", "29500.pt" },
        { "", "x_29500", "x_29500" },
        { "", "", "" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(text(f, rows[i][0], rows[i][1]), rows[i][2]);
    f->net.master_port = 0;
    assert_string_equal(text(f, "", "29500"), "29500");
}

static const char *lookup(void *ctx, struct ty_str host)
{
    size_t *asked = ctx;

    ++*asked;
    if (ty_str_is(host, "js-node-0-0.js"))
        return "127.9.0.1";
    return ty_str_is(host, "js-node-0-1.js.ns.svc.cluster.local") ? "127.9.0.2" : NULL;
}

static void test_names(void **state)
{
    static const char *const rows[][2] = {
        { "js-node-0-0.js", "127.9.0.1" },
        { "tcp://js-node-0-0.js:29500", "tcp://127.9.0.1:41000" },
        { "js-node-0-0.js,js-node-0-1.js.ns.svc.cluster.local", "127.9.0.1,127.9.0.2" },
        { "--addr=js-node-0-0.js -x", "--addr=127.9.0.1 -x" },
        { "http://js-node-0-0.js/a", "http://127.9.0.1/a" },
        { "js-node-0-0.js.", "127.9.0.1." },
        { "js-node-0-0", "127.1.2.3" }, /* the pod itself */
        { "/data/js-node-0-0.js/x", "/data/js-node-0-0.js/x" },
        { "js", "js" }, /* a job's name is no host */
        { "train.py --x", "train.py --x" },
        { "x_js-node-0-0.js", "x_js-node-0-0.js" },
        { "", "" },
    };
    struct fixture *f = *state;
    size_t asked = 0;

    f->net.rewrite_names = true;
    f->net.lookup = lookup;
    f->net.ctx = &asked;
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(text(f, "", rows[i][0]), rows[i][1]);
    assert_true(asked > 0);
    f->net.rewrite_names = false;
    asked = 0;
    assert_string_equal(text(f, "", "js-node-0-0.js"), "js-node-0-0.js");
    assert_int_equal(asked, 0);
}

static void test_settings(void **state)
{
    size_t n = 0, root = 0;

    (void)state;
    for (const char *s; (s = ty_pod_net_setting(n, false)); n++)
        assert_non_null(strchr(s, '='));
    for (; ty_pod_net_setting(root, true); root++)
        ;
    assert_true(n >= 6);
    assert_int_equal(root, n + 2);
    assert_string_equal(ty_pod_net_setting(0, false), "NCCL_HOSTID=trainyard");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_ports),
        with_fixture(test_names),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
