/* The certificate of the local status API, in DIR/status-tls.pem with mode 0600. It is reused by
 * later runs, so that a run loads no TLS library for a job that never reports. The CA key is not
 * stored: it signs once and is discarded. */
#ifndef TY_CLI_RUN_RUN_TLS_H
#define TY_CLI_RUN_RUN_TLS_H

#include "net/certs.h"

struct ty_run_tls {
    struct ty_str ca; /* the CA, for clients */
    struct ty_pem pem;
};

/* Reads the certificate, or creates a new one if there is none, it is invalid, accessible to
 * others, for other names, or expires within 30 days. A directory that cannot be written is no
 * error. Lives with the arena; names end with NULL. */
int ty_run_tls_get(struct ty_arena *a, const char *folder, const char *const *names, int64_t now_s,
                   struct ty_run_tls *ret, struct ty_err *err);

#endif
