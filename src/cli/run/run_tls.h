/* The certificate of the local status API. It is kept between runs, so that a run does not load a
 * TLS library for a job that never reports: FOLDER/status-tls.pem, for nobody's eyes but the
 * user's. It holds no CA key: that one signs once and is forgotten. */
#ifndef TY_CLI_RUN_RUN_TLS_H
#define TY_CLI_RUN_RUN_TLS_H

#include "net/certs.h"

struct ty_run_tls {
    struct ty_str ca; /* for those who trust us */
    struct ty_pem pem;
};

/* Reads it, or makes a new one when there is none, it is broken, not only ours, for other names, or
 * ends within 30 days. A folder that cannot be written is no error. Lives with the arena; names end
 * with NULL. */
int ty_run_tls_get(struct ty_arena *a, const char *folder, const char *const *names, int64_t now_s,
                   struct ty_run_tls *ret, struct ty_err *err);

#endif
