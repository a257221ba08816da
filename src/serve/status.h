/* clang-format off */
/* The status API (docs/spec/trainer.md 9): training processes post their progress.
 *
 *   POST /apis/trainer.kubeflow.org/v1alpha1/namespaces/NS/trainjobs/NAME/status
 *     size --> authorize --> decode --> apply --> 200, the payload as it was decoded
 *      413      403 429        422     404 422 500
 *
 * The caller authorizes and stores: the operator through the API server, the local engine itself. */
/* clang-format on */
#ifndef TY_SERVE_STATUS_H
#define TY_SERVE_STATUS_H

#include "net/http_server.h"
#include "json/json.h"

#define TY_STATUS_BODY_MAX ((size_t)65536) /* for ty_http_server_opts.body_bytes */

/* One request. Valid until it is answered. */
struct ty_status_call {
    struct ty_str token; /* of "Authorization: Bearer TOKEN"; empty: none */
    struct ty_str ns, name;
    struct ty_json *trainer_status; /* for apply: as Go would write it, times in UTC */
    struct ty_arena *arena;
    const struct ty_status_api *api;
    struct ty_http_request *q;
};

struct ty_status_api {
    void *ctx;
    /* Each calls the function of its name below exactly once, at once or later. */
    void (*authorize)(void *ctx, struct ty_status_call *call);
    /* Only with a trainerStatus, which replaces the stored one. */
    void (*apply)(void *ctx, struct ty_status_call *call);
};

/* For ty_http_server_opts.handle: takes the request. The api must outlive it. */
void ty_status_handle(const struct ty_status_api *api, struct ty_http_request *q);
/* 1 yes, 0 no, -EBUSY: too many requests (429); other negative: the check failed. */
void ty_status_authorized(struct ty_status_call *call, int verdict);
/* The API server's answer to the write: 200 to 299; 404; 400 or 422 with its message; anything else
 * is an internal error. */
void ty_status_applied(struct ty_status_call *call, int code, const char *message);

/* The message with which the API server would refuse this trainerStatus in TrainJob `name`; NULL:
 * it is valid. Lives with the arena. */
const char *ty_status_refusal(struct ty_arena *a, struct ty_str name,
                              const struct ty_json *trainer_status);

#endif
