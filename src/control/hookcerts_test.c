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

static struct race *race_begin(const struct api_row *rows,
                               int (*ready)(void *ctx, const struct ty_pem *pem, struct ty_str ca,
                                            struct ty_err *err))
{
    struct race *r = calloc(1, sizeof(*r));
    struct ty_err err = { 0 };

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
                                                             .ready = ready });
    return r;
}

static void race_end(struct race *r)
{
    ty_hookcerts_free(r->h);
    api_end(&r->api);
    loop_end(&r->loop);
    ty_gnutls_done(&r->gnutls);
    free(r);
}

/* We have made the Secret, another one has changed it since, and the watch is faster than the
 * answer to our write: what we know is what the watch said. */
static void test_an_answer_that_comes_late(void **state)
{
    static const struct api_row rows[] = { { "POST /api/v1/namespaces/ns/secrets", 0, NULL },
                                           { "PATCH /api/v1/namespaces/ns/secrets/s", 0, NULL },
                                           { 0 } };
    struct race *r = race_begin(rows, on_ready);

    (void)state;
    struct ty_request *write = wait_open(r, "POST", "/secrets");
    ty_request_answer(wait_open(r, "GET", "/secrets"), 200, "application/json",
                      TY_LIT("{\"type\":\"ADDED\",\"object\":" SECRET("11", "eA==") "}\n"));
    while (!ty_str_is(r->h->version, "11"))
        uv_run(&r->loop, UV_RUN_ONCE);
    ty_request_answer(write, 201, "application/json", TY_LIT(SECRET("10", "eQ==")));
    while (!asked(r, "PATCH /api/v1/namespaces/ns/secrets/s"))
        uv_run(&r->loop, UV_RUN_ONCE);
    assert_has(r->api.body.p, "\"resourceVersion\":\"11\"");
    race_end(r);
}

/* ---- a configuration that is written by others, too ---- */

#define HOOKS "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
#define HOOK(version)                                                                              \
    "{\"metadata\":{\"name\":\"validator.trainer.kubeflow.org\",\"uid\":\"u\","                    \
    "\"resourceVersion\":\"" version "\"},\"webhooks\":[{\"name\":\"w\"}]}"

static const struct api_row hook_rows[] = {
    { "POST /api/v1/namespaces/ns/secrets", API_PATCHED, "{\"metadata\":{\"uid\":\"u\"}}" },
    { "GET " HOOKS "?fieldSelector=metadata.name%3Dvalidator.trainer.kubeflow.org&limit=", 200,
      "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" HOOK("5") "]}" },
    { "PUT " HOOKS "/", 0, NULL },
    { 0 }
};

static int on_serve(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    (void)ctx;
    (void)err;
    assert_true(pem->cert.n && ca.n);
    return 0;
}

/* Our write is under way; another one's comes first and the watch tells it before our answer is
 * here. Returns our write; the configuration at version 7 has not our CA. */
static struct ty_request *overtaken(struct race *r)
{
    struct ty_request *write = wait_open(r, "PUT", "/validator.trainer.kubeflow.org");

    ty_request_answer(wait_open(r, "GET", "/validatingwebhookconfigurations"), 200,
                      "application/json",
                      TY_LIT("{\"type\":\"MODIFIED\",\"object\":" HOOK("7") "}\n"));
    while (!ty_str_contains(r->h->hooks[0].text, TY_LIT("\"resourceVersion\":\"7\"")))
        uv_run(&r->loop, UV_RUN_ONCE);
    return write;
}

static void ends_with_our_ca(struct race *r)
{
    struct ty_request *again = wait_open(r, "PUT", "/validator.trainer.kubeflow.org");

    assert_has(r->api.body.p, "\"resourceVersion\":\"7\"");
    assert_has(r->api.body.p, "\"caBundle\":\"");
    struct ty_json *is = ty_json_parse(again->arena, again->body, NULL, NULL);
    ty_json_set(again->arena, ty_json_get(is, "metadata"), "resourceVersion",
                ty_json_cstr(again->arena, "8"));
    ty_request_answer(again, 200, "application/json", ty_json_text(again->arena, is));
    while (!ty_hookcerts_ready(r->h))
        uv_run(&r->loop, UV_RUN_ONCE);
    race_end(r);
}

static void test_a_configuration_changed_before_our_refused_write(void **state)
{
    struct race *r = race_begin(hook_rows, on_serve);

    (void)state;
    ty_request_answer(overtaken(r), 409, "application/json",
                      TY_LIT("{\"kind\":\"Status\",\"code\":409,\"reason\":\"Conflict\"}"));
    ends_with_our_ca(r);
}

static void test_a_configuration_changed_after_our_write(void **state)
{
    struct race *r = race_begin(hook_rows, on_serve);

    (void)state;
    ty_request_answer(overtaken(r), 200, "application/json", TY_LIT(HOOK("6")));
    ends_with_our_ca(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_server),
        cmocka_unit_test(test_an_answer_that_comes_late),
        cmocka_unit_test(test_a_configuration_changed_before_our_refused_write),
        cmocka_unit_test(test_a_configuration_changed_after_our_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
