/* clang-format off */
/* Admission webhooks (docs/spec/trainer.md 8): AdmissionReview v1 in, AdmissionReview v1 out.
 *
 *   POST /mutate-…-trainjob                        times of runtimePatches, as a JSON patch
 *   POST /validate-…-trainjob, -trainingruntime, -clustertrainingruntime
 *
 * A refusal is a review with HTTP 200; HTTP errors are for clients that do not speak the protocol. */
/* clang-format on */
#ifndef TY_SERVE_WEBHOOK_H
#define TY_SERVE_WEBHOOK_H

#include "trainer/pipeline.h"

/* etcd stores 1.5 MiB for each object; the review of an update has two objects and their
 * managedFields. */
#define TY_WEBHOOK_BODY_MAX ((size_t)8 << 20) /* for ty_http_server_opts.body_bytes */

struct ty_webhook {
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_view *view; /* runtimes, and objects that plugins read */
    int64_t (*now_s)(void *ctx);
    /* Called with the verdict: both live with the arena of the review. May be NULL. */
    void (*judged)(void *ctx, const struct ty_json *request, const struct ty_json *response);
    void *ctx;
};

/* Returns the HTTP status; *ret is the answer: a review with 200, else a
 * Status; 413 when the arena, of ty_arena_new_input, becomes full. Lives with the arena and borrows
 * from the body. 404: the path is no webhook. */
int ty_webhook_review(const struct ty_webhook *w, struct ty_arena *a, struct ty_str path,
                      struct ty_str body, struct ty_json **ret);

/* The paths by index; NULL: no more. */
const char *ty_webhook_path(size_t i);

#endif
