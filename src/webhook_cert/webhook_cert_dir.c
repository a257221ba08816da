/* Certificates that others maintain, in a directory: tls.crt and tls.key, checked every few
 * seconds. A mounted Secret is swapped by a symbolic link, so the files behind the names are
 * compared. The CA, for clients other than the API server, is in the Secret, as in v2.3.0. */
#include "base/base64.h"
#include "webhook_cert/webhook_cert_inner.h"
#include "json/json.h"
#include <sys/stat.h>

#define POLL_MS 5000

static void on_check_timer(uv_timer_t *timer)
{
    ty_webhook_cert_dir_check(timer->data);
}

/* A stamp that changes with the file; 0: it cannot be read. */
static uint64_t file_fingerprint(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return 0;
    uint64_t x = (uint64_t)st.st_ino * 0x9e3779b97f4a7c15u ^ (uint64_t)st.st_size;
    x = (x ^ (uint64_t)st.st_mtim.tv_sec) * 0x9e3779b97f4a7c15u;
    return (x ^ (uint64_t)st.st_mtim.tv_nsec) | 1;
}

static void log_unusable(struct ty_webhook_cert_manager *h, const char *why)
{
    ty_webhook_cert_manager_set_reason(h, "webhook.certDir: %s", why);
    ty_error(&h->log, h->why,
             h->served.n ? "keeping the current webhook certificate"
                         : "no certificate for the webhook",
             TY_S("dir", h->s.dir));
}

void ty_webhook_cert_dir_check(struct ty_webhook_cert_manager *h)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    struct ty_err err = { 0 };
    struct ty_pem pem = { 0 };
    int64_t until_s = 0;
    const char *cert = ty_arena_printf(a, "%s/tls.crt", h->s.dir);
    const char *key = ty_arena_printf(a, "%s/tls.key", h->s.dir);
    uint64_t now[2] = { file_fingerprint(cert), file_fingerprint(key) };
    uv_timer_start(h->timer, on_check_timer, POLL_MS, 0);
    if (h->served.n && memcmp(now, h->seen_dir, sizeof(now)) == 0)
        return;
    memcpy(h->seen_dir, now, sizeof(now));
    /* While only one file is replaced the pair does not match: wait for the other. */
    if (ty_certs_read(a, cert, key, &pem, &err) < 0 ||
        ty_certs_check_pair(&pem, &until_s, &err) < 0) {
        log_unusable(h, err.text);
        return;
    }
    if (ty_str_eq(h->served, pem.cert))
        return;
    if (h->s.ready(h->s.ctx, &pem, (struct ty_str){ 0 }, &err) < 0) {
        log_unusable(h, err.text);
        return;
    }
    h->until_s = until_s;
    ty_webhook_cert_manager_set_text(&h->served, pem.cert);
    ty_info(&h->log, "serving with a new certificate", TY_S("dir", h->s.dir),
            TY_T("until", h->until_s));
}

/* ---- the CA in the Secret ---- */

static void on_secret(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_webhook_cert_manager *h = ctx;
    const struct ty_json *data = what == TY_REFLECTOR_DELETED ? NULL : ty_json_get(o->json, "data");
    struct ty_str ca = ty_json_as_str(ty_json_find(data, TY_LIT("ca.crt")));

    ty_webhook_cert_manager_set_text(&h->data[0], ty_base64_decode(a, ca));
    if (ty_reflector_synced(
            h->secret)) /* before the first list ends, its state callback reports it */
        h->s.trusted(h->s.ctx, h->data[0]);
}

static void on_secret_state(void *ctx, enum ty_reflector_state state,
                            const struct ty_kube_response *why, int64_t again_ms TY_UNUSED)
{
    struct ty_webhook_cert_manager *h = ctx;
    char text[512];

    if (state == TY_REFLECTOR_FAILED) {
        snprintf(text, sizeof(text), "%.*s", TY_ARG(why->message));
        ty_error(&h->log, text, "cannot read the CA for pods", TY_S("namespace", h->s.ns),
                 TY_S("secret", h->s.secret), TY_I("code", why->code));
    }
    h->s.trusted(h->s.ctx, h->data[0]);
}

void ty_webhook_cert_dir_start(struct ty_webhook_cert_manager *h)
{
    uv_timer_start(h->timer, on_check_timer, 0, 0);
    if (h->s.trusted)
        ty_webhook_cert_manager_watch(
            h, (struct ty_reflector_opts){ .changed = on_secret, .state = on_secret_state });
}
