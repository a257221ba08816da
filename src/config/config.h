/* The operator's configuration file (config.trainer.kubeflow.org/v1alpha1) and feature gates. Every
 * field of v2.3.0 is read, with its default, so that existing files work unchanged. Our own fields:
 * webhook.certDir, plugins, runtimeProtection. */
#ifndef TY_CONFIG_CONFIG_H
#define TY_CONFIG_CONFIG_H

#include "base/strlist.h"
#include "trainer/plan.h"

struct ty_config_workers { /* controller.groupKindConcurrency: "TrainJob.trainer.kubeflow.org": 5 */
    struct ty_str kind;
    int n;
};

struct ty_config {
    struct ty_settings settings;         /* for the pure core, gates included */
    struct ty_strlist enabled, disabled; /* names of plugins */
    bool status_said;                    /* the gate TrainJobStatus was set, on or off */
    bool finalizer;                      /* runtimeProtection: finalizer; else snapshot */

    int webhook_port;         /* 9443 */
    const char *webhook_host; /* NULL: every address */
    const char *cert_dir;     /* webhook.certDir; NULL: none */
    bool certs;               /* certManagement.enable, or unset without certDir: create our own */

    bool elect;                           /* leaderElection.leaderElect */
    int64_t lease_ms, renew_ms, retry_ms; /* 15000, 10000, 2000 */
    const char *lease_name, *lease_ns;    /* trainer.kubeflow.org; NULL: ours */

    const char *metrics_address;      /* ":8443"; "0": off */
    bool metrics_secure;              /* true */
    bool metrics_auth;                /* false */
    const char *health_address;       /* ":8081"; "0": off */
    const char *readiness, *liveness; /* "readyz", "healthz" */

    const struct ty_config_workers *workers; /* in the file's order */
    size_t n_workers;
    double client_qps; /* 0: no limit, the default; v2.3.0's is 50 and 100 (docs/differences.md) */
    int client_burst;  /* 100 */
    double status_qps; /* 5 */
    int status_burst;  /* 10; settings has statusServer.port */

    bool failure_summary; /* failureSummary.enable: watch pods, read logs, phase events; false */

    const char *tls_min;       /* "1.0" to "1.3", as written; NULL: the default */
    struct ty_strlist ciphers; /* Go's names, as written */
    struct ty_strlist protos;  /* none: http/1.1 */
};

extern const struct ty_config ty_config_default;

/* file NULL: defaults. gates: "Name=true,..." or NULL; they override those of the file. Refuses
 * unknown or duplicate fields, wrong types and unknown gates with "FILE:LINE:COL: ...", and values
 * out of range with v2.3.0's messages, all at once. *ret lives with the arena, untouched on
 * failure. */
int ty_config_read(struct ty_arena *a, const char *file, const char *gates, struct ty_config *ret,
                   struct ty_err *err);
/* The same, from a text. */
int ty_config_parse(struct ty_arena *a, const char *name, struct ty_str text, const char *gates,
                    struct ty_config *ret, struct ty_err *err);

/* Workers for "TrainJob.trainer.kubeflow.org"; 0: not configured. */
int ty_config_workers(const struct ty_config *c, const char *kind);
/* The operator's own namespace: that of its pod, else "kubeflow-system". file NULL: where a pod has
 * it. Lives with the arena. */
const char *ty_config_namespace(struct ty_arena *a, const char *file);

/* The changes of a new configuration, by field ("webhook.port: 9443 -> 9444"): in `live` those that
 * take effect at once, in `restart` those that need a restart. */
struct ty_config_change {
    struct ty_strlist live, restart;
};
void ty_config_compare(struct ty_arena *a, const struct ty_config *was, const struct ty_config *now,
                       struct ty_config_change *ret);

#endif
