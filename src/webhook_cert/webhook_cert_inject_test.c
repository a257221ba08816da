/* Our CA in the two configurations: when it is written, and what can go wrong. */
#include "base/base64.h"
#include "webhook_cert/webhook_cert_testing.h"

#define VALIDATORS "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
#define DEFAULTERS "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
#define VALIDATOR  VALIDATORS "/validator.trainer.kubeflow.org"
#define DEFAULTER  DEFAULTERS "/defaulter.trainer.kubeflow.org"

#define CONFIG(name, version, more, hooks)                                                         \
    "{\"metadata\":{\"name\":\"" name ".trainer.kubeflow.org\",\"uid\":\"u\","                     \
    "\"resourceVersion\":\"" version "\"" more "},\"webhooks\":[" hooks "]}"
#define HOOK(version)   CONFIG("validator", version, "", "{\"name\":\"w\"}")
#define LIST_OF(config) "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" config "]}"
#define REFUSED                                                                                    \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":403,\"reason\":\"Forbidden\","            \
    "\"message\":\"not you\"}"

#define SECRET_IS_MADE                                                                             \
    {                                                                                              \
        "POST /api/v1/namespaces/ns/secrets", API_PATCHED, "{\"metadata\":{\"uid\":\"u\"}}"        \
    }
#define ONE_IS_THERE                                                                               \
    {                                                                                              \
        "GET " VALIDATORS "?fieldSelector=metadata.name%3Dvalidator.trainer.kubeflow.org&limit=",  \
            200, LIST_OF(HOOK("5"))                                                                \
    }

/* The validating configuration exists, and our write of it gets no answer. */
static const struct api_row one_is_there[] = {
    SECRET_IS_MADE, ONE_IS_THERE, { "PUT " VALIDATOR, 0, NULL }, { 0 }
};

static int on_serve(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    (void)ctx;
    (void)err;
    assert_true(pem->cert.n && ca.n);
    return 0;
}

static void until_ready(struct certs_fixture *w)
{
    while (!ty_webhook_cert_manager_ready(w->h))
        uv_run(&w->loop, UV_RUN_ONCE);
    assert_string_equal(ty_webhook_cert_manager_reason(w->h), "");
}

static void watch_tells(struct certs_fixture *w, const char *events)
{
    ty_http_request_respond(api_wait(&w->api, "GET " VALIDATORS "?"), 200, "application/json",
                            ty_str(events));
}

/* ---- what is written ---- */

static size_t count_of(struct ty_str text, const char *part)
{
    size_t n = 0, len = strlen(part);

    for (const char *at; (at = memmem(text.p, text.n, part, len)); n++)
        text = (struct ty_str){ at + len, text.n - (size_t)(at + len - text.p) };
    return n;
}

/* Every webhook of both configurations gets our CA; nothing else changes. */
static void test_both_are_told(void **state)
{
    static const struct api_row rows[] = {
        SECRET_IS_MADE,
        { "GET " VALIDATORS "?fieldSelector=metadata.name%3Dvalidator.trainer.kubeflow.org&limit=",
          200,
          LIST_OF(CONFIG("validator", "5",
                         ",\"managedFields\":[{\"manager\":\"helm\"}],\"labels\":{\"a\":\"b\"}",
                         "{\"name\":\"v\",\"clientConfig\":{\"caBundle\":\"b2xk\",\"service\":{"
                         "\"name\":\"svc\"}}},{\"name\":\"w\",\"failurePolicy\":\"Ignore\"}")) },
        { "GET " DEFAULTERS "?fieldSelector=metadata.name%3Ddefaulter.trainer.kubeflow.org&limit=",
          200, LIST_OF(CONFIG("defaulter", "6", "", "{\"name\":\"d\"}")) },
        { "PUT " VALIDATOR, API_PATCHED, "{}" },
        { "PUT " DEFAULTER, API_PATCHED, "{}" },
        { 0 }
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, rows, on_serve);
    until_ready(&w);
    const char *asked = api_asked(&w.api, a);
    assert_has(asked, "PUT " VALIDATOR "\n");
    assert_has(asked, "PUT " DEFAULTER "\n");
    const struct ty_str *text = &w.h->hooks[0].text;
    struct ty_str bundle = ty_base64_encode(a, w.h->data[0]);
    const char *ours = ty_arena_printf(a, "\"caBundle\":\"%.*s\"", TY_ARG(bundle));
    assert_int_equal(count_of(*text, ours), 2);
    assert_int_equal(count_of(*text, "\"caBundle\""), 2);
    assert_has(text->p, "\"service\":{\"name\":\"svc\"}");
    assert_has(text->p, "\"failurePolicy\":\"Ignore\"");
    assert_has(text->p, "\"labels\":{\"a\":\"b\"}");
    assert_null(strstr(text->p, "managedFields")); /* must not be sent */
    assert_has(text->p, "\"kind\":\"ValidatingWebhookConfiguration\"");
    assert_has(text->p, "\"apiVersion\":\"admissionregistration.k8s.io/v1\"");
    assert_int_equal(count_of(w.h->hooks[1].text, ours), 1);
    assert_has(w.h->hooks[1].text.p, "\"kind\":\"MutatingWebhookConfiguration\"");
    certs_end(&w);
}

