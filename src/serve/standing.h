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
#ifndef TY_SERVE_STANDING_H
#define TY_SERVE_STANDING_H

#include <uv.h>

#include "control/log.h"
#include "store/kube.h"

struct ty_standing;

struct ty_standing_settings { /* what is pointed to outlives it */
    uv_loop_t *loop;
    const struct ty_kubeconfig *config;
    const struct ty_log *log;
    int64_t probe_ms; /* between two questions while it is not well; 0: 5000 */
    /* Well again after it was not for so long that it was said; may be NULL. */
    void (*well)(void *ctx);
    void *ctx;
};
#define TY_STANDING_SAY_MS 60000 /* not said more often; while it lasts it is said again */
#define TY_STANDING_COUNTS 64    /* methods times codes; what would be more is not kept */

/* gives. It begins well: nothing has been asked yet. */
struct ty_standing *ty_standing_new(const struct ty_standing_settings *s);
/* For ty_kube_settings.seen; ctx is the standing. */
void ty_standing_seen(void *ctx, const struct ty_kube_seen *seen);
/* With which client to ask; it was made with ty_standing_seen. */
void ty_standing_client(struct ty_standing *t, struct ty_kube *kube);
/* takes; before its client; NULL is fine. The loop must turn once more. */
void ty_standing_free(struct ty_standing *t);

/* NULL: well. Else what is wrong. Lives with the arena. */
const char *ty_standing_why(const struct ty_standing *t, struct ty_arena *a);

/* Requests so far, by method and HTTP status (0: no answer), in the order of their first one. */
struct ty_standing_count {
    const char *method;
    int code;
    uint64_t n;
};
size_t ty_standing_counts(const struct ty_standing *t, const struct ty_standing_count **ret);

#endif
