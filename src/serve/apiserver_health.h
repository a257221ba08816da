/* clang-format off */
/* Whether the API server answers, and accepts our credentials.
 *
 *   well ---- 401, and renewed credentials did not help ---> refused --+
 *    ^   \--- no answer, or no credentials to ask with ----> silent ---+--- probes now and then
 *    |                                                                 |
 *    +------------------- any other answer ----------------------------+
 *
 * Logs when TrainJobs wait for it, and when they no longer do. It observes every request
 * (ty_kube_settings.seen), so it sends none of its own while all is well. */
/* clang-format on */
#ifndef TY_SERVE_APISERVER_HEALTH_H
#define TY_SERVE_APISERVER_HEALTH_H

#include <uv.h>

#include "log/log.h"
#include "store/kube/kube.h"

struct ty_apiserver_health;

struct ty_apiserver_health_settings { /* everything pointed to outlives it */
    uv_loop_t *loop;
    const struct ty_kubeconfig *config;
    const struct ty_log *log;
    int64_t probe_ms; /* interval of probes while it is not well; 0: 5000 */
    /* Called when it is well again after an outage that was logged; may be NULL. */
    void (*well)(void *ctx);
    void *ctx;
};
#define TY_APISERVER_HEALTH_LOG_MS                                                                 \
    60000 /* minimum interval of log lines; an outage is logged again after it */
#define TY_APISERVER_HEALTH_COUNTS 64 /* methods times codes; others are not counted */

/* gives. It starts well: no request has been sent yet. */
struct ty_apiserver_health *ty_apiserver_health_new(const struct ty_apiserver_health_settings *s);
/* For ty_kube_settings.seen; ctx is the apiserver_health. */
void ty_apiserver_health_observe(void *ctx, const struct ty_kube_request_result *seen);
/* Sets the client for probes, whose `seen` is ty_apiserver_health_observe. */
void ty_apiserver_health_set_client(struct ty_apiserver_health *t, struct ty_kube *kube);
/* takes; before its client; NULL is fine. The loop must run once more. */
void ty_apiserver_health_free(struct ty_apiserver_health *t);

/* NULL: well. Else the error. Lives with the arena. */
const char *ty_apiserver_health_reason(const struct ty_apiserver_health *t, struct ty_arena *a);

/* Requests so far, by method and HTTP status (0: no answer), in the order of their first
 * occurrence. */
struct ty_apiserver_health_count {
    const char *method;
    int code;
    uint64_t n;
};
size_t ty_apiserver_health_counts(const struct ty_apiserver_health *t,
                                  const struct ty_apiserver_health_count **ret);

#endif
