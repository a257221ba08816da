/* clang-format off */
/* /healthz and /readyz, as Kubernetes' own programs answer them.
 *
 *   GET /readyz            "ok", or 500 and a line for each check
 *   GET /readyz?verbose    the lines in any case; ?exclude=NAME leaves a check out
 *   GET /readyz/NAME       one check
 *
 * A check may be informational (advice): it has its line and its own path, and does not affect the
 * result. */
/* clang-format on */
#ifndef TY_SERVE_HEALTH_H
#define TY_SERVE_HEALTH_H

#include "net/http_server.h"

struct ty_health_check {
    const char *name;
    /* NULL: healthy; else the reason, for the log: lives with the arena. */
    const char *(*ask)(void *ctx, struct ty_arena *a);
    void *ctx;
    bool advice;
};
struct ty_health {
    const char *path;                     /* "/healthz" */
    const struct ty_health_check *checks; /* ends with name NULL; may be NULL: always healthy */
    /* Called with the reason of a failed check, which clients do not get; may be NULL. */
    void (*failed)(void *ctx, const char *path, const char *check, const char *why);
    void *ctx;
};

/* True: the path matched, and the request is answered. */
bool ty_health_handle(const struct ty_health *h, struct ty_http_request *q);

#endif