/* Without webhook configurations there is nothing to write. */
static void test_none_is_there(void **state)
{
    static const struct api_row rows[] = { SECRET_IS_MADE, { 0 } };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, rows, on_serve);
    until_ready(&w);
    assert_null(strstr(api_asked(&w.api, a), "PUT "));
    certs_end(&w);
}

/* ---- errors ---- */

static void until_served(struct certs_fixture *w, const struct ty_webhook_cert_target *x)
{
    while (!w->h->served.n || !x->why[0])
        uv_run(&w->loop, UV_RUN_ONCE);
    assert_false(ty_webhook_cert_manager_ready(w->h));
}

/* The maximum number of webhooks; with our CA in each they are too large to be stored. */
static void test_too_many_webhooks(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    ty_auto_buf hooks = { 0 };
    struct certs_fixture w;

    (void)state;
    for (int i = 0; i < 100000; i++)
        ty_buf_printf(&hooks, "%s{\"name\":\"w\"}", i ? "," : "");
    const char *list = ty_arena_printf(a, LIST_OF(CONFIG("validator", "5", "", "%.*s")),
                                       TY_ARG(ty_buf_str(&hooks)));
    const struct api_row rows[] = {
        SECRET_IS_MADE,
        { "GET " VALIDATORS "?fieldSelector=metadata.name%3Dvalidator.trainer.kubeflow.org&limit=",
          200, list },
        { 0 }
    };
    certs_begin(&w, rows, on_serve);
    until_served(&w, &w.h->hooks[0]);
    assert_has(w.h->hooks[0].why, "too large");
    assert_null(strstr(api_asked(&w.api, a), "PUT "));
    certs_end(&w);
}

static void test_may_not_write(void **state)
{
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, one_is_there, on_serve);
    struct ty_http_request *write = api_wait(&w.api, "PUT " VALIDATOR);
    assert_string_equal(ty_webhook_cert_manager_reason(w.h),
                        "the API server has not been told our CA yet");
    ty_http_request_respond(write, 403, "application/json", TY_LIT(REFUSED));
    until_served(&w, &w.h->hooks[0]);
    assert_string_equal(ty_webhook_cert_manager_reason(w.h),
                        "ValidatingWebhookConfiguration "
                        "validator.trainer.kubeflow.org cannot be written: "
                        "not you");
    /* The configuration is deleted: nothing to write, and the error ends. */
    watch_tells(&w, "{\"type\":\"DELETED\",\"object\":" HOOK("6") "}\n");
    until_ready(&w);
    certs_end(&w);
}

static void test_may_not_read(void **state)
{
    static const struct api_row rows[] = { SECRET_IS_MADE,
                                           { "GET " DEFAULTERS "?", 403, REFUSED },
                                           { 0 } };
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, rows, on_serve);
    until_served(&w, &w.h->hooks[1]);
    assert_string_equal(ty_webhook_cert_manager_reason(w.h),
                        "MutatingWebhookConfiguration "
                        "defaulter.trainer.kubeflow.org cannot be read: "
                        "not you");
    certs_end(&w);
}

/* Deleted during our write: the watch reports it, and nothing is left to do. */
static void test_gone_meanwhile(void **state)
{
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, one_is_there, on_serve);
    ty_http_request_respond(api_wait(&w.api, "PUT " VALIDATOR), 404, "application/json",
                            TY_LIT("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":404}"));
    watch_tells(&w, "{\"type\":\"DELETED\",\"object\":" HOOK("6") "}\n");
    until_ready(&w);
    certs_end(&w);
}

