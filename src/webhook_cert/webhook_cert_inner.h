/* What the files of webhook_cert share. */
#ifndef TY_WEBHOOK_CERT_WEBHOOK_CERT_INNER_H
#define TY_WEBHOOK_CERT_WEBHOOK_CERT_INNER_H

#include <uv.h>

#include "store/kube/reflector.h"
#include "webhook_cert/webhook_cert_manager.h"

#define TY_WEBHOOK_CERT_VALIDATING "validator.trainer.kubeflow.org"
#define TY_WEBHOOK_CERT_MUTATING   "defaulter.trainer.kubeflow.org"

struct ty_webhook_cert_target { /* one of the two configurations */
    struct ty_webhook_cert_manager *h;
    const struct ty_kind *kind;
    const char *name;
    struct ty_reflector *watch;
    struct ty_kube_op *op;
    struct ty_str text; /* the live object, JSON; owned */
    bool exists;
    bool carries;          /* every webhook of it has our CA bundle */
    struct ty_str carried; /* the last bundle that all of them had; owned */
    int64_t since_s;       /* since then */
    uint64_t wrote_ms;
    char why[512]; /* why it cannot be read or written; "" */
};

struct ty_webhook_cert_manager {
    struct ty_webhook_cert_manager_settings s;
    struct ty_log log;
    struct ty_arena *arena; /* holds copies of the settings */
    uv_timer_t *timer;
    struct ty_reflector *secret;
    struct ty_kube_op *op;
    struct ty_webhook_cert_target hooks[2];
    struct ty_str data[4];               /* ca.crt, ca.key, tls.crt, tls.key of the Secret; owned */
    struct ty_str version;               /* of the Secret; owned */
    struct ty_str served;                /* the certificate that is served; owned */
    struct ty_str served_key, served_ca; /* its key, and the CA bundle that verifies it; owned */
    bool exists;                         /* the Secret exists */
    int64_t until_s;
    uint64_t seen_dir[2]; /* stamps of the files when they were read */
    char why[1200];
};

/* Watches the Secret; `want` has the two callbacks, whose ctx is h. */
void ty_webhook_cert_manager_watch(struct ty_webhook_cert_manager *h,
                                   struct ty_reflector_opts want);
int64_t ty_webhook_cert_manager_now(const struct ty_webhook_cert_manager *h);
void ty_webhook_cert_manager_set_reason(struct ty_webhook_cert_manager *h, const char *fmt, ...)
    TY_PRINTF(2, 3);
void ty_webhook_cert_manager_set_text(struct ty_str *to,
                                      struct ty_str from); /* copies from; frees the old text */

/* webhook_cert_inject.c: the configurations. */
void ty_webhook_cert_inject_start(struct ty_webhook_cert_manager *h, const char *validating,
                                  const char *mutating);
void ty_webhook_cert_inject_stop(struct ty_webhook_cert_manager *h);
void ty_webhook_cert_inject_bundle(struct ty_webhook_cert_manager *h, struct ty_str bundle);
bool ty_webhook_cert_inject_ready(const struct ty_webhook_cert_manager *h);
const char *ty_webhook_cert_inject_reason(const struct ty_webhook_cert_manager *h);
bool ty_webhook_cert_inject_propagated(const struct ty_webhook_cert_manager *h);

/* webhook_cert_dir.c: certificates in files. */
void ty_webhook_cert_dir_start(struct ty_webhook_cert_manager *h);
void ty_webhook_cert_dir_check(struct ty_webhook_cert_manager *h);

#endif
