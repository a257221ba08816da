/* Pod summaries, parsed once per version of the Pod object. */
#ifndef TY_ENGINE_POD_POD_SUMMARY_CACHE_H
#define TY_ENGINE_POD_POD_SUMMARY_CACHE_H

#include "engine/pod/pod_summary.h"

struct ty_engine;
struct ty_stored;

const struct ty_pod_summary *ty_pod_summary_cache_get(struct ty_engine *e,
                                                      const struct ty_stored *pod);
void ty_pod_summary_cache_drop(struct ty_engine *e, const char *uid);
void ty_pod_summary_cache_done(struct ty_engine *e);

#endif
