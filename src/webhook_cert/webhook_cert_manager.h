/* The webhook's certificate, always there and always one that the API server trusts. Either from a
 * directory (tls.crt, tls.key, read again as they change; who trusts them is somebody else's care),
 * or our own, kept in a Secret that all replicas share:
 *
 *   Secret  ca.crt ca.key  --signs-->  tls.crt tls.key  ---> `ready`: serve with it
 *              |
 *              +--> caBundle of every webhook of the two configurations, put back if it is changed
 *
 * What is missing, broken or ends within 90 days is made anew; the Secret is written with its
 * resourceVersion, so of several replicas one wins and the others read what it wrote. A Secret that
 * v2.3.0's manager wrote is used as it is while it is valid, and it can use ours.
 *
 * A new CA comes in two steps, so that there is no moment at which the server refuses us: first
 * ca.crt is the new CA and the old one, in this order, while the old certificate is still served;
 * once both configurations have had that bundle for TY_WEBHOOK_CERT_PROPAGATION_S, a certificate
 * signed by the new CA follows. The old CA leaves the bundle when it ends. It is the same when
 * somebody deletes the Secret, or puts another CA into it: what is served goes on to be served, and
 * its CA stays in the bundle, until the API server has had the new CA for as long. */
#ifndef TY_WEBHOOK_CERT_WEBHOOK_CERT_MANAGER_H
#define TY_WEBHOOK_CERT_WEBHOOK_CERT_MANAGER_H

#include "log/log.h"
#include "net/certs.h"
#include "store/kube/kube.h"

struct ty_webhook_cert_manager;

#define TY_WEBHOOK_CERT_RENEW_BEFORE_S ((int64_t)90 * 24 * 3600) /* renewed before the end */
#define TY_WEBHOOK_CERT_CHECK_S        ((int64_t)12 * 3600)
#define TY_WEBHOOK_CERT_PROPAGATION_S  15 /* the API server takes a new bundle within seconds */
#define TY_WEBHOOK_CERT_DIR            "/tmp/k8s-webhook-server/serving-certs" /* v2.3.0's */

struct ty_webhook_cert_manager_settings { /* texts are copied */
    struct uv_loop_s *loop;
    const struct ty_gnutls *gnutls;
    const struct ty_log *log;          /* may be NULL */
    const char *dir;                   /* or NULL: our own */
    struct ty_kube *kube;              /* with dir: for `trusted` only */
    const char *ns, *secret, *service; /* the certificate is for SERVICE.NS.svc */
    const char *validating, *mutating; /* names of the configurations; NULL: v2.3.0's */
    int64_t settle_s;                  /* 0: TY_WEBHOOK_CERT_PROPAGATION_S */
    int64_t (*now_s)(void *ctx);       /* Unix time; NULL: the system's */
    /* Serve with this from now on; borrowed. Comes from the loop, at first and whenever it changed.
     * ca: those who trust it accept the certificate; empty with dir. Negative, and why: it cannot
     * be served with, what was shown before stays; asked again later. */
    int (*ready)(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err);
    /* With dir, may be NULL: ca.crt of the Secret, by which clients other than the API server trust
     * the certificate; borrowed. Comes when it is known, then whenever it changed. Empty: there is
     * none, or it cannot be read. */
    void (*trusted)(void *ctx, struct ty_str ca);
    void *ctx;
};

/* gives; begins at once. */
struct ty_webhook_cert_manager *
ty_webhook_cert_manager_new(const struct ty_webhook_cert_manager_settings *s);
/* takes; before its client; NULL is fine. The loop must turn once more. */
void ty_webhook_cert_manager_free(struct ty_webhook_cert_manager *h);
/* A certificate is served, and the API server has been told whom to trust: both configurations
 * carry our CA, or are not there at all. With a directory: a pair was read. */
bool ty_webhook_cert_manager_ready(const struct ty_webhook_cert_manager *h);
const char *ty_webhook_cert_manager_reason(
    const struct ty_webhook_cert_manager *h); /* not ready: a sentence; else "" */
int64_t ty_webhook_cert_manager_not_after(
    const struct ty_webhook_cert_manager *h); /* end of what is served, Unix time; 0 */
void ty_webhook_cert_manager_check(
    struct ty_webhook_cert_manager *h); /* look now, not in 12 hours */

#endif
