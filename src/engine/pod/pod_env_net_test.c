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

static int task_port(void *ctx, struct ty_str host, int port, bool reserve)
{
    size_t *reserved = ctx;

    if (!ty_str_starts(host, TY_LIT("js-node-0-")) || host.n < 11)
        return 0;
    *reserved += reserve;
    return reserve || *reserved ? 20000 + (host.p[10] - '0') * 100 + port % 100 : 0;
}

static const char *variable(struct fixture *f, const char *name, const char *value)
{
    return ty_arena_cstr(f->a, ty_pod_net_variable(&f->x, ty_str(name), ty_str(value)));
}

static void test_endpoints(void **state)
{
    static const char *const rows[][3] = {
        { "TF_CONFIG",
          "{\"cluster\":{\"worker\":[\"js-node-0-0.js:2222\",\"js-node-0-1.js:2222\"]}}",
          "{\"cluster\":{\"worker\":[\"js-node-0-0.js:20022\",\"js-node-0-1.js:20122\"]}}" },
        { "TF_CONFIG", "js-node-0-0:29500", "js-node-0-0:20000" },
        { "TF_CONFIG", "elsewhere:2222", "elsewhere:2222" },
        { "TF_CONFIG", "js-node-0-0:", "js-node-0-0:" },
        { "TF_CONFIG", "js-node-0-0:99999", "js-node-0-0:99999" },
        { "TF_CONFIG", "js-node-0-0:0", "js-node-0-0:0" },
        { "TF_CONFIG", "{\"task\":{\"index\":0}}", "{\"task\":{\"index\":0}}" },
        { "TF_CONFIG", "", "" },
        { "PEERS", "js-node-0-0:2222", "js-node-0-0:2222" }, /* the user's own */
        { "MASTER_PORT", "29500", "41000" },
    };
    struct fixture *f = *state;
    size_t reserved = 0;

    f->net.ctx = &reserved;
    assert_string_equal(variable(f, "TF_CONFIG", "js-node-0-0:2222"), "js-node-0-0:2222");
    f->net.task_port = task_port;
    f->x.hostname = "js-node-0-1";
    assert_int_equal(ty_pod_net_port(&f->x, 2222), 2222); /* TF_CONFIG names none */
    assert_int_equal(ty_pod_net_port(&f->x, 29500), 41000);
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        assert_string_equal(variable(f, rows[i][0], rows[i][1]), rows[i][2]);
    assert_int_equal(ty_pod_net_port(&f->x, 2222), 20122); /* for probes */
}

static void test_settings(void **state)
{
    size_t n = 0, root = 0;

    (void)state;
    for (const char *s; (s = ty_pod_net_setting(n, false, false)); n++)
        assert_non_null(strchr(s, '='));
    for (; ty_pod_net_setting(root, true, false); root++)
        ;
    assert_true(n >= 6);
    assert_int_equal(root, n + 2);
    assert_string_equal(ty_pod_net_setting(0, false, false), "NCCL_HOSTID=trainyard");
    /* in a network of its own nothing but what processes and users need */
    assert_string_equal(ty_pod_net_setting(0, false, true), "UCX_TLS=^sm");
    assert_null(ty_pod_net_setting(1, false, true));
    assert_string_equal(ty_pod_net_setting(2, true, true), "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    assert_null(ty_pod_net_setting(3, true, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_ports),
        with_fixture(test_names),
        with_fixture(test_endpoints),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
