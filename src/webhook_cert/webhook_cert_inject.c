/* Maintains our CA in every webhook of the two configurations. They are written whole, with their
 * resourceVersion, because v2.3.0's role may update but not patch them. */
#include "base/base64.h"
#include "store/kube/kube_kinds.h"
#include "webhook_cert/webhook_cert_inner.h"
#include "json/json.h"
#include <errno.h>
#include <stdlib.h>

#define AGAIN_MS                                                                                   \
    1000 /* between repairs, so that a client that reverts them cannot cause a busy loop */
#define LATER_MS 5000 /* after a failure */

static void inject_target(struct ty_webhook_cert_target *x, struct ty_str bundle);

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct ty_webhook_cert_target *x = ctx;
    x->exists = what != TY_REFLECTOR_DELETED;
    ty_webhook_cert_manager_set_text(&x->text, x->exists ? o->text : (struct ty_str){ 0 });
    x->why[0] = '\0';
    x->carries = false; /* not checked yet */
    if (x->h->served.n)
        inject_target(x, x->h->data[0]);
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct ty_webhook_cert_target *x = ctx;
    (void)again_ms;
    x->why[0] = '\0';
    if (state == TY_REFLECTOR_SYNCED)
        return;
    snprintf(x->why, sizeof(x->why), "%s %s cannot be read: %.*s", x->kind->kind, x->name,
             TY_ARG(why->message));
    ty_error(&x->h->log, x->why, "cannot read the webhook configuration", TY_I("code", why->code));
}

static void on_repair_timer(uv_timer_t *timer)
{
    ty_webhook_cert_manager_check(timer->data);
}

static void on_wrote(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_webhook_cert_target *x = ctx;
    struct ty_kube_object o;
    x->op = NULL;
    if (answer->r == 0) {
        ty_info(&x->h->log, "wrote the CA into the webhooks", TY_S("kind", x->kind->kind),
                TY_S("name", x->name));
        ty_kube_object_init(answer->json, answer->text, &o);
        ty_reflector_observe_write(x->watch, &o);
    } else if (answer->r != -ESTALE && answer->r != -ENOENT) { /* else a watch event follows */
        snprintf(x->why, sizeof(x->why), "%s %s cannot be written: %.*s", x->kind->kind, x->name,
                 TY_ARG(answer->message));
        ty_error(&x->h->log, x->why, "the API server does not trust the webhook",
                 TY_I("code", answer->code));
        uv_timer_start(x->h->timer, on_repair_timer, LATER_MS, 0);
        return;
    }
    inject_target(x, x->h->data[0]); /* watch events during our write were only stored */
}

/* Sets caBundle in every webhook; true: something changed. Stops when the arena is full. */
static bool set_bundles(struct ty_arena *a, struct ty_json *obj, struct ty_str bundle)
{
    bool changed = false;
    struct ty_str text = ty_base64_encode(a, bundle);
    ty_each_item (it, ty_json_get(obj, "webhooks")) {
        if (ty_arena_full(a))
            break;
        struct ty_json *client = ty_json_ensure_object(a, *it, "clientConfig");
        if (ty_str_eq(ty_json_str_at(client, "caBundle"), text))
            continue;
        ty_json_set(a, client, "caBundle", ty_json_str(a, text));
        changed = true;
    }
    return changed;
}

/* Too large: reported until a watch event changes it. Starved: whether it carries our CA is
 * unchanged as far as we know. */
static void log_no_memory(struct ty_webhook_cert_target *x, const struct ty_arena *full)
{
    if (ty_arena_starved(full)) {
        snprintf(x->why, sizeof(x->why),
                 "the operator's memory is short at the moment: checking %s %s later",
                 x->kind->kind, x->name);
        ty_warn(&x->h->log, x->why, TY_S("name", x->name));
        uv_timer_start(x->h->timer, on_repair_timer, LATER_MS, 0);
        return;
    }
    x->carries = false;
    snprintf(x->why, sizeof(x->why), "%s %s is too large for our CA to be put into it",
             x->kind->kind, x->name);
    ty_error(&x->h->log, x->why, "the API server does not trust the webhook");
}

