/* The known kinds: their names in URLs and files, and their schemas. */
#ifndef TY_API_KIND_H
#define TY_API_KIND_H

#include "api/schema.h"

struct ty_kind {
    const char *group, *version, *kind, *plural, *singular;
    bool namespaced;
    const struct ty_schema *schema; /* of the whole object; NULL: not validated */
    bool ours;                      /* trainer.kubeflow.org: trainyard publishes its CRD */
};

extern const struct ty_kind ty_kind_trainjob, ty_kind_trainingruntime,
    ty_kind_clustertrainingruntime, ty_kind_jobset, ty_kind_configmap, ty_kind_secret,
    ty_kind_podgroup_cosched, ty_kind_podgroup_volcano, ty_kind_priorityclass, ty_kind_runtimeclass,
    ty_kind_limitrange, ty_kind_job, ty_kind_pod, ty_kind_service,
    ty_kind_pvc;                               /* PersistentVolumeClaim */
extern const struct ty_kind *const ty_kinds[]; /* NULL-terminated */

/* By the object's apiVersion and kind; NULL if unknown. */
const struct ty_kind *ty_kind_of(const struct ty_json *obj);
/* By kind, plural or singular, in any case ("trainjob", "TrainJobs"); the first match. */
const struct ty_kind *ty_kind_by_name(struct ty_str name);
/* "trainer.kubeflow.org/v1alpha1", or "v1" for the core group. */
const char *ty_kind_api_version(struct ty_arena *a, const struct ty_kind *k);

#endif
