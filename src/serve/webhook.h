/* clang-format off */
/* Admission webhooks (docs/spec/trainer.md 8): AdmissionReview v1 in, AdmissionReview v1 out.
 *
 *   POST /mutate-…-trainjob                        stamps and words, as a JSON patch
 *   POST /validate-…-trainjob, -trainingruntime, -clustertrainingruntime
 *
 * What is refused is a review that says so, with HTTP 200; HTTP's own errors are for those who do
 * not speak it. */
/* clang-format on */
#ifndef TY_SERVE_WEBHOOK_H
#define TY_SERVE_WEBHOOK_H

#include "net/http_server.h"
#include "trainer/pipeline.h"

/* Objects have 1.5 MiB in etcd, a review of an update carries two and their managedFields. */
#define TY_WEBHOOK_BODY_MAX ((size_t)8 << 20) /* give it to the server as body_bytes */

struct ty_webhook {
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_view *view; /* runtimes, and what plugins ask for */
    int64_t (*now_s)(void *ctx);
    /* Told of the verdict: both live with the arena of the review. May be NULL. */
    void (*judged)(void *ctx, const struct ty_json *request, const struct ty_json *response);
    void *ctx;
};

/* True: the path is a webhook's, and the request is answered. */
bool ty_webhook_handle(const struct ty_webhook *w, struct ty_http_request *q);

/* The same without HTTP. Gives HTTP's code; *ret is the answer: a review with 200, else a Status;
 * 413 when the arena, which should be one of input, becomes full. Lives with the arena and borrows
 * from the body. 404: the path is none of a webhook's. */
int ty_webhook_review(const struct ty_webhook *w, struct ty_arena *a, struct ty_str path,
                      struct ty_str body, struct ty_json **ret);

/* The paths, one by one; NULL: no more. */
const char *ty_webhook_path(size_t i);

#endif
