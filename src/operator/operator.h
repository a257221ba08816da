/* clang-format off */
/* The operator, on one event loop.
 *
 *   kube client --> controllers (trainjob_controller.h), which write only while this process leads
 *               --> lease (leader election), events, certificates (webhook_cert_manager.h)
 *   servers (servers.h): webhooks, health, metrics, status API; on every replica
 *
 * SIGTERM and SIGINT end it: no new writes, those in flight complete, the lease is released, and
 * the servers answer the requests that they have. SIGHUP reloads the configuration. */
/* clang-format on */
#ifndef TY_OPERATOR_OPERATOR_H
#define TY_OPERATOR_OPERATOR_H

#include "config/config.h"
#include "log/log.h"
#include "store/kube/kubeconfig.h"
#include "trainer/pipeline.h"

struct ty_operator_settings { /* everything pointed to outlives the call */
    const struct ty_config *config;
    const char *file, *gates; /* where the configuration came from, for SIGHUP; may be NULL */
    const struct ty_kubeconfig *kubeconfig;
    const struct ty_pipeline *pipeline;
    const struct ty_log *log;
    const char *ns; /* the operator's own namespace */
    const char *version;
};

/* Runs until it ends; returns the exit code: 0 after a signal, 1 if a start failed or leadership
 * was lost. */
int ty_operator_run(const struct ty_operator_settings *s);

#endif
