/* clang-format off */
/* The status API of `trainyard run`, at the address that the operator's has in a cluster.
 *
 *   a socket listens --> a process connects --> TLS and HTTP are loaded --> posts go to the engine
 *
 * A job that never reports costs a socket and a read of the kept certificate. */
/* clang-format on */
#ifndef TY_CLI_RUN_RUN_STATUS_H
#define TY_CLI_RUN_RUN_STATUS_H

#include "cli/run/run_tls.h"
#include "cli/session.h"
#include "engine/engine.h"
#include "serve/status.h"

struct ty_run_status {
    struct ty_cli *cli;
    uv_loop_t *loop;
    struct ty_engine *engine;    /* set it once it is there */
    struct ty_settings settings; /* for the engine: where the API is */
    struct ty_json *secret;      /* an object for the engine: whom to trust */
    struct ty_run_tls tls;
    struct ty_status_api api;
    struct ty_http_server *server; /* NULL: nobody came yet */
    uv_poll_t *poll;               /* the socket until then; NULL: closed */
    int fd, port;
    unsigned char key[32]; /* tokens are made of it */
};

/* Begins, and says so in opts (settings, token), unless it is switched off or cannot work here.
 * What goes wrong is a warning: the job runs without it. */
void ty_run_status_begin(struct ty_run_status *s, struct ty_session *session, uv_loop_t *loop,
                         const char *folder, struct ty_engine_opts *opts);
/* The token of a TrainJob; for the engine. */
const char *ty_run_status_token(void *ctx, struct ty_arena *a, struct ty_str ns, struct ty_str job);
void ty_run_status_end(struct ty_run_status *s); /* before the engine; never begun is fine */

#endif
