/* Creates and checks certificates for trainyard's servers: a CA, and certificates that it signs.
 * ECDSA P-256, PEM in memory. Does not read the clock: the caller passes the time. */
#ifndef TY_NET_CERTS_H
#define TY_NET_CERTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_pem { /* NUL-terminated, too */
    struct ty_str cert, key;
};
#define TY_PEM_MAX ((size_t)256 << 10) /* bytes of one PEM file */

struct ty_certs_request {
    const char *name, *org;   /* subject: CN and, unless NULL, O */
    const char *const *names; /* DNS names and IP addresses; NULL-terminated, or NULL */
    int64_t from_s, until_s;  /* Unix time */
};

/* Creates a self-signed CA. Results live with the arena. */
int ty_certs_ca(struct ty_arena *a, const struct ty_certs_request *ask, struct ty_pem *ret,
                struct ty_err *err);
/* Creates a server certificate signed by `ca`. */
int ty_certs_serving(struct ty_arena *a, const struct ty_certs_request *ask,
                     const struct ty_pem *ca, struct ty_pem *ret, struct ty_err *err);
/* Reads a pair of files; key_file NULL: only the certificate. */
int ty_certs_read(struct ty_arena *a, const char *cert_file, const char *key_file,
                  struct ty_pem *ret, struct ty_err *err);
/* The expiry of the (first) certificate, Unix time. */
int ty_certs_expiry(struct ty_str cert, int64_t *ret_until_s, struct ty_err *err);
/* 0 if both are valid PEM and the certificate has the key's public part; -EKEYREJECTED with the
 * reason. Compares only: whether the private part works shows at the first signature. *ret_until_s:
 * expiry, Unix time. */
int ty_certs_check_pair(const struct ty_pem *p, int64_t *ret_until_s, struct ty_err *err);
/* 0 if `p` can serve `name` at that time to clients that trust `ca`: the key belongs to the
 * certificate, the CA signed it, it is valid and has the name. Else -EKEYREJECTED with the reason.
 */
int ty_certs_check(const struct ty_pem *p, struct ty_str ca, const char *name, int64_t now_s,
                   struct ty_err *err);

#endif
