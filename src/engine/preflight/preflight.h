/* Preflight check: lists everything in a JobSet that this machine cannot do, before anything
 * starts. */
#ifndef TY_ENGINE_PREFLIGHT_PREFLIGHT_H
#define TY_ENGINE_PREFLIGHT_PREFLIGHT_H

#include "engine/host.h"
#include "trainer/plan.h"

/* Finds everything that cannot be honoured here, before anything starts: one entry per finding, in
 * the words of docs/spec/jobset.md 5.10 ("unsupported locally: PATH: …" is the printer's part). */
struct ty_preflight_finding {
    const char *path, *text;
    bool error;           /* else a warning: no effect here */
    bool note;            /* neither: something that the user may not expect */
    const char *job;      /* the TrainJob whose JobSet this is; NULL before it is submitted */
    const char *resource; /* the machine has too little of this one; NULL: another reason */
    const char *field;    /* of the JobSet, if path is "JobSet"; else NULL */
    const char *value;    /* the field's, as JSON; NULL: none */
    bool in_trainjob;     /* path is a field of the TrainJob, not of the JobSet */
    struct ty_preflight_finding *next;
};
/* The pods that a replicated job of a TrainJob will have: JOB-RJOB-<replica>-<pod>. */
struct ty_preflight_pods {
    const char *job, *rjob;
    int64_t replicas, pods; /* pods of each replica */
    bool indexed;           /* else their names end with random letters */
    struct ty_preflight_pods *next;
};
struct ty_preflight_findings {
    struct ty_arena *arena;
    struct ty_preflight_finding *first, *last;
    size_t n_errors;
    struct ty_preflight_pods *pods, *last_pods;
};
/* Of every pod template of a JobSet, and what only the whole of it shows: devices wanted
 * by jobs that run together, claims of volumeClaimPolicies, placement, jobs that never start. The
 * findings of 5.11 that need no machine (gates, unknown keys) are the validators'. */
void ty_preflight_jobset(const struct ty_json *jobset, const struct ty_host *host,
                         const struct ty_view *view, struct ty_preflight_findings *ret);
/* Adds the pods that the JobSet will have to ret->pods. */
void ty_preflight_list_pods(const struct ty_json *jobset, struct ty_preflight_findings *ret);
/* A resource other than CPU, memory and storage: GPUs, network adapters, huge pages. */
bool ty_preflight_is_device(struct ty_str name);
/* Devices that the pods of a JobSet ask for at once: those of its largest stage. */
int64_t ty_preflight_gpus(struct ty_arena *a, const struct ty_json *jobset,
                          const struct ty_host *host);

#endif
