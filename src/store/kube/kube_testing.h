/* For tests: the Kubernetes client, and a scripted peer in place of an API server that sends faulty
 * responses byte for byte. tests/cluster uses a real one. */
#ifndef TY_STORE_KUBE_KUBE_TESTING_H
#define TY_STORE_KUBE_KUBE_TESTING_H

#include <errno.h>
#include <uv.h>

#include "base/buf.h"
#include "net/testing.h"
#include "store/kube/kube.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
#define LIST(rv, items)                                                                            \
    OK "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" rv \
       "\"},\"items\":[" items "]}"
#define PAGE(rv, token, items)                                                                     \
    OK "{\"metadata\":{\"resourceVersion\":\"" rv "\",\"continue\":\"" token                       \
       "\"},\"items\":[" items "]}"
#define CM(name, uid, rv)                                                                          \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\",\"uid\":\"" uid                      \
    "\",\"resourceVersion\":\"" rv "\"}}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":" #code ",\"reason\":\"" reason           \
    "\",\"message\":\"" message "\"}"
#define GONE410 "HTTP/1.1 410 Gone\r\n\r\n" STATUS(410, "Expired", "too old")

struct kube_world {
    uv_loop_t loop;
    struct ty_peer peer;
    struct ty_kubeconfig config; /* a test may set more of it, and of the next, before the start */
    struct ty_kube_settings set;
    struct ty_kube *kube;
    struct ty_kube_op *op; /* of the test */
    const char *cancel_at; /* cancel when this is reported */
    struct ty_buf told;    /* what callbacks received, one word each */
    int ends, r, code;     /* of the answer */
    bool has_json;
    char message[256], reason[32], version[32];
};

static inline void kube_begin(struct kube_world *w, const char *const *answers)
{
    struct ty_err err = { 0 };
    peer_start(&w->peer, answers);
    w->config.server = w->peer.url;
    w->config.ns = "default";
    w->config.context = "";
    w->set.loop = &w->loop;
    w->set.config = &w->config;
    w->set.agent = "tester";
    if (!w->set.timeout_ms)
        w->set.timeout_ms = 20000;
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_kube_new(&w->kube, &w->set, &err), 0);
}

static inline void kube_finish(struct kube_world *w)
{
    ty_kube_free(w->kube);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    peer_stop(&w->peer);
    ty_buf_done(&w->told);
}

/* Runs until no operation is left. */
static inline void kube_run(struct kube_world *w)
{
    assert_int_equal(w->ends, 0); /* the call that starts it must not call back */
    assert_int_equal(w->told.n, 0);
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static inline void kube_tell(struct kube_world *w, const char *word)
{
    ty_buf_printf(&w->told, "%s ", word);
    if (w->cancel_at && strcmp(word, w->cancel_at) == 0)
        ty_kube_cancel(w->op);
}

static inline void kube_on_end(void *ctx, const struct ty_kube_response *answer)
{
    struct kube_world *w = ctx;
    w->ends++;
    w->r = answer->r;
    w->code = answer->code;
    w->has_json = answer->json != NULL;
    snprintf(w->message, sizeof(w->message), "%.*s", TY_ARG(answer->message));
    snprintf(w->reason, sizeof(w->reason), "%.*s", TY_ARG(answer->reason));
    snprintf(w->version, sizeof(w->version), "%.*s", TY_ARG(answer->version));
    kube_tell(w, "end");
}

#define assert_told(w, text)                                                                       \
    do {                                                                                           \
        ty_buf_chr(&(w)->told, '\0');                                                              \
        assert_string_equal((w)->told.p, (text));                                                  \
        (w)->told.n = 0;                                                                           \
    } while (0)

/* It ended once, with this result and this part of a message. */
#define assert_ended(w, want_r, part)                                                              \
    do {                                                                                           \
        assert_int_equal((w)->ends, 1);                                                            \
        if ((w)->r != (want_r) || !strstr((w)->message, (part)))                                   \
            fail_msg("ended with %d: %s\nexpected %d: %s", (w)->r, (w)->message, (want_r),         \
                     (part));                                                                      \
    } while (0)

#endif
