/* Follows a TrainJob of another process: reads its history and its log files, and reports to an
 * observer what a run reports to its own, so that `attach` uses the views of `run`. */
#ifndef TY_CLI_RUN_RUN_FOLLOW_H
#define TY_CLI_RUN_RUN_FOLLOW_H

#include "cli/history/job_history_pods.h"
#include "engine/engine.h"

struct ty_run_follow {
    struct ty_cli *cli;
    struct ty_history_db *d;
    const struct ty_job_history_entry *job; /* as it was when the following began */
    const struct ty_engine_observer *to;
    int64_t tail; /* lines of each log that are there at the beginning; -1: all */
    /* Private: */
    struct ty_arena *scratch;
    int64_t version;                 /* of the history when it was read */
    struct ty_job_history_pod *list; /* as of then; lives in scratch */
    size_t n_list;
    struct ty_map pods;   /* host -> the state last reported */
    struct ty_map logs;   /* path -> struct follow_log */
    struct ty_map events; /* id -> its count when it was last reported */
    bool begun;
    const char *result; /* of the job, when it is over: "Complete", "Failed", "Interrupted" */
    char how[32];       /* of the run: "TimedOut" …, or empty */
    char why[256];      /* it was stopped; from its event */
    int64_t stop_ms;    /* when; 0: it was not */
};

/* Reports what is new. True: the job is over, and everything has been reported. */
bool ty_run_follow_poll(struct ty_run_follow *f);
void ty_run_follow_done(struct ty_run_follow *f);

#endif
