/* Between http_client_h2.c, the calls, and http_client_h2_conn.c, their connections. */
#ifndef TY_NET_HTTP_CLIENT_H2_INNER_H
#define TY_NET_HTTP_CLIENT_H2_INNER_H

#include "net/http_client_inner.h"
#include "net/tls_conn.h"

struct ty_http_client_conn {
    struct ty_http_client_conn *next, **at;
    struct ty_http_client *client;
    struct ty_http_endpoint place;
    /* A copy: connections are shared by calls with the same peer and endpoint. */
    struct ty_http_client_peer peer;
    struct ty_tls_conn *tls;
    struct ty_h2 *h2;                               /* NULL: not connected yet */
    struct ty_http_client_call *calls, **calls_end; /* in the order of their start */
    /* The call whose callback is running; NULL: dropped in the meantime. */
    const struct ty_http_client_call *telling;
    uint64_t heard_ms; /* loop time of the last byte; 0: none yet */
    bool pinged;       /* since then */
    size_t endless;    /* calls that may run for long, such as watches and logs */
    bool old;          /* accepts no more calls: closed with its last one */
    bool reset;        /* and then without close-notify */
    bool dirty;        /* has bytes to send */
    bool inside;       /* one of its functions is running: must not be freed */
};

/* http_client_h2_conn.c */
/* One that accepts calls to this peer; made if there is none. */
struct ty_http_client_conn *ty_http_client_h2_find(struct ty_http_client *w,
                                                   const struct ty_http_endpoint *to,
                                                   const struct ty_http_client_peer *peer);
/* It has bytes to send: before the loop polls again. */
void ty_http_client_h2_flush(struct ty_http_client_conn *l);

/* http_client_h2.c */
extern const struct ty_h2_events ty_http_client_h2_events; /* of streams: calls */
/* Sends it on a connection that accepts requests; false: it does not. */
bool ty_http_client_h2_call_send(struct ty_http_client_call *call);
/* Sends it again, usually over another connection. False: too many attempts, or the fence is
 * closed. */
bool ty_http_client_h2_call_again(struct ty_http_client_call *call);
void ty_http_client_h2_call_leave(struct ty_http_client_call *call); /* its connection */
/* Reports the end and frees it. */
void ty_http_client_h2_call_end(struct ty_http_client_call *call, bool whole, const char *why);

#endif
