/* The state of the operator, and what its files call of each other. */
#ifndef TY_OPERATOR_OPERATOR_INNER_H
#define TY_OPERATOR_OPERATOR_INNER_H

#include <uv.h>

#include "base/budget.h"
#include "failure/failure_watch.h"
#include "operator/operator.h"
#include "serve/servers.h"

struct ty_operator {
    const struct ty_operator_settings *s;
    struct ty_config config; /* as of the last SIGHUP */
    struct ty_settings settings;
    struct ty_budget budget; /* of all memory that input can use */
    struct ty_arena *arena;
    struct ty_arena
        *reload_arena; /* holds the values that SIGHUP changed in config; NULL: none yet */
    uv_loop_t loop;
    struct ty_apiserver_health *apiserver_health;
    struct ty_kube *kube;
    struct ty_kube *status_kube; /* writes of the status API, with limits of their own */
    struct ty_kube
        *review_kube; /* TokenReviews of the status API and of metrics, with limits of their own */
    struct ty_events *events;
    struct ty_trainjob_controller *controller;
    struct ty_failure_watch *failures; /* NULL: failureSummary is off */
    struct ty_webhook_cert_manager *certs;
    struct ty_lease_client *lease;
    struct ty_servers *servers;
    uv_signal_t sigterm, sigint, sighup;
    uv_timer_t trim;
    uv_timer_t shutdown_timer; /* during the shutdown: checks whether everything is idle */
    uint64_t end_by;           /* loop time */
    char *ca;      /* the CA that clients of the status API should trust; NULL: not known yet */
    bool wants_ca; /* no job is reconciled before ca is known */
    bool leading, stopping, releasing, released, served;
    int code;
};

/* operator_start.c */
int ty_operator_start(struct ty_operator *o, struct ty_err *err); /* all parts */

/* operator_signals.c */
void ty_operator_watch_signals(struct ty_operator *o); /* also sets its own timers up */
/* Starts the shutdown, unless it is in progress: the loop ends when no write is in flight. */
void ty_operator_stop(struct ty_operator *o);
/* From the configuration as of the last SIGHUP. */
int ty_operator_workers(const struct ty_operator *o);
enum ty_runtime_protection ty_operator_protection(const struct ty_operator *o);

#endif
