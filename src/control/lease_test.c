/* What needs no API server; the rest is tests/cluster/test_parts.py. */
#include "control/lease.h"
#include "store/api_testing.h"

static void test_identity(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    const char *x = ty_lease_identity(a), *y = ty_lease_identity(a);
    assert_string_not_equal(x, y);
    assert_true(ty_str_starts(ty_str(x), ty_str(host)));
    const char *uuid = strrchr(x, '_') + 1;
    assert_int_equal(strlen(uuid), 36);
    assert_int_equal(strspn(uuid, "0123456789abcdef-"), 36);
    assert_int_equal(uuid[14], '4');
    assert_non_null(strchr("89ab", uuid[19]));
}

struct seen {
    struct ty_lease *lease;
    struct ty_kube *kube;
    int leading, lost, done;
};

static void on_leading(void *ctx)
{
    ((struct seen *)ctx)->leading++;
}

static void on_lost(void *ctx, const char *why)
{
    (void)why;
    ((struct seen *)ctx)->lost++;
}

static void on_done(void *ctx)
{
    struct seen *s = ctx;
    s->done++;
    ty_lease_free(s->lease);
    ty_kube_free(s->kube);
}

static void on_time(uv_timer_t *t)
{
    struct seen *s = t->data;
    assert_false(ty_lease_held(s->lease));
    ty_lease_release(s->lease, on_done, s);
    uv_close((uv_handle_t *)t, NULL);
}

/* Nobody answers: never leader, and release comes back nevertheless. */
static void test_no_server(void **state)
{
    (void)state;
    struct seen s = { 0 };
    uv_loop_t loop;
    uv_timer_t timer;
    uv_loop_init(&loop);
    s.kube = api_nobody(&loop);
    s.lease = ty_lease_new(&(struct ty_lease_settings){ .loop = &loop,
                                                        .kube = s.kube,
                                                        .ns = "n",
                                                        .name = "l",
                                                        .identity = "me",
                                                        .lease_ms = 3000,
                                                        .renew_ms = 2000,
                                                        .retry_ms = 20,
                                                        .leading = on_leading,
                                                        .lost = on_lost,
                                                        .ctx = &s });
    uv_timer_init(&loop, &timer);
    timer.data = &s;
    uv_timer_start(&timer, on_time, 150, 0);
    loop_end(&loop);
    assert_int_equal(s.leading + s.lost, 0);
    assert_int_equal(s.done, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_identity),
                                        cmocka_unit_test(test_no_server) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
