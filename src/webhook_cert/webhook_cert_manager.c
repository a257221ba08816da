/* Maintains the certificates: watches a Secret and two configurations; on every change, and when it
 * is time, ty_webhook_cert_plan compares desired and observed state, and differences are written.
 * All state is in these objects, so replicas agree without talking to each other. */
#include "webhook_cert/webhook_cert_manager.h"
#include "base/base64.h"
#include "base/xalloc.h"
#include "store/kube/kube_kinds.h"
#include "webhook_cert/webhook_cert_inner.h"
#include "webhook_cert/webhook_cert_plan.h"
#include "json/json.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define AGAIN_MS            5000
#define PROPAGATION_POLL_MS 1000 /* while a new CA propagates */

int64_t ty_webhook_cert_manager_now(const struct ty_webhook_cert_manager *h)
{
    return h->s.now_s ? h->s.now_s(h->s.ctx) : (int64_t)time(NULL);
}

void ty_webhook_cert_manager_set_reason(struct ty_webhook_cert_manager *h, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(h->why, sizeof(h->why), fmt, ap);
    va_end(ap);
}

void ty_webhook_cert_manager_set_text(struct ty_str *to, struct ty_str from)
{
    char *p = ty_xalloc(malloc(from.n + 1));
    if (from.n)
        memcpy(p, from.p, from.n);
    p[from.n] = '\0';
    free((void *)(uintptr_t)to->p);
    *to = (struct ty_str){ p, from.n };
}

static void str_free(struct ty_str *s)
{
    free((void *)(uintptr_t)s->p);
    *s = (struct ty_str){ 0 };
}

/* ---- the Secret ---- */

static const char *const keys[] = { "ca.crt", "ca.key", "tls.crt", "tls.key" };

static void on_timer(uv_timer_t *timer)
{
    ty_webhook_cert_manager_check(timer->data);
}

static void schedule_check(struct ty_webhook_cert_manager *h, int64_t ms)
{
    uv_timer_start(h->timer, on_timer, (uint64_t)ms, 0);
}

static void read_secret(struct ty_webhook_cert_manager *h, const struct ty_json *secret)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const struct ty_json *data = ty_json_get(secret, "data");
    h->exists = true;
    ty_webhook_cert_manager_set_text(&h->version,
                                     ty_json_str_at(secret, "metadata.resourceVersion"));
    for (int i = 0; i < 4; i++) {
        struct ty_str text = ty_json_as_str(ty_json_find(data, ty_str(keys[i])));
        ty_webhook_cert_manager_set_text(&h->data[i], ty_base64_decode(a, text));
    }
}

static void on_wrote(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_webhook_cert_manager *h = ctx;
    struct ty_kube_object o;
    h->op = NULL;
    if (answer->r == 0) {
        ty_info(&h->log, "wrote the webhook's certificates", TY_S("namespace", h->s.ns),
                TY_S("secret", h->s.secret));
        ty_kube_object_init(answer->json, answer->text, &o);
        ty_reflector_observe_write(h->secret, &o); /* a watch event may be newer */
        ty_webhook_cert_manager_check(h);
    } else if (answer->r == -ESTALE || answer->r == -EEXIST) {
        schedule_check(
            h, AGAIN_MS); /* another replica was first: its write arrives as a watch event */
    } else {
        ty_webhook_cert_manager_set_reason(h, "the Secret %s/%s cannot be written: %.*s", h->s.ns,
                                           h->s.secret, TY_ARG(answer->message));
        ty_error(&h->log, h->why, "no certificates for the webhook", TY_I("code", answer->code));
        schedule_check(h, AGAIN_MS);
    }
}

/* The Secret is too large, or memory is short. */
static void log_no_memory(struct ty_webhook_cert_manager *h, const struct ty_arena *full)
{
    if (ty_arena_starved(full))
        ty_webhook_cert_manager_set_reason(
            h,
            "the operator's memory is short at the moment: checking the Secret "
            "%s/%s later",
            h->s.ns, h->s.secret);
    else
        ty_webhook_cert_manager_set_reason(h, "the Secret %s/%s is too large", h->s.ns,
                                           h->s.secret);
    ty_error(&h->log, h->why, "cannot create webhook certificates", TY_S("secret", h->s.secret));
    schedule_check(h, AGAIN_MS);
}

