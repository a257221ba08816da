/* What would happen if this operator took over the TrainJobs of a cluster: every object through our
 * admission, every job through our pipeline, and what we would write beside what is there. Pure:
 * over a snapshot that was read before. */
#ifndef TY_ADVISE_ADOPT_H
#define TY_ADVISE_ADOPT_H

#include "advise/cluster_reader.h"
#include "base/strlist.h"
#include "trainer/pipeline.h"

struct ty_adopt_in {
    struct ty_cluster_snapshot *snapshot; /* with the lists of TrainJobs, runtimes and JobSets */
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_json *hook_secret; /* as the status API's CA is known; NULL: it is not. Needed
                                          only with the gate TrainJobStatus */
    int64_t now_s;
    const unsigned char *entropy; /* TY_ENTROPY bytes; keys made of it go nowhere */
};

enum ty_adopt_result {
    TY_ADOPT_SAME,     /* what we would apply is there */
    TY_ADOPT_RUNNING,  /* frozen, as in v2.3.0: would not be touched */
    TY_ADOPT_FINISHED, /* would not be touched */
    TY_ADOPT_OTHERS,   /* managed by somebody else, or being deleted */
    TY_ADOPT_NEW,      /* children would be made that are not there yet */
    TY_ADOPT_KEPT,     /* rendered otherwise today: its JobSet stays as it is (jobset_freeze.h) */
    TY_ADOPT_REPLACED, /* the same, but it has never had pods: re-created when it is next changed */
    TY_ADOPT_DIFFERS,  /* what is there would be changed */
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
    bool note; /* worth knowing, not a reason */
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
    struct ty_strlist because; /* why not to switch; none: it is safe */
};

/* What else the passes would look at, and nobody has asked for yet: snapshots, Secrets (their
 * metadata), classes. Gives how many; the list lives with the arena. Ask, look, and ask again until
 * there are none: an object can lead to another. */
size_t ty_adopt_queries(struct ty_arena *a, const struct ty_adopt_in *in,
                        struct ty_cluster_query **ret);
/* All lives with the arena and the snapshot. */
void ty_adopt_evaluate(struct ty_arena *a, const struct ty_adopt_in *in, struct ty_adopt *ret);

#endif
