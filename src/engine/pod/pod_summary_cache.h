/* Pod summaries, parsed once per version of the Pod object. */
#ifndef TY_ENGINE_POD_POD_SUMMARY_CACHE_H
#define TY_ENGINE_POD_POD_SUMMARY_CACHE_H

#include "base/map.h"
#include "engine/pod/pod_summary.h"

struct ty_stored;

struct ty_pod_summary_cache {
    struct ty_map by_uid; /* of the pod -> struct ty_pod_summary_entry */
};

/* Lives until the pod changes or is dropped. scratch is reset when the object has to be parsed. */
const struct ty_pod_summary *ty_pod_summary_cache_get(struct ty_pod_summary_cache *cache,
                                                      struct ty_arena *scratch,
                                                      const struct ty_stored *pod);
void ty_pod_summary_cache_drop(struct ty_pod_summary_cache *cache, const char *uid);
void ty_pod_summary_cache_done(struct ty_pod_summary_cache *cache);

#endif
