/* One TLS connection to a server, on the program's libuv loop: resolves the name, tries its
 * addresses one after the other, verifies the certificate, and transfers bytes. */
#ifndef TY_NET_TLS_CONN_H
#define TY_NET_TLS_CONN_H

#include <uv.h>

#include "base/str.h"
#include "net/dns_lookup.h"
#include "net/fence.h"

struct ty_tls_conn;

struct ty_tls_conn_settings {
    uv_loop_t *loop;
    struct ty_dns_lookups *lookups; /* running DNS queries; outlives it */
    const char *host, *port;        /* to connect to */
    const char *name;    /* the expected name in the certificate: a DNS name or an address */
    const char *ca_file; /* PEM. NULL: the system's */
    const char *cert_file, *key_file; /* of the client; or NULL */
    bool insecure;                    /* accept any certificate */
    int64_t connect_ms;               /* timeout for connecting, TLS included */
    int64_t dead_ms; /* bytes unacknowledged or probes unanswered for so long: the peer is dead */
    const struct ty_fence *fence; /* for everything that is sent; outlives it. NULL: none */
    /* It is connected. h2: the server chose HTTP/2 (ALPN), else HTTP/1.1 or nothing. */
    void (*ready)(void *ctx, bool h2);
    /* Received bytes. The connection may be freed here. */
    void (*bytes)(void *ctx, struct ty_str bytes);
    /* Returns the next bytes to send; empty: nothing now. Valid until the next call. */
    struct ty_str (*more)(void *ctx);
    /* Connecting failed, or the connection is lost. No more callbacks; it waits to be freed. */
    void (*gone)(void *ctx, const char *why);
    void *ctx;
};

/* gives. Starts connecting; borrows the strings until it is freed. Callbacks come from the loop,
 * never from here. */
struct ty_tls_conn *ty_tls_conn_new(const struct ty_tls_conn_settings *s);
/* takes; may be called from callbacks. If the fence is closed, or a fenced connection has
 * unacknowledged bytes, the connection is reset; else a close-notify is sent. The loop must run
 * once more before it is closed. NULL is fine. */
void ty_tls_conn_free(struct ty_tls_conn *conn);
/* As ty_tls_conn_free, but unacknowledged bytes are dropped: a reset without close-notify. */
void ty_tls_conn_reset(struct ty_tls_conn *conn);
/* There is something to send: calls `more` until it returns nothing, or the socket is full; then it
 * continues by itself. Only for a connected one; `gone` may be called. */
void ty_tls_conn_flush(struct ty_tls_conn *conn);
/* Whether it keeps the loop running; it does at first. */
void ty_tls_conn_set_ref(struct ty_tls_conn *conn, bool hold);

#endif
