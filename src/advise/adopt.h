/* Computes what would change if this operator took over the TrainJobs of a cluster: runs admission
 * on every object and the pipeline on every job, and compares the result with the live objects.
 * Pure: over a snapshot that was read before. */
#ifndef TY_ADVISE_ADOPT_H
#define TY_ADVISE_ADOPT_H

#include "advise/cluster_reader.h"
#include "base/strlist.h"
#include "trainer/pipeline.h"

struct ty_adopt_in {
    struct ty_cluster_snapshot *snapshot; /* with the lists of TrainJobs, runtimes and JobSets */
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_json *hook_secret; /* with the status API's CA; NULL: not known. Needed only
                                          with the gate TrainJobStatus */
    int64_t now_s;
    const unsigned char *entropy; /* TY_ENTROPY bytes; keys created with it are discarded */
};

enum ty_adopt_result {
    TY_ADOPT_SAME,     /* the live objects are as we would apply them */
    TY_ADOPT_RUNNING,  /* frozen, as in v2.3.0: would not be touched */
    TY_ADOPT_FINISHED, /* would not be touched */
    TY_ADOPT_OTHERS,   /* managed by another controller, or being deleted */
    TY_ADOPT_NEW,      /* missing children would be created */
    TY_ADOPT_KEPT,     /* rendered differently today: its JobSet stays as it is (jobset_freeze.h) */
    TY_ADOPT_REPLACED, /* the same, but it has never had pods: re-created when it is next changed */
    TY_ADOPT_DIFFERS,  /* live objects would be changed */
    TY_ADOPT_REFUSED,  /* an update of it would not be admitted */
    TY_ADOPT_FAILS,    /* it cannot be rendered */
    TY_ADOPT_UNKNOWN,  /* something that it needs could not be read */
    TY_ADOPT_RESULTS,
};
extern const char *const ty_adopt_words[TY_ADOPT_RESULTS]; /* "same", "running", ... */

struct ty_adopt_reason {
    struct ty_adopt_reason *next;
    const char *path; /* of the field; "" none */
    const char *text;
    bool note; /* informational, not a reason against the switch */
};
struct ty_adopt_entry {
    struct ty_adopt_entry *next;
    const struct ty_kind *kind;
    struct ty_str ns, name;
    enum ty_adopt_result result;
    const char *text; /* the result in words */
    struct ty_adopt_reason *reasons, *last;
};

#define TY_ADOPT_KINDS 3
struct ty_adopt {
    struct ty_adopt_entry *first, *last; /* ClusterTrainingRuntimes, TrainingRuntimes, TrainJobs */
    const struct ty_kind *kinds[TY_ADOPT_KINDS]; /* in this order */
    size_t count[TY_ADOPT_KINDS][TY_ADOPT_RESULTS];
    struct ty_strlist because; /* reasons against the switch; none: it is safe */
};

/* Objects that passes would read and the snapshot does not have yet: snapshots, Secrets (their
 * metadata), classes. Returns how many; the list lives with the arena. Read them and call this
 * again until there are none: an object can lead to another. */
size_t ty_adopt_queries(struct ty_arena *a, const struct ty_adopt_in *in,
                        struct ty_cluster_query **ret);
/* Everything lives with the arena and the snapshot. */
void ty_adopt_evaluate(struct ty_arena *a, const struct ty_adopt_in *in, struct ty_adopt *ret);

#endif
