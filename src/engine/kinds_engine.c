/* Kinds that only the engine makes: what runs below a JobSet. No schema: the templates they come
 * from were checked when the JobSet was admitted. */
#include "engine/change.h"

const struct ty_kind ty_kind_job = { .group = "batch",
                                     .version = "v1",
                                     .kind = "Job",
                                     .plural = "jobs",
                                     .singular = "job",
                                     .namespaced = true };
const struct ty_kind ty_kind_pod = { .group = "",
                                     .version = "v1",
                                     .kind = "Pod",
                                     .plural = "pods",
                                     .singular = "pod",
                                     .namespaced = true };
const struct ty_kind ty_kind_service = { .group = "",
                                         .version = "v1",
                                         .kind = "Service",
                                         .plural = "services",
                                         .singular = "service",
                                         .namespaced = true };
const struct ty_kind ty_kind_claim = { .group = "",
                                       .version = "v1",
                                       .kind = "PersistentVolumeClaim",
                                       .plural = "persistentvolumeclaims",
                                       .singular = "persistentvolumeclaim",
                                       .namespaced = true };