static void write_secret(struct ty_webhook_cert_manager *h, struct ty_arena *a,
                         const struct ty_webhook_cert_plan *p)
{
    const struct ty_str text[] = { p->ca_crt, p->ca_key, p->tls_crt, p->tls_key };
    struct ty_json *o = ty_json_object(a), *m = ty_json_object(a), *data = ty_json_object(a);
    ty_json_set(a, o, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, o, "kind", ty_json_cstr(a, "Secret"));
    ty_json_set(a, o, "metadata", m);
    ty_json_set(a, o, "data", data);
    ty_json_set(a, m, "name", ty_json_cstr(a, h->s.secret));
    ty_json_set(a, m, "namespace", ty_json_cstr(a, h->s.ns));
    if (h->exists)
        ty_json_set(a, m, "resourceVersion", ty_json_str(a, h->version));
    for (int i = 0; i < 4; i++)
        ty_json_set(a, data, keys[i], ty_json_str(a, ty_base64_encode(a, text[i])));
    struct ty_str body = ty_json_text(a, o);
    if (ty_arena_full(a)) {
        log_no_memory(h, a);
        return;
    }
    ty_info(&h->log, "creating webhook certificates", TY_S("reason", p->why),
            TY_S("namespace", h->s.ns), TY_S("secret", h->s.secret));
    h->op = ty_kube_start(h->s.kube, &(struct ty_kube_request){
                                         .verb = h->exists ? TY_KUBE_MERGE : TY_KUBE_CREATE,
                                         .kind = &ty_kind_secret,
                                         .ns = ty_str(h->s.ns),
                                         .name = ty_str(h->exists ? h->s.secret : NULL),
                                         .body = body,
                                         .fn = on_wrote,
                                         .ctx = h,
                                     });
}

static void on_secret(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct ty_webhook_cert_manager *h = ctx;
    if (what == TY_REFLECTOR_DELETED) {
        h->exists = false;
        for (int i = 0; i < 4; i++)
            str_free(&h->data[i]);
    } else {
        read_secret(h, o->json);
    }
    if (ty_reflector_synced(h->secret))
        ty_webhook_cert_manager_check(h);
}

static void on_secret_state(void *ctx, enum ty_reflector_state state,
                            const struct ty_kube_response *why, int64_t again_ms)
{
    struct ty_webhook_cert_manager *h = ctx;
    (void)again_ms;
    if (state == TY_REFLECTOR_SYNCED) {
        ty_webhook_cert_manager_check(h);
        return;
    }
    ty_webhook_cert_manager_set_reason(h, "the Secret %s/%s cannot be read: %.*s", h->s.ns,
                                       h->s.secret, TY_ARG(why->message));
    ty_error(&h->log, h->why, "no certificates for the webhook", TY_I("code", why->code));
}

/* ---- check ---- */

/* A new certificate is stored, but not all API servers may trust its CA yet, and the served one is
 * still valid. */
static bool is_too_early(const struct ty_webhook_cert_manager *h,
                         const struct ty_webhook_cert_plan *p)
{
    return h->served.n && !ty_str_eq(h->served, p->tls_crt) &&
           h->until_s > ty_webhook_cert_manager_now(h) && !ty_webhook_cert_inject_propagated(h);
}

static void serve_cert(struct ty_webhook_cert_manager *h, const struct ty_webhook_cert_plan *p)
{
    struct ty_pem pem = { h->data[2], h->data[3] };
    struct ty_err err = { 0 };

    if (ty_str_eq(h->served, p->tls_crt)) {
        ty_webhook_cert_manager_set_text(&h->served_ca, h->data[0]);
    } else {
        if (h->s.ready(h->s.ctx, &pem, h->data[0], &err) < 0) {
            ty_webhook_cert_manager_set_reason(h, "the Secret %s/%s: %s", h->s.ns, h->s.secret,
                                               err.text);
            ty_error(&h->log, h->why, "no certificate for the webhook");
            schedule_check(h, AGAIN_MS);
            return;
        }
        ty_webhook_cert_manager_set_text(&h->served, p->tls_crt);
        ty_webhook_cert_manager_set_text(&h->served_key, h->data[3]);
        ty_webhook_cert_manager_set_text(&h->served_ca, h->data[0]);
        ty_info(&h->log, "serving with a new certificate", TY_T("until", p->until_s));
    }
    h->until_s = p->until_s;
}

