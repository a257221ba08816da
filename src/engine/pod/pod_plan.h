/* The plan of a pod on this machine: processes, environment, files. Pure: referenced objects are
 * read from the view, and nothing is created. */
#ifndef TY_ENGINE_POD_POD_PLAN_H
#define TY_ENGINE_POD_POD_PLAN_H

#include "engine/changes.h"
#include "engine/host.h"
#include "trainer/plan.h" /* struct ty_view */

enum ty_mount_kind {
    TY_MOUNT_SCRATCH, /* emptyDir: made fresh, gone with the pod */
    TY_MOUNT_MEMORY,  /* emptyDir on tmpfs */
    TY_MOUNT_HOST,    /* hostPath */
    TY_MOUNT_CLAIM,   /* a directory that stays, by claim name */
    TY_MOUNT_FILES,   /* files that the engine writes: configMap, secret, projected, downwardAPI */
};
struct ty_file {
    const char *path;   /* relative, no .. */
    struct ty_str data; /* may be borrowed from an object of the view: write it within the pass */
    unsigned mode;
    struct ty_file *next;
};
struct ty_volume {
    const char *name;
    enum ty_mount_kind kind;
    const char *host_path, *host_type; /* HOST */
    const char *claim;                 /* CLAIM */
    struct ty_file *files;             /* FILES */
    uint64_t files_hash;               /* FILES: names their directory, once they are written */
    bool secret;                       /* keep off the disk if possible, parent 0700 */
    struct ty_volume *next;
};
struct ty_mount {
    const struct ty_volume *volume;
    const char *path, *sub_path; /* absolute; relative or NULL */
    bool read_only;
    struct ty_mount *next;
};
enum ty_probe_kind { TY_PROBE_EXEC, TY_PROBE_TCP, TY_PROBE_HTTP, TY_PROBE_GRPC, TY_PROBE_SLEEP };
/* A probe, or a lifecycle handler: those have no thresholds (0), may be SLEEP (timeout_s long), and
 * run without a time limit of their own. */
struct ty_probe {
    enum ty_probe_kind kind;
    const char **argv;                     /* EXEC, NULL-terminated */
    const char *host, *http_path, *scheme; /* host NULL: the pod's address */
    const char *headers;                   /* "Name: value\r\n…" or NULL */
    int port;
    int64_t initial_delay_s, period_s, timeout_s, success, failure,
        grace_s; /* grace -1: the pod's */
};
/* An entry of restartPolicyRules: the first one that matches the exit code decides. */
struct ty_restart_rule {
    bool all;    /* RestartAllContainers, else Restart */
    bool not_in; /* NotIn, else In */
    const int *codes;
    size_t n_codes;
};
struct ty_container_plan {
    const char *name, *image;
    const char **argv, **env; /* NULL-terminated */
    const char *cwd;          /* NULL: the pod's own folder */
    struct ty_mount *mounts;
    bool init, sidecar;
    int restart; /* own restartPolicy: 0 the pod's, 'A'lways, 'O'nFailure, 'N'ever */
    const struct ty_restart_rule *rules;
    size_t n_rules;
    const struct ty_probe *startup, *liveness, *readiness; /* or NULL */
    const struct ty_probe *pre_stop, *post_start;          /* lifecycle handlers, or NULL */
    const char *message_path;                              /* terminationMessagePath */
    bool message_from_log;                                 /* FallbackToLogsOnError */
    int64_t cpu_limit_milli, memory_limit;                 /* 0: none */
    int64_t whole_cpus;      /* asks for whole cpus: pin to so many; 0 no */
    int64_t gpus;            /* devices it asks for */
    bool holder;             /* only runs sshd: a ready holder pod without a process (rule 3) */
    const char *initializer; /* "dataset" or "model": run our own instead of the image's program */
};
struct ty_pod_plan {
    const char *name, *ns, *uid;
    struct ty_container_plan *containers; /* init containers first, in order */
    size_t n, n_init;
    struct ty_volume *volumes;
    const char *hostname, *subdomain; /* subdomain NULL: none */
    const char **host_aliases;        /* lines of /etc/hosts, NULL-terminated */
    int64_t cpu_milli, memory, gpus;  /* what the whole pod asks the machine for; 0: nothing */
    char restart;                     /* 'O'nFailure or 'N'ever */
    int64_t grace_s;                  /* 30 */
    int64_t deadline_s;               /* activeDeadlineSeconds; 0 none */
    bool gated;                       /* schedulingGates: stays Pending */
};

/* Addresses and ports that the engine chose for this pod's JobSet. */
struct ty_pod_net {
    const char *address; /* of this pod: 127.x.y.z, or in its own network */
    bool own_network;    /* ports and interfaces are its own: nothing need be set or replaced */
    /* Stands for 29500 in env, args and ports, unless the number's own name says that it is none
     * ("--max-steps 29500", SEED=29500); 0: leave. */
    int master_port;
    /* "NAME=value" set before everything else (PATH, HOME, …); NULL-terminated. The texts are not
     * copied, and must outlive the plan: they are the same for thousands of pods. */
    const char *const *extra_env;
    bool rewrite_names; /* no private /etc/hosts: host names become addresses in env and args */
    /* address of a host name of the job, or NULL; used with rewrite_names. Only names with a dot
     * are looked up: the name of a job may be any word. */
    const char *(*lookup)(void *ctx, struct ty_str host);
    /* The port that stands for this one of a host of the job, where every pod listens on the same
     * (ty_net_task_port); NULL: ports stay. */
    int (*task_port)(void *ctx, struct ty_str host, int port, bool reserve);
    void *ctx;
};
/* pod: a whole Pod object (with labels, annotations, uid). Missing references are errors: locally
 * nothing will appear later. Lives with the arena. */
int ty_pod_plan_make(struct ty_arena *a, const struct ty_json *pod, const struct ty_host *host,
                     const struct ty_view *view, const struct ty_pod_net *net,
                     struct ty_pod_plan *ret, struct ty_err *err);

#endif
