/* What needs no API server; the rest is tests/cluster/test_parts.py. */
#include "control/hookcerts_inner.h"
#include "store/api_testing.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <uv.h>

static int on_ready(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    (void)ctx;
    (void)pem;
    (void)ca;
    (void)err;
    fail(); /* of what the server never said */
    return 0;
}

static void on_time(uv_timer_t *t)
{
    struct ty_hookcerts *h = t->data;
    assert_false(ty_hookcerts_ready(h));
    assert_non_null(strstr(ty_hookcerts_why(h), "the Secret ns/s cannot be read: "));
    assert_int_equal(ty_hookcerts_until(h), 0);
    ty_hookcerts_check(h); /* too early is no harm */
    ty_hookcerts_free(h);
    uv_close((uv_handle_t *)t, NULL);
}

/* Nobody answers: not ready, with the reason; and it can be freed at any time. */
static void test_no_server(void **state)
{
    (void)state;
    struct ty_kube *kube = NULL;
    struct ty_gnutls g = { 0 };
    uv_loop_t loop;
    uv_timer_t timer;
    struct ty_err err = { 0 };
    static const struct ty_kubeconfig config = { .context = "",
                                                 .ns = "default",
                                                 .server = "http://127.0.0.1:1" };
    assert_int_equal(ty_gnutls_load(&g, &err), 0);
    uv_loop_init(&loop);
    uv_timer_init(&loop, &timer);
    assert_int_equal(
        ty_kube_new(&kube,
                    &(struct ty_kube_settings){ .loop = &loop, .config = &config, .agent = "t" },
                    &err),
        0);
    timer.data = ty_hookcerts_new(&(struct ty_hookcerts_settings){ .loop = &loop,
                                                                   .gnutls = &g,
                                                                   .kube = kube,
                                                                   .ns = "ns",
                                                                   .secret = "s",
                                                                   .service = "svc",
                                                                   .ready = on_ready });
    uv_timer_start(&timer, on_time, 300, 0);
    while (uv_is_active((uv_handle_t *)&timer))
        uv_run(&loop, UV_RUN_ONCE);
    ty_kube_free(kube);
    while (uv_run(&loop, UV_RUN_DEFAULT))
        ;
    assert_int_equal(uv_loop_close(&loop), 0);
    ty_gnutls_done(&g);
}

/* ---- two replicas at once ---- */

#define SECRET(version, ca)                                                                        \
    "{\"metadata\":{\"name\":\"s\",\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":"        \
    "\"" version "\"},\"data\":{\"ca.crt\":\"" ca "\"}}"

struct race {
    uv_loop_t loop;
    struct api_world api;
    struct ty_gnutls gnutls;
    struct ty_hookcerts *h;
};

static bool asked(struct race *r, const char *line)
{
    return r->api.asked.n && ty_str_contains(ty_buf_str(&r->api.asked), ty_str(line));
}

/* The request of this method that is still open, out of the list. */
static struct ty_request *open_request(struct race *r, const char *method, const char *path)
{
    for (size_t i = 0; i < r->api.n_open; i++) {
        struct ty_request *q = r->api.open[i];
        if (strcmp(q->method, method) != 0 || !ty_str_ends(q->path, ty_str(path)))
            continue;
        r->api.open[i] = r->api.open[--r->api.n_open];
        return q;
    }
    return NULL;
}

static struct ty_request *wait_open(struct race *r, const char *method, const char *path)
{
    struct ty_request *q = NULL;

    while (!(q = open_request(r, method, path)))
        uv_run(&r->loop, UV_RUN_ONCE);
    return q;
}

/* We have made the Secret, another one has changed it since, and the watch is faster than the
 * answer to our write: what we know is what the watch said. */
static void test_an_answer_that_comes_late(void **state)
{
    static const struct api_row rows[] = { { "POST /api/v1/namespaces/ns/secrets", 0, NULL },
                                           { "PATCH /api/v1/namespaces/ns/secrets/s", 0, NULL },
                                           { 0 } };
    struct race *r = calloc(1, sizeof(*r));
    struct ty_err err = { 0 };

    (void)state;
    assert_non_null(r);
    assert_int_equal(ty_gnutls_load(&r->gnutls, &err), 0);
    uv_loop_init(&r->loop);
    api_begin(&r->api, &r->loop);
    r->api.rows = rows;
    r->h = ty_hookcerts_new(&(struct ty_hookcerts_settings){ .loop = &r->loop,
                                                             .gnutls = &r->gnutls,
                                                             .kube = r->api.kube,
                                                             .ns = "ns",
                                                             .secret = "s",
                                                             .service = "svc",
                                                             .ready = on_ready });
    struct ty_request *write = wait_open(r, "POST", "/secrets");
    ty_request_answer(wait_open(r, "GET", "/secrets"), 200, "application/json",
                      TY_LIT("{\"type\":\"ADDED\",\"object\":" SECRET("11", "eA==") "}\n"));
    while (!ty_str_is(r->h->version, "11"))
        uv_run(&r->loop, UV_RUN_ONCE);
    ty_request_answer(write, 201, "application/json", TY_LIT(SECRET("10", "eQ==")));
    while (!asked(r, "PATCH /api/v1/namespaces/ns/secrets/s"))
        uv_run(&r->loop, UV_RUN_ONCE);
    assert_has(r->api.body.p, "\"resourceVersion\":\"11\"");
    ty_hookcerts_free(r->h);
    api_end(&r->api);
    loop_end(&r->loop);
    ty_gnutls_done(&r->gnutls);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_no_server),
                                        cmocka_unit_test(test_an_answer_that_comes_late) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
