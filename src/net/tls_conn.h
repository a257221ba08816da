/* One TLS connection to a server, on the program's libuv loop: names are resolved, addresses tried
 * one after the other, the certificate checked, and then bytes go both ways. */
#ifndef TY_NET_TLS_CONN_H
#define TY_NET_TLS_CONN_H

#include <uv.h>

#include "base/str.h"
#include "net/dns_lookup.h"
#include "net/fence.h"
#include "net/gnutls.h"

struct ty_tls_conn;

struct ty_tls_conn_settings {
    uv_loop_t *loop;
    const struct ty_gnutls *gnutls;   /* outlives it */
    struct ty_dns_lookups *lookups;   /* of names; outlives it */
    const char *host, *port;          /* to connect to */
    const char *name;                 /* whose the certificate must be: a DNS name or an address */
    const char *ca_file;              /* PEM. NULL: the system's */
    const char *cert_file, *key_file; /* of the client; or NULL */
    bool insecure;                    /* believe any certificate */
    int64_t connect_ms;               /* until it is ready, TLS included */
    int64_t dead_ms; /* bytes unacknowledged or probes unanswered for so long: it is dead */
    const struct ty_fence *fence; /* around what is sent; outlives it. NULL: none */
    /* It is there. h2: the server chose HTTP/2 (ALPN), else HTTP/1.1 or nothing. */
    void (*ready)(void *ctx, bool h2);
    /* Bytes came. The line may be freed here. */
    void (*bytes)(void *ctx, struct ty_str bytes);
    /* What is to be sent next; empty: nothing now. Valid until the next call. */
    struct ty_str (*more)(void *ctx);
    /* It could not be made, or is lost. Nothing is told any more; it waits to be freed. */
    void (*gone)(void *ctx, const char *why);
    void *ctx;
};

/* gives. Begins; strings are copied. Callbacks come from the loop, never from here. */
struct ty_tls_conn *ty_tls_conn_new(const struct ty_tls_conn_settings *s);
/* takes; may be called from callbacks. Behind a closed fence, or with bytes unacknowledged within
 * one, the connection is reset; else the server is told goodbye. The loop must turn once more
 * before it is closed. NULL is fine. */
void ty_tls_conn_free(struct ty_tls_conn *line);
/* As ty_tls_conn_free, and whatever was not acknowledged is dropped: a reset, no goodbye. */
void ty_tls_conn_reset(struct ty_tls_conn *line);
/* There is something to send: it is asked for with `more` until there is no more, or the peer takes
 * no more yet; then it goes on by itself. For a line that is ready; `gone` may be called. */
void ty_tls_conn_flush(struct ty_tls_conn *line);
/* Whether it keeps the loop going; it does at first. */
void ty_tls_conn_set_ref(struct ty_tls_conn *line, bool hold);

#endif
