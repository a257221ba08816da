/* clang-format off */
/* The operator: all of it on one loop.
 *
 *   kube client --> controllers (trainjob_controller.h), asleep until this process leads
 *               --> lease (who leads), events, certificates (webhook_cert_manager.h)
 *   servers (servers.h): webhooks, health, metrics, status API; on every replica
 *
 * Ends on SIGTERM and SIGINT: no new writes, those under way come to their end, the lease is given
 * back, the servers finish what they are asked. SIGHUP reads the configuration again. */
/* clang-format on */
#ifndef TY_OPERATOR_OPERATOR_H
#define TY_OPERATOR_OPERATOR_H

#include "config/config.h"
#include "log/log.h"
#include "store/kube/kubeconfig.h"
#include "trainer/pipeline.h"

struct ty_operator_settings { /* what is pointed to outlives the call */
    const struct ty_config *config;
    const char *file, *gates; /* where it came from, for SIGHUP; may be NULL */
    const struct ty_kubeconfig *kubeconfig;
    const struct ty_pipeline *pipeline;
    const struct ty_log *log;
    const char *ns; /* the operator's own namespace */
    const char *version;
};

/* Until it ends; gives an exit code: 0 after a signal, 1 if something it needs failed, or another
 * process leads now. */
int ty_operator_run(const struct ty_operator_settings *s);

#endif
