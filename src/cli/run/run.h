/* One `trainyard run`, from the command line to its exit status. */
#ifndef TY_CLI_RUN_RUN_H
#define TY_CLI_RUN_RUN_H

#include "cli/run/run_history.h"
#include "cli/run/run_output.h"
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
    struct ty_run_output output;
    struct ty_run_history history;
    struct ty_run_status status;
    struct ty_host host; /* with --shrink, without GPUs */
    uv_signal_t sigint, sigterm, sighup;
    uv_check_t check;
    uv_timer_t timeout;
    uv_timer_t settled; /* for malloc_trim after the start */
    int interrupts;
    bool timed_out;
    bool refused;      /* nothing was started: the run's directory has nothing to show */
    const char *limit; /* --timeout */
    int64_t limit_ms;  /* 0: none */
    char *root;        /* the state directory, or a temporary one */
    char *dir, *claims;
    char *past; /* the history file; NULL in a temporary directory */
    char *program, *workdir;
    bool needs_history; /* --detach: without it the job cannot be found again */
    int detach_fd;      /* to the caller of --detach */
    const char **env;   /* --env, NULL-terminated */
};

/* Creates r->dir with logs/ and pods/, and r->claims, below $XDG_STATE_HOME/trainyard; below
 * $TMPDIR, with a warning, if that cannot be written or others may write it; not if
 * r->needs_history.
 */
int ty_run_folders(struct ty_run_ctx *r, const char *name, struct ty_err *err);
/* The directory of locks on this machine's GPUs: one for all users, or with a note r->root/locks
 * for runs of this user. NULL: there are no GPUs, or, with a warning, no such directory. */
const char *ty_run_gpu_locks(struct ty_run_ctx *r);
/* Says what this machine does not allow: private mounts, pid namespaces. */
void ty_run_report_host(struct ty_run_ctx *r);
/* Prints the summary; the engine must still exist. keep: the pod directories stay. */
void ty_run_close_view(struct ty_run_ctx *r, bool keep);
int ty_run_exit_code(struct ty_run_ctx *r); /* before ty_run_end */
/* Frees the engine, the loop and the zygote; accepts a half-built run. The directory of a refused
 * run is removed. */
void ty_run_end(struct ty_run_ctx *r);

#endif
