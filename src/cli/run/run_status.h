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
    struct ty_engine *engine;    /* set after ty_engine_new */
    struct ty_settings settings; /* for the engine: address of the API */
    struct ty_json *secret;      /* for the engine: the Secret with the CA */
    struct ty_run_tls tls;
    struct ty_status_api api;
    struct ty_http_server *server; /* NULL: no connection yet */
    uv_poll_t *poll;               /* the socket before the server starts; NULL: closed */
    int fd, port;
    unsigned char key[32]; /* key of the tokens */
};

/* Starts the API and sets opts (settings, token), unless it is switched off or cannot work here.
 * Failures are warnings: the job runs without it. */
void ty_run_status_begin(struct ty_run_status *s, struct ty_session *session, uv_loop_t *loop,
                         const char *folder, struct ty_engine_opts *opts);
/* Returns the token of a TrainJob; a callback for the engine. */
const char *ty_run_status_token(void *ctx, struct ty_arena *a, struct ty_str ns, struct ty_str job);
/* Call it before ty_engine_free; no effect if the API never began. */
void ty_run_status_end(struct ty_run_status *s);

#endif
