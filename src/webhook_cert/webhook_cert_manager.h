/* Maintains the webhook's certificate so that the API server always trusts it. Either from a
 * directory (tls.crt, tls.key, reloaded when they change; the administrator sets the caBundle), or
 * our own, in a Secret that all replicas share:
 *
 *   Secret  ca.crt ca.key  --signs-->  tls.crt tls.key  ---> `ready`: serve with it
 *              |
 *              +--> caBundle of every webhook of the two configurations, restored if changed
 *
 * A part that is missing, broken or expires within 90 days is created again. The Secret is written
 * with its resourceVersion, so of several replicas one wins and the others read what it wrote. A
 * Secret of v2.3.0's manager is used while it is valid, and v2.3.0 can use ours.
 *
 * A new CA is introduced in two steps, so that the API server never refuses the webhook. First
 * ca.crt becomes the new CA followed by the old one, while the old certificate is still served.
 * When both configurations have had that bundle for TY_WEBHOOK_CERT_PROPAGATION_S, a certificate
 * signed by the new CA follows. The old CA leaves the bundle when it expires. If the Secret is
 * deleted, or another CA is put into it, the current certificate is still served, and its CA stays
 * in the bundle, until the API server has had the new CA for as long. */
#ifndef TY_WEBHOOK_CERT_WEBHOOK_CERT_MANAGER_H
#define TY_WEBHOOK_CERT_WEBHOOK_CERT_MANAGER_H

#include "log/log.h"
#include "net/certs.h"
#include "store/kube/kube.h"

struct ty_webhook_cert_manager;

#define TY_WEBHOOK_CERT_RENEW_BEFORE_S                                                             \
    ((int64_t)90 * 24 * 3600) /* renewed so long before they expire */
#define TY_WEBHOOK_CERT_CHECK_S       ((int64_t)12 * 3600)
#define TY_WEBHOOK_CERT_PROPAGATION_S 15 /* the API server uses a new bundle within seconds */
#define TY_WEBHOOK_CERT_DIR           "/tmp/k8s-webhook-server/serving-certs" /* v2.3.0's */

struct ty_webhook_cert_manager_settings { /* texts are copied */
    struct uv_loop_s *loop;
    const struct ty_log *log;          /* may be NULL */
    const char *dir;                   /* or NULL: our own */
    struct ty_kube *kube;              /* with dir: for `trusted` only */
    const char *ns, *secret, *service; /* the certificate is for SERVICE.NS.svc */
    const char *validating, *mutating; /* names of the configurations; NULL: v2.3.0's */
    int64_t settle_s;                  /* 0: TY_WEBHOOK_CERT_PROPAGATION_S */
    int64_t (*now_s)(void *ctx);       /* Unix time; NULL: the system's */
    /* Serve with this from now on; borrowed. Called from the loop, first and after each change. ca:
     * clients that trust it accept the certificate; empty with dir. Negative and err: it cannot be
     * served; the previous one stays, and ready is called again later. */
    int (*ready)(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err);
    /* With dir, may be NULL: ca.crt of the Secret, by which clients other than the API server trust
     * the certificate; borrowed. Called when it is known, and after each change. Empty: there is
     * none, or it cannot be read. */
    void (*trusted)(void *ctx, struct ty_str ca);
    void *ctx;
};

/* gives; starts at once. */
struct ty_webhook_cert_manager *
ty_webhook_cert_manager_new(const struct ty_webhook_cert_manager_settings *s);
/* takes; before its client; NULL is fine. The loop must run once more. */
void ty_webhook_cert_manager_free(struct ty_webhook_cert_manager *h);
/* A certificate is served, and both configurations carry our CA, or do not exist. With a directory:
 * a pair was read. */
bool ty_webhook_cert_manager_ready(const struct ty_webhook_cert_manager *h);
const char *ty_webhook_cert_manager_reason(
    const struct ty_webhook_cert_manager *h); /* why it is not ready; else "" */
int64_t ty_webhook_cert_manager_not_after(
    const struct ty_webhook_cert_manager
        *h); /* when the served certificate expires, Unix time; 0: none */
void ty_webhook_cert_manager_check(
    struct ty_webhook_cert_manager *h); /* check now, not in 12 hours */

#endif
