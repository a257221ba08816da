/* podSpecOverrides and podTemplateOverrides, which clients of v2.0 and v2.1 send and Kueue still
 * writes. Both lists are atomic, and their entries are applied in order: later ones win. */
#include "api/gen/gen.h"
#include "api/trainer_tables.h"

static const struct ty_field target_job_fields[] = {
    { .name = "name",
      .schema = &ty_schema_string,
      .flags = TY_F_REQUIRED | TY_F_ZERO,
      .doc = "Name of a replicated job in the runtime's template. A name that does not exist there "
             "is ignored, with a warning." },
    { .name = NULL },
};
static const struct ty_schema target_job =
    TY_OBJECT("PodTemplateOverrideTargetJob", target_job_fields);
/* v2.1 had no limits; these are far above what clients send, and bound the number of copies. */
enum { MAX_OVERRIDES = 128, MAX_TARGETS = 128 };
static const struct ty_schema target_jobs = {
    .type = TY_T_ARRAY, .items = &target_job, .max_items = MAX_TARGETS, .list_atomic = true
};

static const struct ty_schema mounts = { .type = TY_T_ARRAY,
                                         .items = &ty_schema_VolumeMount,
                                         .list_keys = ty_keys_name };

static const struct ty_field container_override_fields[] = {
    { .name = "name",
      .schema = &ty_schema_string,
      .flags = TY_F_REQUIRED | TY_F_ZERO,
      .doc = "Name of the container to change. It must exist in the runtime's template." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables to add, or to replace by name." },
    { .name = "volumeMounts",
      .schema = &mounts,
      .flags = TY_F_OMITZERO,
      .doc = "Volume mounts to add, or to replace by mountPath." },
    { .name = NULL },
};
static const struct ty_schema container_override =
    TY_OBJECT("ContainerOverride", container_override_fields);
static const struct ty_schema containers = { .type = TY_T_ARRAY,
                                             .items = &container_override,
                                             .list_keys = ty_keys_name };

/* Rows that both formats have. */
#define TARGET_JOBS                                                                                \
    {                                                                                              \
        .name = "targetJobs", .schema = &target_jobs, .flags = TY_F_REQUIRED,                      \
        .doc = "Replicated jobs that this entry changes. Without any, the entry has no effect."    \
    }
#define SERVICE_ACCOUNT_NAME                                                                       \
    {                                                                                              \
        .name = "serviceAccountName", .schema = &ty_schema_string,                                 \
        .doc = "Service account of the pods. If unset, the runtime's applies."                     \
    }
/* clang-format off */
#define TOLERATIONS_TO_SCHEDULING_GATES                                                            \
    { .name = "tolerations",                                                                       \
      .schema = &ty_schema_list_Toleration_atomic,                                                 \
      .flags = TY_F_OMITZERO,                                                                      \
      .doc = "Taints that the pods tolerate. Replaces the runtime's list." },                      \
    { .name = "volumes",                                                                           \
      .schema = &ty_schema_list_Volume_by_name,                                                    \
      .flags = TY_F_OMITZERO,                                                                      \
      .doc = "Volumes to add, or to replace by name." },                                           \
    { .name = "initContainers",                                                                    \
      .schema = &containers,                                                                       \
      .flags = TY_F_OMITZERO,                                                                      \
      .doc = "Changes to init containers of the runtime's template, by name." },                   \
    { .name = "containers",                                                                        \
      .schema = &containers,                                                                       \
      .flags = TY_F_OMITZERO,                                                                      \
      .doc = "Changes to containers of the runtime's template, by name." },                        \
    { .name = "schedulingGates",                                                                   \
      .schema = &ty_schema_list_PodSchedulingGate_by_name,                                         \
      .flags = TY_F_OMITZERO,                                                                      \
      .doc = "Scheduling gates to add. Pods stay Pending until every gate is removed." }
/* clang-format on */

/* ---- v2.1: spec.podTemplateOverrides ---- */

static const struct ty_field template_spec_fields[] = {
    SERVICE_ACCOUNT_NAME,
    TY_NODE_SELECTOR_FIELD,
    { .name = "affinity",
      .schema = &ty_schema_Affinity,
      .doc = "Affinity rules for scheduling the pods, merged into the runtime's." },
    TOLERATIONS_TO_SCHEDULING_GATES,
    { .name = "imagePullSecrets",
      .schema = &ty_schema_list_LocalObjectReference_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Secrets for pulling images, added to the runtime's." },
    { .name = NULL },
};
static const struct ty_schema template_spec =
    TY_OBJECT("PodTemplateSpecOverride", template_spec_fields);

static const struct ty_field template_override_fields[] = {
    TARGET_JOBS,
    TY_POD_METADATA_FIELD,
    { .name = "spec", .schema = &template_spec, .doc = "Changes to the pod spec." },
    { .name = NULL },
};
static const struct ty_schema template_override =
    TY_OBJECT("PodTemplateOverride", template_override_fields);
const struct ty_schema ty_schema_list_PodTemplateOverride = {
    .type = TY_T_ARRAY, .items = &template_override, .max_items = MAX_OVERRIDES, .list_atomic = true
};

/* ---- v2.0: spec.podSpecOverrides, the same without levels ---- */

static const struct ty_field spec_override_fields[] = {
    TARGET_JOBS,      SERVICE_ACCOUNT_NAME, TY_NODE_SELECTOR_FIELD, TOLERATIONS_TO_SCHEDULING_GATES,
    { .name = NULL },
};
static const struct ty_schema spec_override = TY_OBJECT("PodSpecOverride", spec_override_fields);
const struct ty_schema ty_schema_list_PodSpecOverride = {
    .type = TY_T_ARRAY, .items = &spec_override, .max_items = MAX_OVERRIDES, .list_atomic = true
};
