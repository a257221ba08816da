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

/* job_state.c: Suspended, Running, "Restarting 1/3", Complete, Failed, Interrupted, Terminating. */
const char *ty_job_state_text(struct ty_arena *a, const struct ty_job_history_entry *job);
const char *ty_job_state_nodes(struct ty_arena *a, const struct ty_job_history_entry *job);
const char *ty_job_state_progress(struct ty_arena *a,
                                  const struct ty_job_history_entry *job); /* "" unknown */
int64_t ty_job_state_restarts(const struct ty_job_history_entry *job);
/* Unix milliseconds; 0: it goes on; -1: nobody knows. */
int64_t ty_job_state_ended_ms(const struct ty_job_history_entry *job);
const char *ty_job_state_duration(struct ty_arena *a, const struct ty_job_history_entry *job,
                                  int64_t now_ms);

/* pod_state.c: as kubectl's STATUS column; Interrupted if it was cut off. */
const char *ty_pod_state_text(struct ty_arena *a, const struct ty_json *pod, bool cut_off,
                              bool gone);
int64_t ty_pod_state_restarts(const struct ty_json *pod);
const char *ty_pod_state_ready(struct ty_arena *a, const struct ty_json *pod); /* "1/1" */
/* One container's: "Running", "Completed", "Error", "Waiting". exit: "7", "signal 15", "". */
const char *ty_pod_state_container(struct ty_arena *a, const struct ty_json *status, bool cut_off);
const char *ty_pod_state_container_exit(struct ty_arena *a, const struct ty_json *status);

/* job_history_pods.c: the pods of a TrainJob's run, the newest of each host name, in the order of
 * their names. */
struct ty_job_history_pod {
    const char *host, *node; /* node: host without "JOB-" */
    struct ty_json *obj;
    int64_t version;
    bool gone;
};
int ty_job_history_pods(struct ty_cli *cli, struct ty_history_db *d, struct ty_arena *a,
                        const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                        size_t *ret_n);
/* "t-node-0-1" or "node-0-1" of job t. */
bool ty_job_history_pod_is(const struct ty_job_history_pod *pod, const char *node);

/* events_view.c: a table as kubectl events has it, or a List. job NULL: all of the run. */
int ty_events_view_print(struct ty_cli *cli, struct ty_history_db *d,
                         const struct ty_history_read_filter *which, const char *output,
                         const char *indent);

/* objects_view.c: one object, or a v1 List. output: json, yaml, name. */
int ty_objects_view_print(struct ty_cli *cli, struct ty_json *const *objs, size_t n, bool list,
                          const char *output);

extern const char *const ty_job_history_outputs[]; /* json yaml name wide */
#endif
