/* The API itself is tested whole in tests/run/test_status_api.py. */
#include "cli/run/run_status.h"
#include "cli/testing.h"
#include "proc/netns.h"
#include "proc/zygote.h"

struct run_status_fixture {
    struct ty_cli_fixture b;
    uv_loop_t loop;
    struct ty_session session;
    struct ty_run_status s;
    struct ty_engine_opts opts;
    const char *warning; /* that was printed; NULL none */
};

static int setup(void **state)
{
    struct run_status_fixture *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    fixture_open(&w->b);
    uv_loop_init(&w->loop);
    w->session.cli = &w->b.cli;
    w->session.settings = ty_settings_default;
    assert_int_equal(ty_pipeline_init(&w->session.pipeline, NULL, NULL, NULL, NULL), 0);
    w->opts.settings = &w->session.settings;
    w->opts.host.mounts = true;
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct run_status_fixture *w = *state;

    ty_run_status_end(&w->s);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    fixture_flush(&w->b);
    assert_string_equal(w->b.err, w->warning ? w->warning : "");
    fixture_close(&w->b);
    free(w);
    return 0;
}

static void begin_status(struct run_status_fixture *w)
{
    ty_run_status_begin(&w->s, &w->session, &w->loop, ".", &w->opts);
}

static void tells_the_engine(void **state)
{
    struct run_status_fixture *w = *state;

    begin_status(w);
    assert_ptr_equal(w->opts.settings, &w->s.settings);
    assert_true(w->s.settings.status_gate && w->s.settings.status_port > 0);
    assert_false(w->session.settings.status_gate); /* what the user set stays as it is */
    assert_non_null(w->s.secret);
    assert_null(w->s.server); /* nothing is loaded before somebody comes */
}

static void tokens_are_bound(void **state)
{
    struct run_status_fixture *w = *state;
    struct ty_arena *a = w->b.cli.arena;
    struct ty_run_status other = { .key = { 1 } };

    begin_status(w);
    const char *x = ty_run_status_token(&w->s, a, TY_LIT("ns"), TY_LIT("x"));
    assert_int_equal(strlen(x), 64);
    assert_string_equal(x, ty_run_status_token(&w->s, a, TY_LIT("ns"), TY_LIT("x")));
    assert_string_not_equal(x, ty_run_status_token(&w->s, a, TY_LIT("ns"), TY_LIT("y")));
    assert_string_not_equal(x, ty_run_status_token(&w->s, a, TY_LIT("n"), TY_LIT("sx")));
    assert_string_not_equal(x, ty_run_status_token(&other, a, TY_LIT("ns"), TY_LIT("x")));
}

static void not_begun(struct run_status_fixture *w)
{
    begin_status(w);
    assert_ptr_equal(w->opts.settings, &w->session.settings);
    assert_null(w->opts.token);
    assert_null(w->s.secret);
}

static void off_by_the_gate(void **state)
{
    struct run_status_fixture *w = *state;

    w->session.status_off = true;
    not_begun(w);
}

static void off_without_mounts(void **state)
{
    struct run_status_fixture *w = *state;

    w->opts.host.mounts = false;
    not_begun(w);
}

static void off_without_the_plugin(void **state)
{
    static const char *const disabled[] = { "TrainJobStatus", NULL };
    struct run_status_fixture *w = *state;

    assert_int_equal(ty_pipeline_init(&w->session.pipeline, NULL, disabled, NULL, NULL), 0);
    not_begun(w);
}

/* The zygote's answer is the error, not what errno happens to be. */
static void no_socket_in_the_network_of_pods(void **state)
{
    struct run_status_fixture *w = *state;
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };

    assert_int_equal(ty_zygote_start(&z, &err), 0);
    int code = ty_zygote_socket(z); /* it has no such network */
    assert_true(code < 0);
    w->opts.pod_network = true;
    w->opts.zygote = z;
    not_begun(w);
    ty_zygote_stop(z);
    w->warning = ty_arena_printf(w->b.cli.arena,
                                 "warning: jobs of this run cannot report progress: no socket on "
                                 "%s: %s\n",
                                 TY_NETNS_GATEWAY, strerrordesc_np(-code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tells_the_engine, setup, teardown),
        cmocka_unit_test_setup_teardown(tokens_are_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(no_socket_in_the_network_of_pods, setup, teardown),
        cmocka_unit_test_setup_teardown(off_by_the_gate, setup, teardown),
        cmocka_unit_test_setup_teardown(off_without_mounts, setup, teardown),
        cmocka_unit_test_setup_teardown(off_without_the_plugin, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
