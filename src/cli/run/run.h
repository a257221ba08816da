/* One `trainyard run`, from the command line to its exit status. */
#ifndef TY_CLI_RUN_RUN_H
#define TY_CLI_RUN_RUN_H

#include "cli/run/run_history.h"
#include "cli/run/run_status.h"
#include "cli/run/run_view.h"
#include "cli/session.h"

struct ty_run_ctx {
    struct ty_cli *cli;
    struct ty_session session;
    uv_loop_t loop;
    struct ty_zygote *zygote;
    struct ty_engine *engine;
    struct ty_run_view view;
    struct ty_run_history history;
    struct ty_run_status status;
    uv_signal_t sigint, sigterm;
    uv_check_t check;
    uv_timer_t timeout;
    uv_timer_t settled; /* for malloc_trim after the start */
    int interrupts;
    bool timed_out;
    const char *limit; /* --timeout */
    int64_t limit_ms;  /* 0: none */
    char *root;        /* the state directory, or a temporary one */
    char *dir, *claims;
    char *past; /* the history file; NULL in a temporary directory */
    char *program, *workdir;
    const char **env; /* --env, NULL-terminated */
};

/* Creates r->dir with logs/ and pods/, and r->claims, below $XDG_STATE_HOME/trainyard; below
 * $TMPDIR, with a warning, if that cannot be written or others may write it. */
int ty_run_folders(struct ty_run_ctx *r, const char *name, struct ty_err *err);
/* Prints the summary; the engine must still exist. keep: the pod directories stay. */
void ty_run_close_view(struct ty_run_ctx *r, bool keep);
int ty_run_exit_code(struct ty_run_ctx *r); /* before ty_run_end */
/* Frees the engine, the loop and the zygote; accepts a half-built run. */
void ty_run_end(struct ty_run_ctx *r);

#endif