/* ---- when the CA has been there long enough ---- */

static void test_settled(void **state)
{
    static const struct api_row rows[] = {
        SECRET_IS_MADE, ONE_IS_THERE, { "PUT " VALIDATOR, API_PATCHED, "{}" }, { 0 }
    };
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, rows, on_serve);
    assert_false(ty_webhook_cert_inject_propagated(w.h));
    until_ready(&w);
    assert_false(ty_webhook_cert_inject_propagated(w.h));
    w.now_s += TY_WEBHOOK_CERT_PROPAGATION_S - 1;
    assert_false(ty_webhook_cert_inject_propagated(w.h));
    w.now_s++;
    assert_true(ty_webhook_cert_inject_propagated(w.h));
    /* Another client removes it: the time starts again when it is back. */
    watch_tells(&w, "{\"type\":\"MODIFIED\",\"object\":" HOOK("21") "}\n");
    while (ty_webhook_cert_manager_ready(w.h))
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_false(ty_webhook_cert_inject_propagated(w.h));
    certs_end(&w);
}

/* ---- writes of other clients ---- */

/* Our write is in flight; another client's write comes first, and its watch event arrives before
 * our answer. Returns our write; the configuration at version 7 lacks our CA. */
static struct ty_http_request *overtaken(struct certs_fixture *w)
{
    struct ty_http_request *write = api_wait(&w->api, "PUT " VALIDATOR);

    watch_tells(w, "{\"type\":\"MODIFIED\",\"object\":" HOOK("7") "}\n");
    while (!ty_str_contains(w->h->hooks[0].text, TY_LIT("\"resourceVersion\":\"7\"")))
        uv_run(&w->loop, UV_RUN_ONCE);
    return write;
}

static void ends_with_our_ca(struct certs_fixture *w)
{
    struct ty_http_request *again = api_wait(&w->api, "PUT " VALIDATOR);

    assert_has(w->api.body.p, "\"resourceVersion\":\"7\"");
    assert_has(w->api.body.p, "\"caBundle\":\"");
    struct ty_json *is = ty_json_parse(again->arena, again->body, NULL, NULL);
    ty_json_set(again->arena, ty_json_get(is, "metadata"), "resourceVersion",
                ty_json_cstr(again->arena, "8"));
    ty_http_request_respond(again, 200, "application/json", ty_json_text(again->arena, is));
    until_ready(w);
    certs_end(w);
}

static void test_changed_before_our_refused_write(void **state)
{
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, one_is_there, on_serve);
    ty_http_request_respond(overtaken(&w), 409, "application/json",
                            TY_LIT("{\"kind\":\"Status\",\"code\":409,\"reason\":\"Conflict\"}"));
    ends_with_our_ca(&w);
}

static void test_changed_after_our_write(void **state)
{
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, one_is_there, on_serve);
    ty_http_request_respond(overtaken(&w), 200, "application/json", TY_LIT(HOOK("6")));
    ends_with_our_ca(&w);
}

/* ---- memory is short ---- */

/* The configuration still has our CA: it is checked again in seconds. */
static void test_memory_is_short(void **state)
{
    static const struct api_row rows[] = {
        SECRET_IS_MADE, ONE_IS_THERE, { "PUT " VALIDATOR, API_PATCHED, "{}" }, { 0 }
    };
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, rows, on_serve);
    until_ready(&w);
    w.api.budget.ceiling = 1;
    ty_webhook_cert_inject_bundle(w.h, w.h->data[0]);
    w.api.budget.ceiling = 0;
    assert_has(w.h->hooks[0].why, "memory is short");
    assert_true(ty_webhook_cert_manager_ready(w.h));
    assert_in_range(uv_timer_get_due_in(w.h->timer), 1, 5000);
    ty_webhook_cert_inject_bundle(w.h, w.h->data[0]);
    assert_string_equal(w.h->hooks[0].why, "");
    certs_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_are_told),
        cmocka_unit_test(test_none_is_there),
        cmocka_unit_test(test_too_many_webhooks),
        cmocka_unit_test(test_may_not_write),
        cmocka_unit_test(test_may_not_read),
        cmocka_unit_test(test_gone_meanwhile),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_changed_before_our_refused_write),
        cmocka_unit_test(test_changed_after_our_write),
        cmocka_unit_test(test_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
