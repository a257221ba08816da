/* The history of this machine as get, describe, logs, events, suspend, resume and delete read
 * it. */
#ifndef TY_CLI_HISTORY_JOB_HISTORY_H
#define TY_CLI_HISTORY_JOB_HISTORY_H

#include "base/map.h"
#include "cli/cli.h"
#include "store/history/history_read.h"
#include "json/json.h"

/* Opens the history and reports errors. Returns an exit code; without a history file TY_EXIT_OK
 * with *ret NULL, which the functions below accept as empty. */
int ty_job_history_open(struct ty_cli *cli, enum ty_history_db_mode use,
                        struct ty_history_db **ret);
static inline void ty_history_db_closep(struct ty_history_db **d)
{
    ty_history_db_close(*d);
}
#define ty_auto_history_db TY_AUTO(ty_history_db_closep) struct ty_history_db

/* Parses the object of a row; NULL: invalid JSON, or longer than TY_JSON_MAX_BYTES. */
struct ty_json *ty_job_history_parse(struct ty_arena *a, const struct ty_history_read_object *o);
/* Limit of arenas for a TrainJob and its JobSet: 32 MiB of text each, 24 times that as a tree. */
#define TY_JOB_HISTORY_CEILING ((size_t)4 << 30)

/* A TrainJob of a run, or of a cluster (cli/cluster/cluster_jobs.h): then run.id is 0, `alive` is
 * LIVE, and run.started_ms is its creation. Lives with the arena it was read into. */
struct ty_job_history_entry {
    struct ty_history_db_run run;
    enum ty_history_read_run_state alive;
    const char *ns, *name;
    bool gone;
    struct ty_json *job, *jobset; /* jobset may be NULL */
    bool jobset_unread;           /* of a cluster: it may exist, so restarts are unknown */
    const char *pod; /* host name of the pod by which it was found; NULL: by its own name */
};
/* Calls fn for each TrainJob, newest run first, with an arena that is emptied after the call; fn
 * returns false to stop. d may be NULL. */
struct ty_job_history_query {
    struct ty_cli *cli;
    struct ty_history_db *d;
    const char *ns, *name; /* NULL any */
    int64_t run;           /* 0 any */
    bool (*fn)(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job);
    void *ctx;
};
int ty_job_history_query(const struct ty_job_history_query *q); /* returns an exit code */
/* Options that choose among TrainJobs of the same name: member `history`. */
struct ty_job_history_opts {
    const char *ns, *run;
};
/* clang-format off */
#define TY_OPTS_JOB_HISTORY(type)                                                                  \
    { "namespace", 'n', TY_OPT_WORD, "NAME", "only objects of this namespace", NULL,               \
      TY_OPT_AT(type, history.ns) },                                                               \
    { "run", 0, TY_OPT_WORD, "ID", "an earlier run of that name: see 'trainyard get -o wide'",     \
      NULL, TY_OPT_AT(type, history.run) }
/* clang-format on */
/* The name in "ddp" or "trainjob/ddp", also with the plural or the group, as kubectl prints it. A
 * word of another kind is returned as it is: nothing has a slash in its name. */
const char *ty_job_history_name(const char *word);
/* The part after "KIND/", where the kind may have its group; NULL: another kind, or none. */
const char *ty_job_history_name_of_kind(const char *word, const struct ty_kind *kind);
/* Finds the TrainJob that `name` means in its newest run, or in --run: "ddp", "trainjob/ddp", or a
 * pod of it: "ddp-node-0-1", "pod/ddp-node-0-1-x7k2p". If there is none, prints kubectl's "not
 * found" and a hint about the cluster (cluster_hint.h) and returns TY_EXIT_BAD. Lives with the
 * cli's arena. */
int ty_job_history_entry(struct ty_cli *cli, struct ty_history_db *d,
                         const struct ty_job_history_opts *opts, const char *name,
                         struct ty_job_history_entry *ret);
/* The same without a message: *ret_found is false if there is none. */
int ty_job_history_find(struct ty_cli *cli, struct ty_history_db *d,
                        const struct ty_job_history_opts *opts, const char *name,
                        struct ty_job_history_entry *ret, bool *ret_found);
/* Opens the history and finds TrainJob `name`; checks --run first. */
int ty_job_history_open_job(struct ty_cli *cli, const struct ty_cmd *cmd,
                            const struct ty_job_history_opts *opts, const char *name,
                            struct ty_history_db **ret_d, struct ty_job_history_entry *ret);
int ty_job_history_not_found(struct ty_cli *cli, const struct ty_kind *kind, const char *name);
int ty_job_history_error(struct ty_cli *cli, const struct ty_err *err); /* TY_EXIT_BAD */
/* Parses --run: 0 if it is not given, -1 after a usage error if it is not a number. */
int64_t ty_job_history_run_id(struct ty_cli *cli, const struct ty_cmd *cmd,
                              const struct ty_job_history_opts *opts);

#endif
