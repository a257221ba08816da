/* Where get, describe and events read TrainJobs and what belongs to them: the history of this
 * machine (cli/history/history_source.c) or a cluster (cli/cluster/cluster_source.c). */
#ifndef TY_CLI_JOBS_JOB_SOURCE_H
#define TY_CLI_JOBS_JOB_SOURCE_H

#include "cli/history/job_history.h"
#include "cli/history/job_history_pods.h"
#include "cli/jobs/where.h"

struct ty_job_source;

/* A JobSet, Job or pod. Borrowed for the call. */
struct ty_job_object {
    struct ty_json *obj;
    const char *ns, *name, *uid;
    const char *job;   /* the name of its TrainJob */
    const char *place; /* a pod's host name, which a restarted pod keeps; else the name */
    int64_t run;       /* 0 on a cluster */
    bool gone;         /* of this machine: deleted; this is its last state */
    bool deleted;      /* of a watched cluster: the same, since the last call */
    bool cut_off;      /* its run ended without recording the object's end */
};

/* Borrowed for the call. */
struct ty_job_event {
    int64_t id, run; /* 0 on a cluster */
    const char *uid; /* "" on this machine */
    const char *kind, *name, *type, *reason, *message;
    int64_t count, first_ms, last_ms;
    const struct ty_json *obj; /* as the API server has it; NULL: of this machine */
};

/* Callbacks return false to stop; arenas are emptied after the call. */
typedef bool ty_job_source_job_fn(void *ctx, struct ty_arena *a,
                                  const struct ty_job_history_entry *job);
typedef bool ty_job_source_object_fn(void *ctx, struct ty_arena *a,
                                     const struct ty_job_object *obj);
typedef bool ty_job_source_event_fn(void *ctx, const struct ty_job_event *event);

/* All return an exit code, after an error message if it is not TY_EXIT_OK. */
struct ty_job_source_ops {
    bool runs; /* it numbers runs: --run and the column RUN exist */
    /* TrainJobs. name NULL: all. `gone` on a watched cluster: deleted since the last call. */
    int (*jobs)(struct ty_job_source *s, const char *name, ty_job_source_job_fn *fn, void *ctx);
    /* The TrainJob that a word of the command line means: "ddp", "trainjob/ddp", or a pod of it. If
     * there is none, prints "not found" and a hint. Lives with the cli's arena. */
    int (*find)(struct ty_job_source *s, const char *word, struct ty_job_history_entry *ret);
    /* JobSets, Jobs or pods of TrainJobs. named: the caller selects them by name, so that earlier
     * runs count, too. */
    int (*objects)(struct ty_job_source *s, const struct ty_kind *kind, bool named,
                   ty_job_source_object_fn *fn, void *ctx);
    /* The newest pod of each host name, sorted. *ret_why: why they cannot be read although the
     * TrainJob can, one sentence; else NULL. Live with the arena. */
    int (*pods)(struct ty_job_source *s, struct ty_arena *a, const struct ty_job_history_entry *job,
                struct ty_job_history_pod **ret, size_t *ret_n, const char **ret_why);
    /* Events of the TrainJob and of its objects, in the order of their last occurrence. job NULL:
     * of all TrainJobs; on this machine of the newest run. The arena is for what is read, which no
     * later call needs: a watch gives a new one to each call. *ret_why as for `pods`. */
    int (*events)(struct ty_job_source *s, struct ty_arena *a,
                  const struct ty_job_history_entry *job, ty_job_source_event_fn *fn, void *ctx,
                  const char **ret_why);
    /* Adds the failure summary as far as the pods tell it, in whole lines. NULL: the TrainJob's own
     * condition has all of it. */
    void (*failure)(struct ty_job_source *s, struct ty_arena *a,
                    const struct ty_job_history_entry *job, const struct ty_job_history_pod *pods,
                    size_t n, struct ty_buf *out);
    /* Returns when objects of the kind (or events: ty_kind_event) may have changed. On a cluster,
     * `jobs`, `objects` and `events` report from then on only what has changed, and the first two
     * what was deleted. */
    int (*wait)(struct ty_job_source *s, const struct ty_kind *kind);
    /* Prints a note about a TrainJob that is not on this side, but may be on the other. Returns
     * true if the other side is known to have it. */
    bool (*hint)(struct ty_job_source *s, const char *name);
    void (*free)(struct ty_job_source *s); /* takes */
};

struct ty_job_source {
    const struct ty_job_source_ops *ops;
    struct ty_cli *cli;
    bool empty; /* there is no history: nothing to wait for */
};

/* Opens the side that the options choose (where.h); cmd is for usage errors. all: -A. gives. */
int ty_job_source_open(struct ty_cli *cli, const struct ty_cmd *cmd,
                       const struct ty_where_opts *where, bool all, struct ty_job_source **ret);
static inline void ty_job_source_freep(struct ty_job_source **s)
{
    if (*s)
        (*s)->ops->free(*s);
}
#define ty_auto_job_source TY_AUTO(ty_job_source_freep) struct ty_job_source

#endif