static void reconcile_secret(struct ty_webhook_cert_manager *h)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)32 << 20, ty_kube_budget(h->s.kube));
    struct ty_err err = { 0 };
    struct ty_webhook_cert_plan p;
    char name[600];
    if (!ty_reflector_synced(h->secret))
        return;
    snprintf(name, sizeof(name), "%s.%s.svc", h->s.service, h->s.ns);
    struct ty_webhook_cert_plan_in in = { .service_name = name,
                                          .ca_crt = h->data[0],
                                          .ca_key = h->data[1],
                                          .tls_crt = h->data[2],
                                          .tls_key = h->data[3],
                                          .shown_ca = h->served_ca,
                                          .shown_crt = h->served,
                                          .shown_key = h->served_key,
                                          .now_s = ty_webhook_cert_manager_now(h),
                                          .settled = ty_webhook_cert_inject_propagated(h) };
    schedule_check(h, TY_WEBHOOK_CERT_CHECK_S * 1000);
    int r = ty_webhook_cert_plan_compute(a, &in, &p, &err);
    if (ty_arena_full(a)) {
        log_no_memory(h, a);
        return;
    }
    if (r < 0) {
        ty_webhook_cert_manager_set_reason(h, "%s", err.text);
        ty_error(&h->log, err.text, "cannot create webhook certificates",
                 TY_S("secret", h->s.secret));
        schedule_check(h, AGAIN_MS);
        return;
    }
    if (p.write) { /* only a stored certificate is served */
        if (!h->op)
            write_secret(h, a, &p);
        return;
    }
    bool early = is_too_early(h, &p);
    if (!early)
        serve_cert(h, &p);
    ty_webhook_cert_inject_bundle(h, h->data[0]);
    if (p.waits || early)
        schedule_check(h, PROPAGATION_POLL_MS);
}

void ty_webhook_cert_manager_check(struct ty_webhook_cert_manager *h)
{
    if (h->s.dir)
        ty_webhook_cert_dir_check(h);
    else
        reconcile_secret(h);
}

/* ---- public functions ---- */

static const char *copy_text(struct ty_arena *a, const char *s)
{
    return s ? ty_arena_strdup(a, s) : NULL;
}

void ty_webhook_cert_manager_watch(struct ty_webhook_cert_manager *h, struct ty_reflector_opts want)
{
    const char *fields = ty_arena_printf(h->arena, "metadata.name=%s", h->s.secret);

    want.which = (struct ty_kube_selector){ .kind = &ty_kind_secret,
                                            .ns = ty_str(h->s.ns),
                                            .fields = ty_str(fields) };
    want.ctx = h;
    h->secret = ty_reflector_new(h->s.kube, &want);
}

struct ty_webhook_cert_manager *
ty_webhook_cert_manager_new(const struct ty_webhook_cert_manager_settings *s)
{
    struct ty_webhook_cert_manager *h = ty_xalloc(calloc(1, sizeof(*h)));
    h->arena = ty_arena_new_small(1 << 20, 1024);
    h->s = *s;
    h->log = ty_log_named(s->log, "certs");
    h->s.dir = copy_text(h->arena, s->dir);
    h->s.ns = copy_text(h->arena, s->ns);
    h->s.secret = copy_text(h->arena, s->secret);
    h->s.service = copy_text(h->arena, s->service);
    h->timer = ty_xalloc(calloc(1, sizeof(uv_timer_t)));
    uv_timer_init(s->loop, h->timer);
    h->timer->data = h;
    ty_webhook_cert_manager_set_reason(h, "certificates are not ready");
    if (s->dir) {
        ty_webhook_cert_dir_start(h);
        return h;
    }
    ty_webhook_cert_inject_start(
        h, copy_text(h->arena, s->validating ? s->validating : TY_WEBHOOK_CERT_VALIDATING),
        copy_text(h->arena, s->mutating ? s->mutating : TY_WEBHOOK_CERT_MUTATING));
    ty_webhook_cert_manager_watch(
        h, (struct ty_reflector_opts){ .changed = on_secret, .state = on_secret_state });
    return h;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle);
}

void ty_webhook_cert_manager_free(struct ty_webhook_cert_manager *h)
{
    if (!h)
        return;
    ty_kube_cancel(h->op);
    ty_reflector_free(h->secret);
    ty_webhook_cert_inject_stop(h);
    uv_close((uv_handle_t *)h->timer, on_closed);
    for (int i = 0; i < 4; i++)
        str_free(&h->data[i]);
    str_free(&h->version);
    str_free(&h->served);
    str_free(&h->served_key);
    str_free(&h->served_ca);
    ty_arena_free(h->arena);
    free(h);
}

bool ty_webhook_cert_manager_ready(const struct ty_webhook_cert_manager *h)
{
    return h->served.n && (h->s.dir || ty_webhook_cert_inject_ready(h));
}

const char *ty_webhook_cert_manager_reason(const struct ty_webhook_cert_manager *h)
{
    if (ty_webhook_cert_manager_ready(h))
        return "";
    const char *hook = h->served.n ? ty_webhook_cert_inject_reason(h) : "";
    return *hook ? hook : h->why;
}

int64_t ty_webhook_cert_manager_not_after(const struct ty_webhook_cert_manager *h)
{
    return h->until_s;
}
