/* The ports of the operator: webhooks and metrics under the webhook's certificate, health in the
 * clear, the status API where its gate is on. On every replica, leader or not. */
#ifndef TY_SERVE_SERVERS_H
#define TY_SERVE_SERVERS_H

#include <uv.h>

#include "config/config.h"
#include "controller/trainjob_controller.h"
#include "leader/lease_client.h"
#include "serve/apiserver_health.h"
#include "webhook_cert/webhook_cert_manager.h"

struct ty_budget;
struct ty_servers;

/* For review_kube: 2,000 reporters, each asked about every 30 s, take 70 a second. */
#define TY_REVIEW_QPS   100
#define TY_REVIEW_BURST 200

struct ty_servers_settings { /* what is pointed to outlives the servers */
    uv_loop_t *loop;
    struct ty_kube *kube;
    struct ty_kube *status_kube; /* statusServer.qps and burst are its limits; NULL: gate off */
    /* For what strangers make us ask: whose token it is, and what that one may. With limits of its
     * own, so that they cost neither controllers nor reporters a request. */
    struct ty_kube *review_kube;
    struct ty_budget *budget; /* of every port but that of the probes; may be NULL */
    const struct ty_config *config;
    const struct ty_settings *settings;
    const struct ty_pipeline *pipeline;
    const struct ty_log *log;
    struct ty_trainjob_controller *jobs;
    const struct ty_webhook_cert_manager *certs;
    const struct ty_lease_client *lease; /* NULL: no election, this process leads */
    const struct ty_events *events;
    const struct ty_apiserver_health *apiserver_health; /* NULL: nobody knows */
    const char *version;
};

/* gives. -EADDRINUSE and the like with a sentence that names the address and the setting. */
int ty_servers_new(const struct ty_servers_settings *s, struct ty_servers **ret,
                   struct ty_err *err);
/* The certificate that is shown from now on. Negative, and why: what was shown before stays. */
int ty_servers_set_certificate(struct ty_servers *s, const struct ty_pem *pem, struct ty_err *err);
/* Refuses what is new, finishes what is under way; `done` comes once, from the loop. */
void ty_servers_stop(struct ty_servers *s, int64_t grace_ms, void (*done)(void *ctx), void *ctx);
void ty_servers_free(struct ty_servers *s); /* takes; NULL is fine. The loop must turn once more */

/* The names of the health endpoints in the configuration may be others now. */
void ty_servers_set_health_paths(struct ty_servers *s);

#endif
