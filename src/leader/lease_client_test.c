/* Tests without an API server; the others are in tests/cluster/test_parts.py. */
#include "base/budget.h"
#include "leader/lease_client.h"
#include "store/api_testing.h"
#include "store/kube/kube_inner.h"

static void test_identity(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    const char *x = ty_lease_client_identity(a), *y = ty_lease_client_identity(a);
    assert_string_not_equal(x, y);
    assert_true(ty_str_starts(ty_str(x), ty_str(host)));
    const char *uuid = strrchr(x, '_') + 1;
    assert_int_equal(strlen(uuid), 36);
    assert_int_equal(strspn(uuid, "0123456789abcdef-"), 36);
    assert_int_equal(uuid[14], '4');
    assert_non_null(strchr("89ab", uuid[19]));
}

struct seen {
    struct ty_lease_client *lease;
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
    ty_lease_client_free(s->lease);
    ty_kube_free(s->kube);
}

static void on_time(uv_timer_t *t)
{
    struct seen *s = t->data;
    assert_false(ty_lease_client_held(s->lease));
    ty_lease_client_release(s->lease, on_done, s);
    uv_close((uv_handle_t *)t, NULL);
}

/* Durations of the lease, its renewal and a retry, in ms. */
static void ask_for_it(struct seen *s, uv_loop_t *loop, struct ty_kube *kube, const int64_t ms[3])
{
    s->lease = ty_lease_client_new(&(struct ty_lease_client_settings){ .loop = loop,
                                                                       .kube = kube,
                                                                       .ns = "n",
                                                                       .name = "l",
                                                                       .identity = "me",
                                                                       .lease_ms = ms[0],
                                                                       .renew_ms = ms[1],
                                                                       .retry_ms = ms[2],
                                                                       .leading = on_leading,
                                                                       .lost = on_lost,
                                                                       .ctx = s });
}

/* No answer: never leader, and release calls done all the same. */
static void test_no_server(void **state)
{
    (void)state;
    struct seen s = { 0 };
    uv_loop_t loop;
    uv_timer_t timer;
    uv_loop_init(&loop);
    s.kube = api_nobody(&loop);
    ask_for_it(&s, &loop, s.kube, (const int64_t[]){ 3000, 2000, 20 });
    uv_timer_init(&loop, &timer);
    timer.data = &s;
    uv_timer_start(&timer, on_time, 150, 0);
    loop_end(&loop);
    assert_int_equal(s.leading + s.lost, 0);
    assert_int_equal(s.done, 1);
}

#define LEASE "/apis/coordination.k8s.io/v1/namespaces/n/leases"
#define HELD(version, notes)                                                                       \
    "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"" version "\",\"annotations\":{" notes    \
    "}},\"spec\":{\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15}}"
#define OLD_NOTE "\"old\":\"1\""
#define NEW_NOTE OLD_NOTE ",\"new\":\"2\""

/* A watch event may be older than the last answer. The next write preserves the newer metadata. */
static void test_an_old_story(void **state)
{
    static const struct api_row rows[] = { { "GET " LEASE "/l", 200, HELD("13", NEW_NOTE) },
                                           { "PUT " LEASE "/l", 0, NULL },
                                           { 0 } };
    struct seen s = { 0 };
    struct api_world w;
    uv_loop_t loop;
    (void)state;

    uv_loop_init(&loop);
    api_begin(&w, &loop);
    w.rows = rows;
    ask_for_it(&s, &loop, w.kube, (const int64_t[]){ 15000, 10000, 1000 });
    ty_http_request_respond(api_wait(&w, "PUT " LEASE), 200, "application/json",
                            TY_LIT(HELD("14", NEW_NOTE)));
    while (!s.leading)
        uv_run(&loop, UV_RUN_ONCE);
    ty_http_request_respond(
        api_wait(&w, "GET " LEASE "?"), 200, "application/json",
        TY_LIT("{\"type\":\"MODIFIED\",\"object\":" HELD("11", OLD_NOTE) "}\n"));
    ty_http_request_respond(api_wait(&w, "PUT " LEASE), 503, NULL, TY_LIT("")); /* renews */
    assert_has(w.body.p, "\"resourceVersion\":\"14\"");
    assert_has(w.body.p, NEW_NOTE);
    assert_true(ty_lease_client_held(s.lease));
    ty_lease_client_free(s.lease);
    api_end(&w);
    loop_end(&loop);
}

/* Other clients may add as much metadata to the Lease as the API server stores. It is renewed all
 * the same, and the metadata is preserved. */
/* The budget is used up: the lease is not affected. */
static void test_no_memory_left(void **state)
{
    static const char lease[] = "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"13\"},"
                                "\"spec\":{\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15}}";
    const struct api_row rows[] = { { "GET " LEASE "/l", 200, lease },
                                    { "PUT " LEASE "/l", 0, NULL },
                                    { 0 } };
    struct ty_budget budget = { .ceiling = 1000, .used = 2000 };
    struct seen s = { 0 };
    struct api_world w;
    uv_loop_t loop;
    (void)state;

    uv_loop_init(&loop);
    api_begin(&w, &loop);
    w.rows = rows;
    w.kube->set.budget = &budget;
    ask_for_it(&s, &loop, w.kube, (const int64_t[]){ 15000, 10000, 1000 });
    struct ty_http_request *put = api_wait(&w, "PUT " LEASE);
    assert_true(ty_str_contains(put->body, TY_LIT("\"holderIdentity\":\"me\"")));
    ty_http_request_respond(put, 200, "application/json", ty_str(lease));
    while (!s.leading)
        uv_run(&loop, UV_RUN_ONCE);
    ty_lease_client_free(s.lease);
    api_end(&w);
    loop_end(&loop);
    assert_int_equal(budget.used, 2000);
}

static void test_much_on_it(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    ty_auto_buf notes = { 0 };
    struct seen s = { 0 };
    struct api_world w;
    uv_loop_t loop;
    (void)state;

    for (int i = 0; i < 90000; i++)
        ty_buf_printf(&notes, "%s\"%d\":\"\"", i ? "," : "", i);
    const char *lease = ty_arena_printf(
        a,
        "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"13\",\"annotations\":{%.*s}},"
        "\"spec\":{\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15}}",
        TY_ARG(ty_buf_str(&notes)));
    const struct api_row rows[] = { { "GET " LEASE "/l", 200, lease },
                                    { "PUT " LEASE "/l", 0, NULL },
                                    { 0 } };
    uv_loop_init(&loop);
    api_begin(&w, &loop);
    w.rows = rows;
    ask_for_it(&s, &loop, w.kube, (const int64_t[]){ 15000, 10000, 1000 });
    ty_http_request_respond(api_wait(&w, "PUT " LEASE), 200, "application/json", ty_str(lease));
    while (!s.leading)
        uv_run(&loop, UV_RUN_ONCE);
    ty_lease_client_free(s.lease);
    api_end(&w);
    loop_end(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_identity),
                                        cmocka_unit_test(test_no_server),
                                        cmocka_unit_test(test_an_old_story),
                                        cmocka_unit_test(test_no_memory_left),
                                        cmocka_unit_test(test_much_on_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
