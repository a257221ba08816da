/* Shared by the two files of a connection: tls_conn.c resolves and connects, tls_conn_session.c has
 * TLS. */
#ifndef TY_NET_TLS_CONN_INNER_H
#define TY_NET_TLS_CONN_INNER_H

#include <gnutls/x509.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "net/tls_conn.h"

#define IN_BYTES ((size_t)32 << 10)

enum ty_tls_conn_state { RESOLVES, CONNECTS, SHAKES, READY, GONE, FREED };

/* A polled socket. libuv closes handles later, so each attempt has its own. */
struct ty_tls_conn_poll {
    uv_poll_t poll;
    struct ty_tls_conn *conn;
};

struct ty_tls_conn {
    struct ty_tls_conn_settings set; /* its strings are owned */
    enum ty_tls_conn_state state;
    unsigned open; /* libuv handles that are not closed yet */
    uv_timer_t timer;
    uint64_t late_ms;             /* loop time: the deadline for connecting */
    struct ty_dns_lookup *lookup; /* the running DNS query; or NULL */
    struct addrinfo *found;
    const struct addrinfo *next;   /* the next address to try */
    struct ty_tls_conn_poll *plug; /* NULL: no socket */
    int fd;
    bool held, blocked; /* keeps the loop running; the socket is full */
    gnutls_certificate_credentials_t creds;
    gnutls_session_t tls;
    gnutls_typed_vdata_st wanted[2]; /* of the server's certificate */
    char error[256];                 /* for the last address */
    /* Read-ahead for GnuTLS, which reads the header of a record and then the rest: two system calls
     * for each record, and one more to find the end. */
    char *in;
    size_t in_at, in_n;
    bool dry;          /* the last read emptied the socket, or the loop must run first */
    unsigned reads;    /* of the socket since the loop reported it readable */
    uint64_t pulled;   /* bytes that GnuTLS has taken */
    int lost;          /* errno of a failed read */
    struct ty_buf out; /* for the next record */
    size_t out_at;
};

/* tls_conn.c */
void ty_tls_conn_fail(struct ty_tls_conn *conn, const char *fmt, ...)
    TY_PRINTF(2, 3);                                                /* it is lost */
void ty_tls_conn_poll_events(struct ty_tls_conn *conn, int events); /* libuv events to poll for */
/* takes. Tries these addresses, whatever the name was. */
void ty_tls_conn_resolved(struct ty_tls_conn *conn, struct addrinfo *found);

/* tls_conn_session.c */
bool ty_tls_conn_is_address(const char *name);        /* an IP address, not a name */
void ty_tls_conn_connected(struct ty_tls_conn *conn); /* starts the handshake */
void ty_tls_conn_handshake(struct ty_tls_conn *conn); /* continues it */
void ty_tls_conn_read(struct ty_tls_conn *conn);      /* everything that is available */
void ty_tls_conn_tls_end(struct ty_tls_conn *conn);

#endif
