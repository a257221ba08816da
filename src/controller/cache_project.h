/* Projects a watched object to what passes and webhooks read, so that ten thousand TrainJobs fit
 * into tens of megabytes. */
#ifndef TY_CONTROLLER_CACHE_PROJECT_H
#define TY_CONTROLLER_CACHE_PROJECT_H

#include "api/kind.h"

/* NULL: nothing is needed (a ConfigMap that neither belongs to a TrainJob nor has the name of a
 * child). Shares nodes with obj; lives with the arena. apiVersion and kind are always there;
 * managedFields never. TrainJobs, runtimes, LimitRanges, RuntimeClasses and PriorityClasses are
 * stored whole; of other kinds the identity. Of a JobSet also spec.suspend, the status, and two
 * that are no fields of JobSets: spec.mounts, the names of the ConfigMaps and Secrets that its
 * pods mount, and spec.gang, the policy ("coscheduling", "volcano") of the PodGroup of its name
 * that they belong to. */
struct ty_json *ty_cache_project(struct ty_arena *a, const struct ty_kind *kind,
                                 const struct ty_json *obj);
/* The name of the TrainJob that controls obj; empty: none. *ret_uid may be NULL. */
struct ty_str ty_cache_project_owner(const struct ty_json *obj, struct ty_str *ret_uid);
/* The TrainJob whose child would have this kind and name, and would conflict with it if another
 * owner has it; empty: none. */
struct ty_str ty_cache_project_name_owner(const struct ty_kind *kind, struct ty_str name);

#endif
