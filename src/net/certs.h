/* Certificates for servers of our own: a CA, what it signs, and questions about what is there.
 * ECDSA P-256, PEM in memory. Nothing here reads a clock: the caller has the time. */
#ifndef TY_NET_CERTS_H
#define TY_NET_CERTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "net/gnutls.h"

struct ty_pem { /* NUL-terminated, too */
    struct ty_str cert, key;
};
#define TY_PEM_MAX ((size_t)256 << 10) /* bytes of one PEM file */

struct ty_certs_request {
    const char *name, *org; /* subject: CN and, unless NULL, O */
    const char *const
        *names; /* DNS names and IP addresses it answers to; NULL-terminated, or NULL */
    int64_t from_s, until_s; /* Unix time */
};

/* A CA that signs itself. What is made lives with the arena. */
int ty_certs_ca(const struct ty_gnutls *g, struct ty_arena *a, const struct ty_certs_request *ask,
                struct ty_pem *ret, struct ty_err *err);
/* A server's certificate, signed by `ca`. */
int ty_certs_serving(const struct ty_gnutls *g, struct ty_arena *a,
                     const struct ty_certs_request *ask, const struct ty_pem *ca,
                     struct ty_pem *ret, struct ty_err *err);
/* Both of a pair of files; key_file NULL: the certificate alone. */
int ty_certs_read(struct ty_arena *a, const char *cert_file, const char *key_file,
                  struct ty_pem *ret, struct ty_err *err);
/* When the (first) certificate ends, Unix time. */
int ty_certs_expiry(const struct ty_gnutls *g, struct ty_str cert, int64_t *ret_until_s,
                    struct ty_err *err);
/* 0 if both can be read and the certificate carries the key's public half; -EKEYREJECTED and why.
 * Compared, not tried out: whether the private half is sound tells the first signature.
 * *ret_until_s: when the certificate ends, Unix time. */
int ty_certs_check_pair(const struct ty_gnutls *g, const struct ty_pem *p, int64_t *ret_until_s,
                        struct ty_err *err);
/* 0 if `p` can serve `name` at that time to those who trust `ca`: the key belongs to the
 * certificate, the CA signed it, it is valid and carries the name. Else -EKEYREJECTED and why. */
int ty_certs_check(const struct ty_gnutls *g, const struct ty_pem *p, struct ty_str ca,
                   const char *name, int64_t now_s, struct ty_err *err);

#endif
