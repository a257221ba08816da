/* What to do about the Secret with the webhook's certificates: pure, but for the entropy of keys
 * that GnuTLS makes. webhook_cert_manager.h tells the story. */
#ifndef TY_WEBHOOK_CERT_WEBHOOK_CERT_PLAN_H
#define TY_WEBHOOK_CERT_WEBHOOK_CERT_PLAN_H

#include "net/certs.h"

struct ty_webhook_cert_plan_in {
    const struct ty_gnutls *gnutls;
    const char *service_name; /* SERVICE.NS.svc */
    struct ty_str ca_crt, ca_key, tls_crt,
        tls_key; /* as the Secret has them, decoded; may be empty */
    struct ty_str shown_ca, shown_crt, shown_key; /* what this process serves with, and the bundle
                                                     that vouches for it; empty: nothing yet */
    int64_t now_s;
    bool settled; /* the configurations carry ca_crt, and have for long enough */
};

struct ty_webhook_cert_plan {
    bool write;                                     /* the four texts differ from what was given */
    struct ty_str ca_crt, ca_key, tls_crt, tls_key; /* as they should be */
    bool serve;      /* tls_* can be served to those who trust ca_crt */
    bool waits;      /* for `settled`: then look again */
    const char *why; /* of the write: "the certificate ends at ..."; "" none */
    int64_t until_s; /* end of tls_crt */
};

/* All lives with the arena. Fails only if no key or certificate can be made. */
int ty_webhook_cert_plan_compute(struct ty_arena *a, const struct ty_webhook_cert_plan_in *in,
                                 struct ty_webhook_cert_plan *ret, struct ty_err *err);

#endif
