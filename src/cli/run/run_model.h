/* The state of a run for its views: jobs, their nodes and the last state of each. Engine updates
 * fill it; renderers only read it. */
#ifndef TY_CLI_RUN_RUN_MODEL_H
#define TY_CLI_RUN_RUN_MODEL_H

#include "base/map.h"
#include "engine/engine.h"

enum { TY_RUN_LINE_MAX = 256, TY_RUN_CONDITIONS_MAX = 8 };

struct ty_run_node {
    struct ty_run_job *job;
    char *pod;         /* "job-node-0-1" */
    const char *name;  /* "node-0-1": part of it */
    const char *label; /* the same; "job/node-0-1" in a run of several jobs */
    char *own_label;   /* that, allocated; NULL: label is name */
    char *role;        /* "node", "launcher", "dataset-initializer" */
    int64_t index, attempt;
    enum ty_pod_phase phase;
    bool ready, stopping;
    int64_t began_ms, ended_ms; /* it ran from, to; 0 not yet */
    int restarts;
    int exit_code, exit_signal; /* code -1: none yet */
    bool by_us;                 /* it ended while the engine stopped it */
    char *container;            /* whose end that is; NULL none */
    char reason[32];            /* "StartError", "OOMKilled" …; or empty */
    /* Allocated when first set, because a run may have thousands of silent nodes. */
    char *error;                  /* error line from its log: "ValueError: boom" */
    struct ty_progress *progress; /* see ty_run_node_progress */
    char *last;                   /* its last line, clean */
    struct ty_run_node *prev, *next;
};

struct ty_run_job {
    char *name;
    int64_t began_ms, ended_ms;               /* ended: 0 not yet */
    int64_t restarts;                         /* of the JobSet */
    const char *result;                       /* "Complete", "Failed"; NULL not yet */
    char *message;                            /* of that condition; NULL */
    const struct ty_failure_summary *failure; /* at the end, the engine's; NULL before */
    struct ty_progress progress;              /* from trainerStatus */
    int64_t progress_ms;                      /* time of that update */
    struct ty_run_node *nodes, *last;         /* in the order of roles, then of names */
    size_t n_nodes, n_alive;
    struct {
        char type[32];
        uint64_t what;
    } shown_conditions[TY_RUN_CONDITIONS_MAX];
    size_t n_shown_conditions;
    struct ty_run_job *next;
};

struct ty_run_model { /* all zero is an empty one */
    struct ty_run_job *jobs, *last;
    struct ty_map nodes; /* pod -> struct ty_run_node */
    bool several;        /* TrainJobs: nodes are shown with the name of theirs */
};

void ty_run_model_done(struct ty_run_model *m);
struct ty_run_job *ty_run_model_job(struct ty_run_model *m, const char *name, int64_t ms);
struct ty_run_node *ty_run_model_node(struct ty_run_model *m, const char *job, const char *pod,
                                      int64_t ms);
/* Apply one update; they return the node or job that it is about. */
struct ty_run_node *ty_run_model_pod(struct ty_run_model *m, const struct ty_pod_update *news);
struct ty_run_node *ty_run_model_line(struct ty_run_model *m, const char *job, const char *pod,
                                      struct ty_str text, int64_t ms);
struct ty_run_job *ty_run_model_status(struct ty_run_model *m, const char *job,
                                       const struct ty_json *trainjob, int64_t ms);
void ty_run_model_progress(struct ty_run_node *n, const struct ty_progress *now);
/* False for a new state of a condition, which is then to be printed; true for a repetition. */
bool ty_run_model_condition_shown(struct ty_run_job *job, const struct ty_json *condition);

static inline bool ty_run_node_alive(const struct ty_run_node *n)
{
    return n->phase == TY_PENDING || n->phase == TY_RUNNING;
}
/* Progress of the node; all members unknown if it has reported none. */
const struct ty_progress *ty_run_node_progress(const struct ty_run_node *n);
/* A node by its name, its label or its pod's name. */
bool ty_run_node_is(const struct ty_run_node *n, const char *name);
/* Its end is the engine's doing: not if a container had failed by itself before. */
bool ty_run_node_stopped(const struct ty_run_node *n);
/* "exit code 0", "stopped", "segmentation fault (SIGSEGV)", "did not start" */
void ty_run_node_result(const struct ty_run_node *n, struct ty_buf *out);

#endif
