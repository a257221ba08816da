/* clang-format off */
/* How we stand with the API server: does it answer, does it take our credentials?
 *
 *   well ---- 401, and fresh credentials did not help ---> refused --+
 *    ^   \--- no answer, or no credentials to ask with --> silent ---+--- asks now and then
 *    |                                                               |
 *    +------------------- any other answer --------------------------+
 *
 * Says so when TrainJobs wait for it, and when they no longer do. It is told of every request
 * (ty_kube_settings.seen), so it costs none of its own while all is well. */
/* clang-format on */
#ifndef TY_SERVE_APISERVER_HEALTH_H
#define TY_SERVE_APISERVER_HEALTH_H

#include <uv.h>

#include "log/log.h"
#include "store/kube/kube.h"

struct ty_apiserver_health;

struct ty_apiserver_health_settings { /* what is pointed to outlives it */
    uv_loop_t *loop;
    const struct ty_kubeconfig *config;
    const struct ty_log *log;
    int64_t probe_ms; /* between two questions while it is not well; 0: 5000 */
    /* Well again after it was not for so long that it was said; may be NULL. */
    void (*well)(void *ctx);
    void *ctx;
};
#define TY_APISERVER_HEALTH_LOG_MS                                                                 \
    60000                             /* not said more often; while it lasts it is said again      \
                                       */
#define TY_APISERVER_HEALTH_COUNTS 64 /* methods times codes; what would be more is not kept */

/* gives. It begins well: nothing has been asked yet. */
struct ty_apiserver_health *ty_apiserver_health_new(const struct ty_apiserver_health_settings *s);
/* For ty_kube_settings.seen; ctx is the apiserver_health. */
void ty_apiserver_health_observe(void *ctx, const struct ty_kube_request_result *seen);
/* With which client to ask; it was made with ty_apiserver_health_observe. */
void ty_apiserver_health_set_client(struct ty_apiserver_health *t, struct ty_kube *kube);
/* takes; before its client; NULL is fine. The loop must turn once more. */
void ty_apiserver_health_free(struct ty_apiserver_health *t);

/* NULL: well. Else what is wrong. Lives with the arena. */
const char *ty_apiserver_health_reason(const struct ty_apiserver_health *t, struct ty_arena *a);

/* Requests so far, by method and HTTP status (0: no answer), in the order of their first one. */
struct ty_apiserver_health_count {
    const char *method;
    int code;
    uint64_t n;
};
size_t ty_apiserver_health_counts(const struct ty_apiserver_health *t,
                                  const struct ty_apiserver_health_count **ret);

#endif
