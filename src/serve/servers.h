/* The servers of the operator: webhooks and metrics over TLS with the webhook's certificate, health
 * without TLS, the status API if its gate is on. On every replica, leader or not. */
#ifndef TY_SERVE_SERVERS_H
#define TY_SERVE_SERVERS_H

#include <uv.h>

#include "config/config.h"
#include "controller/trainjob_controller.h"
#include "leader/lease_client.h"
#include "serve/apiserver_health.h"
#include "webhook_cert/webhook_cert_manager.h"

struct ty_budget;
struct ty_failure_watch;
struct ty_servers;

/* For review_kube: 2,000 reporting pods with one review every 30 s need 70 a second. */
#define TY_REVIEW_QPS   100
#define TY_REVIEW_BURST 200

struct ty_servers_settings { /* everything pointed to outlives the servers */
    uv_loop_t *loop;
    struct ty_kube *kube;
    struct ty_kube *status_kube; /* statusServer.qps and burst are its limits; NULL: gate off */
    /* For TokenReviews and SubjectAccessReviews of unauthenticated clients. With limits of its own,
     * so that they delay neither controllers nor status reports. */
    struct ty_kube *review_kube;
    struct ty_budget *budget; /* of every port but the health port; may be NULL */
    const struct ty_config *config;
    const struct ty_settings *settings;
    const struct ty_pipeline *pipeline;
    const struct ty_log *log;
    struct ty_trainjob_controller *controller;
    const struct ty_webhook_cert_manager *certs;
    const struct ty_lease_client *lease; /* NULL: no leader election, this process leads */
    const struct ty_events *events;
    const struct ty_failure_watch *failures;            /* NULL: failureSummary is off */
    const struct ty_apiserver_health *apiserver_health; /* NULL: not observed */
    const char *version;
};

/* gives. -EADDRINUSE and the like, with an error that names the address and the setting. */
int ty_servers_new(const struct ty_servers_settings *s, struct ty_servers **ret,
                   struct ty_err *err);
/* Serves with this certificate from now on. Negative and err: the previous one stays. */
int ty_servers_set_certificate(struct ty_servers *s, const struct ty_pem *pem, struct ty_err *err);
/* Refuses new requests and completes those in flight; `done` is called once, from the loop. */
void ty_servers_stop(struct ty_servers *s, int64_t grace_ms, void (*done)(void *ctx), void *ctx);
void ty_servers_free(struct ty_servers *s); /* takes; NULL is fine. The loop must run once more */

/* The configuration of the health paths has changed. */
void ty_servers_set_health_paths(struct ty_servers *s);

#endif
