/* What a Pod means on this machine: processes, environment, files. Pure: everything a pod refers to
 * comes through the view; nothing is created here. */
#ifndef TY_ENGINE_POD_POD_PLAN_H
#define TY_ENGINE_POD_POD_PLAN_H

#include "engine/changes.h"
#include "trainer/plan.h" /* struct ty_view */

/* The machine, as the engine found or was told. */
struct ty_host {
    int uid, gid;              /* who we are */
    bool root, mounts, pid_ns; /* may change ids; private mounts work; pid namespaces work */
    int64_t cpus, memory;      /* bytes */
    const char *const
        *gpus;           /* device indexes as NVIDIA/ROCm name them ("0", "1"); NULL-terminated */
    const char *gpu_var; /* "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES" */
    const char *gpu_resource;     /* "nvidia.com/gpu", "amd.com/gpu" */
    const struct ty_json *labels; /* configured host labels for nodeSelector; may be NULL */
    const struct ty_json *claims; /* claim name -> directory, configured; may be NULL */
    const char *no_mounts;        /* why `mounts` is false, in words; may be NULL */
    const char *token;    /* what a projected serviceAccountToken holds; NULL: no issuer, refused */
    const char *audience; /* whom that token is for; one for others is refused. NULL: for anybody */
    bool cgroup_cpu, cgroup_memory; /* limits of these are enforced by cgroups */
    int64_t pods_most;              /* at once; 0: any number */
    const char *pods_why;           /* what sets that limit, in words */
    bool one_address;               /* all pods share one address: equal ports collide */
};

/* Finds everything that cannot be honoured here, before anything starts: one entry per finding, in
 * the words of docs/spec/jobset.md 5.10 ("unsupported locally: PATH: …" is the printer's part). */
struct ty_preflight_finding {
    const char *path, *text;
    bool error; /* else a warning: no effect here */
    struct ty_preflight_finding *next;
};
struct ty_preflight_findings {
    struct ty_arena *arena;
    struct ty_preflight_finding *first, *last;
    size_t n_errors, n_warnings;
};
/* A pod template at `path` of a JobSet; `at_once`: how many such pods run together. */
void ty_preflight_template(const struct ty_json *pod_template, const struct ty_host *host,
                           const struct ty_view *view, struct ty_str ns, const char *path,
                           int64_t at_once, struct ty_preflight_findings *ret);

/* The same for every pod template of a JobSet, and what only the whole of it shows: devices wanted
 * by jobs that run together, claims of volumeClaimPolicies, placement, jobs that never start. The
 * findings of 5.11 that need no machine (gates, unknown keys) are the validators'. */
void ty_preflight_jobset(const struct ty_json *jobset, const struct ty_host *host,
                         const struct ty_view *view, struct ty_preflight_findings *ret);
/* Devices that the pods of a JobSet ask for at once: those of its largest stage. */
int64_t ty_preflight_gpus(struct ty_arena *a, const struct ty_json *jobset,
                          const struct ty_host *host);

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
    const char *address; /* 127.x.y.z of this pod */
    /* Stands for 29500 in env, args and ports, unless the number's own name says that it is none
     * ("--max-steps 29500", SEED=29500); 0: leave. */
    int master_port;
    /* "NAME=value" set before everything else (PATH, HOME, …); NULL-terminated. The texts are not
     * copied, and must outlive the plan: they are the same for thousands of pods. */
    const char *const *extra_env;
    bool rewrite_names; /* no private /etc/hosts: host names become addresses in env and args */
    /* address of a host name of the job, or NULL; used with rewrite_names. Only names with a dot
     * are asked for: the job's own name may be any word. */
    const char *(*lookup)(void *ctx, struct ty_str host);
    void *ctx;
};
/* pod: a whole Pod object (with labels, annotations, uid). Missing references are errors: locally
 * nothing will appear later. Lives with the arena. */
int ty_pod_plan_make(struct ty_arena *a, const struct ty_json *pod, const struct ty_host *host,
                     const struct ty_view *view, const struct ty_pod_net *net,
                     struct ty_pod_plan *ret, struct ty_err *err);

/* Sets a variable in a made plan, instead of what has that name. For what is known only when the
 * pod is about to run: the devices it got (host->gpu_var), its folders. */
void ty_pod_plan_setenv(struct ty_arena *a, struct ty_container_plan *c, const char *name,
                        const char *value);

/* $(VAR) expansion (docs/spec/jobset.md 5.7): `env` is a NULL-terminated list of NAME=value. */
char *ty_env_expand(struct ty_arena *a, struct ty_str text, const char *const *env);

#endif
