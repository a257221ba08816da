/* The admission webhooks of the operator: reviews judged by the cache, and by the API server where
 * the cache does not know yet: a runtime that was created a moment ago counts. */
#ifndef TY_SERVE_WEBHOOK_HANDLER_H
#define TY_SERVE_WEBHOOK_HANDLER_H

#include "controller/trainjob_controller.h"
#include "net/http_server.h"

struct ty_webhook_handler {
    struct ty_trainjob_controller *jobs;
    struct ty_budget *budget; /* of the process; may be NULL */
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_log *log; /* verdicts; may be NULL */
    /* Told of each review, and then of its answer; may be NULL. */
    void (*begun)(void *ctx, struct ty_str path);
    void (*answered)(void *ctx, struct ty_str path, int code, double seconds);
    void *ctx;
};

/* webhook_handler_log.c: one line a verdict with who asked: refused and admitted objects at info.
 * The mutating webhook comes before the validating one, which says the same again: its line is at
 * debug, unless it refuses. Either may be NULL: nothing is logged. */
void ty_webhook_handler_log(const struct ty_log *log, struct ty_str path,
                            const struct ty_json *request, const struct ty_json *response);

/* For ty_http_server_opts.handle, with ctx = the struct, which must outlive the server. */
void ty_webhook_handler_serve(void *ctx, struct ty_http_request *q);

#endif
