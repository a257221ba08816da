/* The part of a run that other processes see: its history, its lock and its control socket. A
 * failure here never stops a job: it is reported once, and the run continues without. */
#ifndef TY_CLI_RUN_RUN_HISTORY_H
#define TY_CLI_RUN_RUN_HISTORY_H

#include "cli/history/prune.h"
#include "engine/control_socket.h"
#include "engine/engine.h"
#include "store/history/history_record.h"

struct ty_run_history {
    struct ty_engine_observer observer; /* for the engine's options: records objects and events */
    struct ty_cli *cli;
    uv_timer_t timer; /* the next write */
    struct ty_engine *engine;
    struct ty_history_record *record; /* NULL: no history */
    struct ty_history_db *file;       /* opened by the first write */
    struct ty_history_db_run run;
    char *path;
    struct ty_control_socket *control;
    const char *const *env; /* --env or NULL, set before the begin; its values are not stored */
    size_t deleted;         /* TrainJobs deleted through the control socket */
    int lock;               /* -1 none */
    struct ty_prune keep;   /* limits of the history; set before ty_run_history_end */
    bool changed;           /* unwritten changes exist */
    bool full;              /* the disk is full: reported, and writes are retried */
};

void ty_run_history_init(struct ty_run_history *h, struct ty_cli *cli);
/* Call it after the zygote is forked and before jobs are submitted. path: the history file. */
void ty_run_history_begin(struct ty_run_history *h, uv_loop_t *loop, struct ty_engine *engine,
                          const char *dir, const char *path);
/* Writes the changes so far; true: other processes find the run now. */
bool ty_run_history_flush(struct ty_run_history *h);
/* Forgets a run that was refused before it began: ty_run_history_end writes nothing of it. Only
 * before the first write. */
void ty_run_history_discard(struct ty_run_history *h);
/* Writes the remaining changes and the run's exit status; call it before the engine is freed. No
 * effect if the history never began. */
void ty_run_history_end(struct ty_run_history *h, int code);

/* A file in the run's folder, of a run whose last write to the history had no room on the disk: how
 * the run ended, "Failed"; NULL: it is not there, or blank. */
#define TY_RUN_HISTORY_END "end"
const char *ty_run_history_lost_end(struct ty_arena *a, const char *dir);

/* The command line as the history stores it: words with spaces between them. `words`: each ends
 * with a NUL, as in /proc/self/cmdline; a last word without one was cut off and is replaced by "…".
 * `env`: the words of --env, NULL-terminated or NULL; of each only the name is stored, because
 * values of variables may be secrets. Lives with the arena. */
char *ty_run_history_command(struct ty_arena *a, struct ty_str words, const char *const *env);

#endif
