/* Test fixture: the certificate manager over a loopback server with scripted answers
 * (store/api_testing.h). Tests with a real API server are in tests/cluster/test_parts.py. */
#ifndef TY_WEBHOOK_CERT_WEBHOOK_CERT_TESTING_H
#define TY_WEBHOOK_CERT_WEBHOOK_CERT_TESTING_H

#include "store/api_testing.h"
#include "webhook_cert/webhook_cert_inner.h"

struct certs_fixture {
    uv_loop_t loop;
    struct api_world api;
    struct ty_webhook_cert_manager *h;
    int64_t now_s;
};

typedef int certs_ready_fn(void *ctx, const struct ty_pem *pem, struct ty_str ca,
                           struct ty_err *err);

static inline int64_t certs_now(void *ctx)
{
    return ((struct certs_fixture *)ctx)->now_s;
}

static inline void certs_begin(struct certs_fixture *w, const struct api_row *rows,
                               certs_ready_fn *ready)
{
    *w = (struct certs_fixture){ .now_s = 1900000000 };
    uv_loop_init(&w->loop);
    api_begin(&w->api, &w->loop);
    w->api.rows = rows;
    w->h =
        ty_webhook_cert_manager_new(&(struct ty_webhook_cert_manager_settings){ .loop = &w->loop,
                                                                                .kube = w->api.kube,
                                                                                .ns = "ns",
                                                                                .secret = "s",
                                                                                .service = "svc",
                                                                                .now_s = certs_now,
                                                                                .ready = ready,
                                                                                .ctx = w });
}

static inline void certs_end(struct certs_fixture *w)
{
    ty_webhook_cert_manager_free(w->h);
    api_end(&w->api);
    loop_end(&w->loop);
}

#endif
