/* Computes the desired content of the Secret with the webhook's certificates. Pure, except for the
 * keys that GnuTLS creates. webhook_cert_manager.h describes the rotation. */
#ifndef TY_WEBHOOK_CERT_WEBHOOK_CERT_PLAN_H
#define TY_WEBHOOK_CERT_WEBHOOK_CERT_PLAN_H

#include "net/certs.h"

struct ty_webhook_cert_plan_in {
    const char *service_name; /* SERVICE.NS.svc */
    struct ty_str ca_crt, ca_key, tls_crt,
        tls_key; /* the data of the Secret, decoded; may be empty */
    struct ty_str shown_ca, shown_crt, shown_key; /* the pair that this process serves, and the
                                                     bundle that verifies it; may be empty */
    int64_t now_s;
    bool settled; /* the configurations have carried ca_crt for long enough */
};

struct ty_webhook_cert_plan {
    bool write;                                     /* the four texts differ from the input */
    struct ty_str ca_crt, ca_key, tls_crt, tls_key; /* the desired texts */
    bool serve;                                     /* clients that trust ca_crt accept tls_* */
    bool waits;                                     /* for `settled`: check again later */
    const char *why; /* reason of the write: "the certificate ends at ..."; "" none */
    int64_t until_s; /* when tls_crt expires */
};

/* Everything lives with the arena. Fails only if no key or certificate can be created. */
int ty_webhook_cert_plan_compute(struct ty_arena *a, const struct ty_webhook_cert_plan_in *in,
                                 struct ty_webhook_cert_plan *ret, struct ty_err *err);

#endif
