/* The part of a run that others see: its history, written while it goes, its lock, and the socket
 * through which it takes orders. None of it may ever stop a job: what fails is told once, and the
 * run goes on without. */
#ifndef TY_CLI_RUN_RUN_HISTORY_H
#define TY_CLI_RUN_RUN_HISTORY_H

#include "cli/history/prune.h"
#include "engine/control_socket.h"
#include "engine/engine.h"
#include "store/history/history_record.h"

struct ty_run_history {
    struct ty_engine_observer observer; /* for the engine's options: it keeps the events */
    struct ty_cli *cli;
    uv_timer_t timer; /* the next write */
    struct ty_engine *engine;
    struct ty_history_record *record; /* NULL: no history */
    struct ty_history_db *file;       /* opened by the first write */
    struct ty_history_db_run run;
    char *path;
    struct ty_control_socket *control;
    const char *const *env; /* --env: its values are not kept; set before the begin, or NULL */
    size_t deleted;         /* TrainJobs that were deleted by order */
    int lock;               /* -1 none */
    struct ty_prune keep;   /* of the runs before this one; set before the end */
    bool changed;           /* there is something to tell of */
    bool full;              /* the disk is: said, and tried again */
};

void ty_run_history_init(struct ty_run_history *h, struct ty_cli *cli);
/* After everything is forked that lives with the run, before its jobs are submitted. path: the
 * history file. */
void ty_run_history_begin(struct ty_run_history *h, uv_loop_t *loop, struct ty_engine *engine,
                          const char *dir, const char *path);
/* Writes what is left, and how the run ended (its exit status); before the engine is freed. Fine if
 * it never began. */
void ty_run_history_end(struct ty_run_history *h, int code);

/* The command line as the history stores it: words with spaces between them. `words`: each ends
 * with a NUL, as in /proc/self/cmdline; a last word without one was cut off and is replaced by "…".
 * `env`: the words of --env, NULL-terminated or NULL; of each only the name is stored, because
 * values of variables may be secrets. Lives with the arena. */
char *ty_run_history_command(struct ty_arena *a, struct ty_str words, const char *const *env);

#endif
