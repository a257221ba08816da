/* Certificates of somebody else, in a directory: tls.crt and tls.key, looked at every few seconds.
 * A mounted Secret is swapped by a symbolic link, so the files behind the names are compared. */
#include "control/hookcerts_inner.h"
#include <sys/stat.h>

#define LOOK_MS 5000

static void on_look(uv_timer_t *timer)
{
    ty_hookdir_look(timer->data);
}

/* A number that changes when the file does; 0: it cannot be read. */
static uint64_t look_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return 0;
    uint64_t x = (uint64_t)st.st_ino * 0x9e3779b97f4a7c15u ^ (uint64_t)st.st_size;
    x = (x ^ (uint64_t)st.st_mtim.tv_sec) * 0x9e3779b97f4a7c15u;
    return (x ^ (uint64_t)st.st_mtim.tv_nsec) | 1;
}

static void refuse(struct ty_hookcerts *h, const char *why)
{
    ty_hookcerts_say(h, "webhook.certDir: %s", why);
    ty_error(&h->log, h->why,
             h->served.n ? "the webhook goes on with the certificate it has"
                         : "no certificate for the webhook",
             TY_S("dir", h->s.dir));
}

void ty_hookdir_look(struct ty_hookcerts *h)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    struct ty_err err = { 0 };
    struct ty_pem pem = { 0 };
    int64_t until_s = 0;
    const char *cert = ty_arena_printf(a, "%s/tls.crt", h->s.dir);
    const char *key = ty_arena_printf(a, "%s/tls.key", h->s.dir);
    uint64_t now[2] = { look_of(cert), look_of(key) };
    uv_timer_start(h->timer, on_look, LOOK_MS, 0);
    if (h->served.n && memcmp(now, h->seen_dir, sizeof(now)) == 0)
        return;
    memcpy(h->seen_dir, now, sizeof(now));
    /* While one file is new and the other old they do not fit: then wait for the other. */
    if (ty_certs_read(a, cert, key, &pem, &err) < 0 ||
        ty_certs_pair(h->s.gnutls, &pem, &until_s, &err) < 0) {
        refuse(h, err.text);
        return;
    }
    if (ty_str_eq(h->served, pem.cert))
        return;
    if (h->s.ready(h->s.ctx, &pem, (struct ty_str){ 0 }, &err) < 0) {
        refuse(h, err.text);
        return;
    }
    h->until_s = until_s;
    ty_hookcerts_keep(&h->served, pem.cert);
    ty_info(&h->log, "serving with a new certificate", TY_S("dir", h->s.dir),
            TY_I("until", h->until_s));
}
