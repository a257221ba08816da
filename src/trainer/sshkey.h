/* The key pair with which an MPI launcher reaches its nodes: ECDSA on P-521, derived from the given
 * entropy only, so that a pass is a pure function. */
#ifndef TY_TRAINER_SSHKEY_H
#define TY_TRAINER_SSHKEY_H

#include "base/arena.h"
#include "base/str.h"

struct ty_sshkey {
    struct ty_str private_pem; /* "-----BEGIN EC PRIVATE KEY-----…" (SEC 1) */
    struct ty_str public_line; /* "ecdsa-sha2-nistp521 AAAA…\n", as in authorized_keys */
};

/* The same entropy gives the same key. Texts are NUL-terminated and live with the arena. */
void ty_sshkey_generate(struct ty_arena *a, const unsigned char *entropy, size_t n,
                        struct ty_sshkey *ret_key);

#endif
