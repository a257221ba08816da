/* The admission webhooks of the operator: reviews run over the cache, and over live objects that
 * the cache does not have yet, such as a runtime that was created a moment ago. */
#ifndef TY_SERVE_WEBHOOK_HANDLER_H
#define TY_SERVE_WEBHOOK_HANDLER_H

#include "controller/trainjob_controller.h"
#include "net/http_server.h"

struct ty_webhook_handler {
    struct ty_trainjob_controller *controller;
    struct ty_budget *budget; /* of the process; may be NULL */
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_log *log; /* verdicts; may be NULL */
    /* Called for each review, and then for its answer; may be NULL. */
    void (*begun)(void *ctx, struct ty_str path);
    void (*answered)(void *ctx, struct ty_str path, int code, double seconds);
    void *ctx;
};

/* Logs one line for each verdict with the user: refused and admitted objects at info. The mutating
 * webhook runs before the validating one, which repeats its verdict: its line is at debug, unless
 * it refuses. Either may be NULL: nothing is logged. */
void ty_webhook_handler_log(const struct ty_log *log, struct ty_str path,
                            const struct ty_json *request, const struct ty_json *response);

/* For ty_http_server_opts.handle, with ctx = the struct, which must outlive the server. */
void ty_webhook_handler_serve(void *ctx, struct ty_http_request *q);

#endif
