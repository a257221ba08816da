/* What the files of the servers share. */
#ifndef TY_SERVE_SERVERS_INNER_H
#define TY_SERVE_SERVERS_INNER_H

#include "serve/health.h"
#include "serve/metrics.h"
#include "serve/servers.h"
#include "serve/status.h"
#include "serve/token_cache.h"
#include "serve/webhook_handler.h"

enum { PORT_HEALTH, PORT_WEBHOOK, PORT_METRICS, PORT_STATUS, PORTS };

struct ty_servers {
    struct ty_servers_settings s;
    struct ty_arena *arena;
    struct ty_http_server *port[PORTS]; /* NULL: off */
    struct ty_webhook_handler hooks;
    struct ty_health alive, ready;
    char *alive_path, *ready_path;
    struct ty_health_check ready_checks[4];
    struct ty_metrics *metrics;
    struct ty_status_api status;
    struct ty_token_cache accepted, refused;    /* of the status API's tokens */
    struct ty_servers_pending_request *pending; /* requests to the API server in flight */
    size_t reviews;                             /* of them, reviews for unauthenticated clients */
    size_t stopping;                            /* ports that still have requests */
    void (*done)(void *ctx);
    void *done_ctx;
};

/* servers_metrics.c */
struct ty_metrics *ty_servers_metrics_new(void);
void ty_servers_metrics_update(struct ty_servers *s); /* collects the values of all parts */
void ty_servers_metrics_review_started(void *ctx, struct ty_str path);
void ty_servers_metrics_review_done(void *ctx, struct ty_str path, int code, double seconds);

/* servers_request.c: requests to the API server on behalf of a client that waits for the answer. */
#define TY_REVIEWS_MAX         64 /* in flight at once */
#define TY_REVIEWS_RESERVED    16 /* of them, reserved for tokens that were accepted before */
#define TY_REVIEWS_PER_SUBJECT 16 /* about one subject */
/* Copies everything in it. fn is called once, unless the servers are freed before: then the client
 * gets 503. */
void ty_servers_request(struct ty_servers *s, struct ty_http_request *q, struct ty_kube *kube,
                        const struct ty_kube_request *ask);
/* A review for an unauthenticated client: `about` is its subject, `known` says that its token was
 * accepted before. -EBUSY: too many reviews are in flight, none was sent. */
int ty_servers_request_review(struct ty_servers *s, struct ty_http_request *q,
                              const struct ty_kube_request *ask, struct ty_str about, bool known);
void ty_servers_request_cancel_all(struct ty_servers *s); /* after the ports are freed */

/* servers_auth.c: for ty_http_server_opts.handle: /metrics, for authorized clients. */
void ty_servers_handle_metrics(void *ctx, struct ty_http_request *q);
/* Logs that a client is refused because the API server did not answer the review. */
void ty_servers_auth_log_refused(struct ty_servers *s, const struct ty_kube_response *a,
                                 const char *what);

/* servers_status.c */
void ty_servers_status_init(struct ty_servers *s);
void ty_servers_handle_status(void *ctx, struct ty_http_request *q);

#endif
