/* TLS settings as the operator's configuration writes them, in the words of GnuTLS. Pure. */
#ifndef TY_NET_TLS_OPTIONS_H
#define TY_NET_TLS_OPTIONS_H

#include "base/arena.h"

/* TLS 1.2 and later, as Go's servers do by default. */
#define TY_TLS_DEFAULT "NORMAL:%SERVER_PRECEDENCE:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct ty_tls_options_notes { /* for the log: settings that were not followed to the letter */
    const char *v[16];
    size_t n; /* the first 16 are kept */
};
/* A GnuTLS priority string; lives with the arena, as the notes do. min_version: "1.0" to "1.3",
 * NULL or "" for the default; ciphers: Go's names, NULL-terminated, or NULL. What is unknown is
 * left out and noted; if no cipher is known the default stays. As in Go, ciphers say nothing of
 * TLS 1.3. GnuTLS chooses key exchange, cipher and checksum one by one, so of the suites before
 * TLS 1.3 it may also take combinations of what the named ones are made of. */
const char *ty_tls_options_priority(struct ty_arena *a, const char *min_version,
                                    const char *const *ciphers, struct ty_tls_options_notes *notes);

#endif
