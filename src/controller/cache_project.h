/* What the operator keeps of an object that it watches: what passes and webhooks look at, no more,
 * so that ten thousand TrainJobs fit into tens of megabytes. */
#ifndef TY_CONTROLLER_CACHE_PROJECT_H
#define TY_CONTROLLER_CACHE_PROJECT_H

#include "api/kind.h"

/* NULL: nothing of it is needed (a ConfigMap that is neither a TrainJob's nor named like one).
 * Shares nodes with obj; lives with the arena. apiVersion and kind are always there; managedFields
 * never. TrainJobs, runtimes, LimitRanges, RuntimeClasses and PriorityClasses are kept whole; of
 * others who they are. Of a JobSet also spec.suspend, its status, and two that are no fields of
 * JobSets: in spec.mounts the names of the ConfigMaps and Secrets that its pods mount, in spec.gang
 * the policy ("coscheduling", "volcano") of the PodGroup of its name that they belong to. */
struct ty_json *ty_cache_project(struct ty_arena *a, const struct ty_kind *kind,
                                 const struct ty_json *obj);
/* The TrainJob that controls obj: its name; empty if none. *ret_uid may be NULL. */
struct ty_str ty_cache_project_owner(const struct ty_json *obj, struct ty_str *ret_uid);
/* The TrainJob that would have a child of this kind and name, and so stumbles over it if it is
 * somebody else's; empty: none. */
struct ty_str ty_cache_project_name_owner(const struct ty_kind *kind, struct ty_str name);

#endif
