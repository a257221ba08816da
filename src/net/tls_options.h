/* Translates the TLS settings of the operator's configuration to a GnuTLS priority string. Pure. */
#ifndef TY_NET_TLS_OPTIONS_H
#define TY_NET_TLS_OPTIONS_H

#include "base/arena.h"

/* TLS 1.2 and later, the default of Go's servers. */
#define TY_TLS_DEFAULT "NORMAL:%SERVER_PRECEDENCE:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct ty_tls_options_notes { /* for the log: settings that could not be applied exactly */
    const char *v[16];
    size_t n; /* at most 16 */
};
/* A GnuTLS priority string; lives with the arena, as the notes do. min_version: "1.0" to "1.3",
 * NULL or "" for the default; ciphers: Go's names, NULL-terminated, or NULL. Unknown names are
 * skipped with a note; if none is known, the default stays. As in Go, ciphers do not affect TLS
 * 1.3. GnuTLS selects key exchange, cipher and MAC independently, so before TLS 1.3 it may also use
 * combinations of the parts of the named suites. */
const char *ty_tls_options_priority(struct ty_arena *a, const char *min_version,
                                    const char *const *ciphers, struct ty_tls_options_notes *notes);

#endif
