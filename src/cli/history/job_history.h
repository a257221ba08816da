/* What the commands over past and present runs share: the open history, a TrainJob in it, and words
 * for how it is. */
#ifndef TY_CLI_HISTORY_JOB_HISTORY_H
#define TY_CLI_HISTORY_JOB_HISTORY_H

#include "base/map.h"
#include "cli/cli.h"
#include "store/history/history_read.h"
#include "json/json.h"

/* Opens it; an exit code, TY_EXIT_OK also when there is no history: then d stays NULL and nothing
 * is ever found. What is wrong is told. */
int ty_job_history_open(struct ty_cli *cli, enum ty_history_db_mode use,
                        struct ty_history_db **ret);
static inline void ty_history_db_closep(struct ty_history_db **d)
{
    ty_history_db_close(*d);
}
#define ty_auto_history_db TY_AUTO(ty_history_db_closep) struct ty_history_db

/* The object of a row; NULL: the text is none, or longer than TY_JSON_MAX_BYTES. */
struct ty_json *ty_job_history_parse(struct ty_arena *a, const struct ty_history_read_object *o);
/* For what holds a TrainJob and its JobSet: 32 MiB of text each, 24 times that as a tree. */
#define TY_JOB_HISTORY_CEILING ((size_t)4 << 30)

/* A TrainJob of a run. Lives with the arena it was read into. */
struct ty_job_history_entry {
    struct ty_history_db_run run;
    enum ty_history_read_run_state alive;
    const char *ns, *name;
    bool gone;
    struct ty_json *job, *jobset; /* jobset may be NULL */
};
/* Each TrainJob, newest run first. fn gets an arena that is emptied after the call; it returns
 * false to stop. d may be NULL. */
struct ty_job_history_query {
    struct ty_cli *cli;
    struct ty_history_db *d;
    const char *ns, *name; /* NULL any */
    int64_t run;           /* 0 any */
    bool (*fn)(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job);
    void *ctx;
};
int ty_job_history_query(const struct ty_job_history_query *q); /* gives an exit code */
/* Options that choose among TrainJobs of the same name: member `history`. */
struct ty_job_history_opts {
    const char *ns, *run;
};
/* clang-format off */
#define TY_OPTS_JOB_HISTORY(type)                                                                  \
    { "namespace", 'n', TY_OPT_WORD, "NAME", "only what is in this namespace", NULL,               \
      TY_OPT_AT(type, history.ns) },                                                               \
    { "run", 0, TY_OPT_WORD, "ID", "an older run of that name: see 'trainyard get -o wide'", NULL, \
      TY_OPT_AT(type, history.run) }
/* clang-format on */
/* The newest run of that name, or the one of --run; TY_EXIT_BAD and kubectl's sentence if there is
 * none, and whether a cluster has one (cluster_hint.h). Lives with the cli's arena. */
int ty_job_history_entry(struct ty_cli *cli, struct ty_history_db *d,
                         const struct ty_job_history_opts *opts, const char *name,
                         struct ty_job_history_entry *ret);
/* Opens the history and finds TrainJob `name`; checks --run first. */
int ty_job_history_open_job(struct ty_cli *cli, const struct ty_cmd *cmd,
                            const struct ty_job_history_opts *opts, const char *name,
                            struct ty_history_db **ret_d, struct ty_job_history_entry *ret);
int ty_job_history_not_found(struct ty_cli *cli, const struct ty_kind *kind, const char *name);
int ty_job_history_error(struct ty_cli *cli, const struct ty_err *err); /* TY_EXIT_BAD */
/* --run: 0 if it is not given, -1 and a sentence if it is no number. */
int64_t ty_job_history_run_id(struct ty_cli *cli, const struct ty_cmd *cmd,
                              const struct ty_job_history_opts *opts);

#endif
