/* Shared by the files of the server. */
#ifndef TY_NET_HTTP_SERVER_INNER_H
#define TY_NET_HTTP_SERVER_INNER_H

#include <gnutls/abstract.h>
#include <microhttpd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "net/http_server.h"

#define TY_HTTP_SERVER_HEADERS 8
/* The memory of a connection beside its header_bytes, rounded up. Measured as the private memory of
 * a server with a thousand idle connections: 27.7 kB each with TLS, 17.0 without, with 16 KiB of
 * headers. */
#define TY_HTTP_SERVER_CONN_PLAIN ((size_t)2 << 10)
#define TY_HTTP_SERVER_CONN_TLS   ((size_t)12 << 10)

/* The certificate of TLS. Reference-counted: running handshakes may outlive a change. */
struct ty_http_server_cert {
    unsigned refs;
    gnutls_certificate_credentials_t cred;
};

/* What a connection waits for. In the order of a sweep: giving up a HANDLER turns it into an
 * ANSWER, which then has until the next sweep. */
enum ty_http_server_conn_state {
    TY_HTTP_SERVER_CONN_HEAD,    /* the client: handshake, request line, headers */
    TY_HTTP_SERVER_CONN_BODY,    /* the client */
    TY_HTTP_SERVER_CONN_ANSWER,  /* the client, to read the response */
    TY_HTTP_SERVER_CONN_IDLE,    /* the client: the next request */
    TY_HTTP_SERVER_CONN_HANDLER, /* the handler */
    TY_HTTP_SERVER_CONN_CUT,     /* libmicrohttpd, to close it */
    TY_HTTP_SERVER_CONN_STATES,
};

struct ty_http_server_conn {
    struct ty_http_server *s;
    struct ty_http_server_conn *prev, *next; /* in the same state, the longest first */
    enum ty_http_server_conn_state state;
    int64_t since_ms; /* in this state */
    struct MHD_Connection *mhd;
    int fd;
    int64_t due_ms;                    /* deadline */
    bool fresh;                        /* its first request is not finished */
    struct ty_http_server_cert *id;    /* the certificate of its handshake; NULL none */
    struct ty_http_server_exchange *q; /* the current request, or NULL */
};

struct ty_http_server_conn_list {
    struct ty_http_server_conn *first, *last;
    size_t n;
};

struct ty_http_server_header {
    const char *name, *value;
};

/* A request with the server's data about it. */
struct ty_http_server_exchange {
    struct ty_http_request q;         /* first: handlers have a pointer to this */
    struct ty_http_server_conn *conn; /* NULL: the client is gone or has its response */
    struct ty_budget *budget;         /* the server's: the request may outlive the server */
    struct ty_http_server_header *sent;
    size_t n_sent, cap_sent;
    struct ty_buf body;
    size_t held;  /* charged to the budget, for the body */
    size_t seen;  /* bytes of the body, stored or not */
    bool no_room; /* the budget is used up: 503 without calling the handler */
    bool begun;   /* the headers were checked */
    bool later;   /* suspended; passed to the handler in a later iteration of the loop */
    bool handed;  /* passed to the handler */
    bool owed;    /* the handler has not answered yet */
    bool suspended;
    int code; /* of the response; 0 none yet */
    const char *type;
    struct ty_str text;
    const char *headers[TY_HTTP_SERVER_HEADERS][2];
    size_t n_headers;
};

struct ty_http_server {
    struct ty_http_server_opts o;
    struct MHD_Daemon *daemon;
    struct ty_http_server_cert *id;
    struct ty_http_server_conn_list conns[TY_HTTP_SERVER_CONN_STATES];
    size_t n_conns;
    size_t held; /* charged to the budget, for connections and bodies */
    uint64_t cuts[TY_HTTP_SERVER_CLOSE_REASONS];
    int port;
    int listen_fd; /* -1: closed */
    bool with_tls, stopping, freeing;
    int64_t stop_by_ms;
    void (*stopped)(void *ctx);
    void *stopped_ctx;
    uv_poll_t poll;
    uv_timer_t again, sweep;
    uv_idle_t kick;
    unsigned idle_runs;  /* since the last event from the kernel */
    uint64_t handled_ns; /* of the current run: spent in the handler */
    size_t later;        /* requests that wait for a later iteration */
    bool resting;        /* pausing; the timer `again` ends it */
    unsigned long rests;
    int handles;
};

/* http_server.c */
void ty_http_server_run(struct ty_http_server *s);  /* runs libmicrohttpd */
void ty_http_server_kick(struct ty_http_server *s); /* the same in the loop's next iteration */

/* http_server_listen.c */
int ty_http_server_listen(const char *address, int port, int *ret_fd, struct ty_err *err);
int ty_http_server_port_of(int fd);

/* http_server_conn.c */
void ty_http_server_on_connection(void *cls, struct MHD_Connection *mhd, void **ctx,
                                  enum MHD_ConnectionNotificationCode what);
void ty_http_server_conn_enter(struct ty_http_server_conn *c, enum ty_http_server_conn_state state);
void ty_http_server_conn_close(struct ty_http_server_conn *c, enum ty_http_server_close_reason why);
void ty_http_server_conn_close_idle(struct ty_http_server *s); /* when the server stops */
void ty_http_server_sweep(struct ty_http_server *s, uint64_t every_ms);

/* http_server_limit.c */
void ty_http_server_limit_shed(
    struct ty_http_server *s); /* closes connections while there are too many, if possible */
bool ty_http_server_limit_exceeded(
    const struct ty_http_server *s);                          /* there are too many connections */
void ty_http_server_limit_add_conn(struct ty_http_server *s); /* counts one more */
void ty_http_server_limit_remove_conn(struct ty_http_server *s); /* and one less */
size_t ty_http_server_limit_conn_bytes(const struct ty_http_server *s);
/* Reserves memory for the body of q; may close other connections for it. False: there is no room.
 */
bool ty_http_server_limit_reserve_body(struct ty_http_server *s, struct ty_http_server_exchange *q,
                                       size_t more);
void ty_http_server_limit_release_body(struct ty_http_server_exchange *q); /* releases it */

/* http_server_request.c */
void ty_http_server_wake_later(
    struct ty_http_server *s); /* the first request that waits for a later iteration */
/* libmicrohttpd's callbacks. */
void *ty_http_server_on_line(void *cls, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result ty_http_server_on_request(void *cls, struct MHD_Connection *mhd, const char *url,
                                          const char *method, const char *version, const char *data,
                                          size_t *n, void **con_cls);
void ty_http_server_on_end(void *cls, struct MHD_Connection *mhd, void **con_cls,
                           enum MHD_RequestTerminationCode why);
/* The deadline has passed while the handler works: 503. False: it does not wait for the handler. */
bool ty_http_server_give_up(struct ty_http_server_conn *c);

/* http_server_tls.c */
int ty_http_server_tls_check(const struct ty_http_server_tls *tls, struct ty_err *err);
void ty_http_server_tls_begin(struct ty_http_server_conn *c); /* before its handshake */
void ty_http_server_cert_unref(struct ty_http_server_cert *id);
int ty_http_server_tls_nothing(gnutls_session_t session, const gnutls_datum_t *ca, int n_ca,
                               const gnutls_pk_algorithm_t *algos, int n_algos,
                               gnutls_pcert_st **ret_chain, unsigned *ret_n,
                               gnutls_privkey_t *ret_key);

static inline int64_t ty_http_server_now(const struct ty_http_server *s)
{
    return (int64_t)uv_now(s->o.loop);
}

#endif
