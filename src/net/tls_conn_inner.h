/* What the two files of a connection share: tls_conn.c finds and connects the socket,
 * tls_conn_session.c speaks TLS over it. */
#ifndef TY_NET_TLS_CONN_INNER_H
#define TY_NET_TLS_CONN_INNER_H

#include "base/buf.h"
#include "net/tls_conn.h"

#define IN_BYTES ((size_t)32 << 10)

enum ty_tls_conn_state { RESOLVES, CONNECTS, SHAKES, READY, GONE, FREED };

/* A socket in the loop's set. libuv closes handles later, so each try has its own. */
struct ty_tls_conn_poll {
    uv_poll_t poll;
    struct ty_tls_conn *line;
};

struct ty_tls_conn {
    struct ty_tls_conn_settings set; /* its strings are ours */
    enum ty_tls_conn_state state;
    unsigned open; /* handles of libuv that are not closed yet */
    uv_timer_t timer;
    uint64_t late_ms;             /* loop time: by then it is ready, or gone */
    struct ty_dns_lookup *lookup; /* its name is being resolved; or NULL */
    struct addrinfo *found;
    const struct addrinfo *next;   /* to be tried */
    struct ty_tls_conn_poll *plug; /* NULL: no socket */
    int fd;
    bool held, blocked; /* keeps the loop going; the peer takes no more yet */
    gnutls_certificate_credentials_t creds;
    gnutls_session_t tls;
    gnutls_typed_vdata_st wanted[2]; /* of the server's certificate */
    char error[256];                 /* of the last address */
    /* Read ahead of GnuTLS, which asks for a record's head and then for its rest: two system calls
     * a record, and one more to learn that there is none. */
    char *in;
    size_t in_at, in_n;
    bool dry;          /* the socket had no more when it was last read, or others wait for us */
    unsigned reads;    /* of the socket since the loop told that there is something */
    uint64_t pulled;   /* bytes that GnuTLS has taken */
    int lost;          /* why it could not be read */
    struct ty_buf out; /* of the next record */
    size_t out_at;
};

/* tls_conn.c */
void ty_tls_conn_fail(struct ty_tls_conn *line, const char *fmt, ...)
    TY_PRINTF(2, 3);                                                /* it is gone */
void ty_tls_conn_poll_events(struct ty_tls_conn *line, int events); /* of libuv, to wait for */
/* takes. These addresses are tried, whatever was asked for. */
void ty_tls_conn_resolved(struct ty_tls_conn *line, struct addrinfo *found);

/* tls_conn_session.c */
bool ty_tls_conn_is_address(const char *name);        /* an IP address, not a name */
void ty_tls_conn_connected(struct ty_tls_conn *line); /* begins the handshake */
void ty_tls_conn_handshake(struct ty_tls_conn *line); /* goes on with it */
void ty_tls_conn_read(struct ty_tls_conn *line);      /* all that is there */
void ty_tls_conn_tls_end(struct ty_tls_conn *line);

#endif