static void write_target(struct ty_webhook_cert_target *x, struct ty_arena *a, struct ty_json *obj)
{
    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, x->kind)));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, x->kind->kind));
    ty_json_del(ty_json_get(obj, "metadata"), TY_LIT("managedFields"));
    struct ty_str body = ty_json_text(a, obj);
    if (ty_arena_full(a)) {
        log_no_memory(x, a);
        return;
    }
    x->wrote_ms = uv_now(x->h->s.loop);
    x->op = ty_kube_start(x->h->s.kube, &(struct ty_kube_request){ .verb = TY_KUBE_UPDATE,
                                                                   .kind = x->kind,
                                                                   .name = ty_str(x->name),
                                                                   .body = body,
                                                                   .fn = on_wrote,
                                                                   .ctx = x });
}

static void inject_target(struct ty_webhook_cert_target *x, struct ty_str bundle)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)64 << 20, ty_kube_budget(x->h->s.kube));
    struct ty_err err = { 0 };
    if (!x->exists || !bundle.n)
        return;
    struct ty_json *obj = ty_json_parse(a, x->text, NULL, &err);
    bool differs = obj && set_bundles(a, obj, bundle);
    if (!obj || ty_arena_full(a)) {
        log_no_memory(x, a);
        return;
    }
    if (!differs && !ty_str_eq(x->carried, bundle)) {
        x->since_s = ty_webhook_cert_manager_now(x->h);
        ty_webhook_cert_manager_set_text(&x->carried, bundle);
    }
    x->carries = !differs;
    if (x->carries)
        x->why[0] = '\0';
    if (!differs || x->op)
        return;
    if (x->wrote_ms && uv_now(x->h->s.loop) - x->wrote_ms < AGAIN_MS) {
        uv_timer_start(x->h->timer, on_repair_timer, AGAIN_MS, 0);
        return;
    }
    write_target(x, a, obj);
}

/* ---- both configurations ---- */

void ty_webhook_cert_inject_start(struct ty_webhook_cert_manager *h, const char *validating,
                                  const char *mutating)
{
    h->hooks[0] = (struct ty_webhook_cert_target){ .h = h,
                                                   .kind = &ty_kind_validatingwebhook,
                                                   .name = validating };
    h->hooks[1] = (struct ty_webhook_cert_target){ .h = h,
                                                   .kind = &ty_kind_mutatingwebhook,
                                                   .name = mutating };
    for (int i = 0; i < 2; i++) {
        struct ty_webhook_cert_target *x = &h->hooks[i];
        const char *fields = ty_arena_printf(h->arena, "metadata.name=%s", x->name);
        x->watch = ty_reflector_new(
            h->s.kube,
            &(struct ty_reflector_opts){ .which = { .kind = x->kind, .fields = ty_str(fields) },
                                         .changed = on_changed,
                                         .state = on_state,
                                         .ctx = x });
    }
}

void ty_webhook_cert_inject_stop(struct ty_webhook_cert_manager *h)
{
    for (int i = 0; i < 2; i++) {
        ty_kube_cancel(h->hooks[i].op);
        ty_reflector_free(h->hooks[i].watch);
        free((void *)(uintptr_t)h->hooks[i].text.p);
        free((void *)(uintptr_t)h->hooks[i].carried.p);
    }
}

void ty_webhook_cert_inject_bundle(struct ty_webhook_cert_manager *h, struct ty_str bundle)
{
    for (int i = 0; i < 2; i++)
        inject_target(&h->hooks[i], bundle);
}

bool ty_webhook_cert_inject_ready(const struct ty_webhook_cert_manager *h)
{
    for (int i = 0; i < 2; i++)
        if (!ty_reflector_synced(h->hooks[i].watch) || (h->hooks[i].exists && !h->hooks[i].carries))
            return false;
    return true;
}

bool ty_webhook_cert_inject_propagated(const struct ty_webhook_cert_manager *h)
{
    int64_t now = ty_webhook_cert_manager_now(h),
            wait = h->s.settle_s ? h->s.settle_s : TY_WEBHOOK_CERT_PROPAGATION_S;
    for (int i = 0; i < 2; i++)
        if (h->hooks[i].exists &&
            (!ty_str_eq(h->hooks[i].carried, h->data[0]) || now - h->hooks[i].since_s < wait))
            return false;
    return ty_webhook_cert_inject_ready(h);
}

const char *ty_webhook_cert_inject_reason(const struct ty_webhook_cert_manager *h)
{
    for (int i = 0; i < 2; i++)
        if (h->hooks[i].why[0])
            return h->hooks[i].why;
    return ty_webhook_cert_inject_ready(h) ? "" : "the API server has not been told our CA yet";
}
