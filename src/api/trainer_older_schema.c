/* What v2.0 and v2.1 clients send, and Kueue still writes: podSpecOverrides and
 * podTemplateOverrides. Both lists are atomic and their entries apply in order, later ones winning.
 */
#include "api/gen/gen.h"
#include "api/trainer_tables.h"

static const struct ty_field target_job_fields[] = {
    { .name = "name",
      .schema = &ty_schema_string,
      .flags = TY_F_REQUIRED | TY_F_ZERO,
      .doc = "Name of a replicated job of the runtime." },
    { .name = NULL },
};
static const struct ty_schema target_job = { .type = TY_T_OBJECT,
                                             .go = "PodTemplateOverrideTargetJob",
                                             .fields = target_job_fields };
/* v2.1 set no bounds; these are far above what any client sent, and keep copies of overrides few.
 */
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
      .doc = "Name of the container in the runtime's template." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables to add or replace." },
    { .name = "volumeMounts",
      .schema = &mounts,
      .flags = TY_F_OMITZERO,
      .doc = "Mounts to add, one per volume." },
    { .name = NULL },
};
static const struct ty_schema container_override = { .type = TY_T_OBJECT,
                                                     .go = "ContainerOverride",
                                                     .fields = container_override_fields };
static const struct ty_schema containers = { .type = TY_T_ARRAY,
                                             .items = &container_override,
                                             .list_keys = ty_keys_name };

/* ---- v2.1: spec.podTemplateOverrides ---- */

static const struct ty_field template_spec_fields[] = {
    { .name = "serviceAccountName",
      .schema = &ty_schema_string,
      .doc = "Service account of the pods." },
    { .name = "nodeSelector",
      .schema = &ty_schema_map_string,
      .flags = TY_F_OMITZERO,
      .doc = "Labels that a node must have." },
    { .name = "affinity",
      .schema = &ty_schema_Affinity,
      .doc = "Scheduling constraints of the pods." },
    { .name = "tolerations",
      .schema = &ty_schema_list_Toleration_atomic,
      .flags = TY_F_OMITZERO,
      .doc = "Taints that the pods tolerate." },
    { .name = "volumes",
      .schema = &ty_schema_list_Volume_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Volumes to add or replace, by name." },
    { .name = "initContainers",
      .schema = &containers,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to init containers, by name." },
    { .name = "containers",
      .schema = &containers,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to containers, by name." },
    { .name = "schedulingGates",
      .schema = &ty_schema_list_PodSchedulingGate_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Gates that hold the pods back from scheduling." },
    { .name = "imagePullSecrets",
      .schema = &ty_schema_list_LocalObjectReference_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Secrets for pulling images." },
    { .name = NULL },
};
static const struct ty_schema template_spec = { .type = TY_T_OBJECT,
                                                .go = "PodTemplateSpecOverride",
                                                .fields = template_spec_fields };

static const struct ty_field template_override_fields[] = {
    { .name = "targetJobs",
      .schema = &target_jobs,
      .flags = TY_F_REQUIRED,
      .doc = "The replicated jobs that this entry changes." },
    { .name = "metadata",
      .schema = &ty_schema_ObjectMeta,
      .doc = "Labels and annotations to add to the pods." },
    { .name = "spec", .schema = &template_spec, .doc = "Changes to the pods." },
    { .name = NULL },
};
static const struct ty_schema template_override = { .type = TY_T_OBJECT,
                                                    .go = "PodTemplateOverride",
                                                    .fields = template_override_fields };
const struct ty_schema ty_schema_list_PodTemplateOverride = {
    .type = TY_T_ARRAY, .items = &template_override, .max_items = MAX_OVERRIDES, .list_atomic = true
};

/* ---- v2.0: spec.podSpecOverrides, the same without levels ---- */

static const struct ty_field spec_override_fields[] = {
    { .name = "targetJobs",
      .schema = &target_jobs,
      .flags = TY_F_REQUIRED,
      .doc = "The replicated jobs that this entry changes." },
    { .name = "serviceAccountName",
      .schema = &ty_schema_string,
      .doc = "Service account of the pods." },
    { .name = "nodeSelector",
      .schema = &ty_schema_map_string,
      .flags = TY_F_OMITZERO,
      .doc = "Labels that a node must have." },
    { .name = "tolerations",
      .schema = &ty_schema_list_Toleration_atomic,
      .flags = TY_F_OMITZERO,
      .doc = "Taints that the pods tolerate." },
    { .name = "volumes",
      .schema = &ty_schema_list_Volume_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Volumes to add or replace, by name." },
    { .name = "initContainers",
      .schema = &containers,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to init containers, by name." },
    { .name = "containers",
      .schema = &containers,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to containers, by name." },
    { .name = "schedulingGates",
      .schema = &ty_schema_list_PodSchedulingGate_by_name,
      .flags = TY_F_OMITZERO,
      .doc = "Gates that hold the pods back from scheduling." },
    { .name = NULL },
};
static const struct ty_schema spec_override = { .type = TY_T_OBJECT,
                                                .go = "PodSpecOverride",
                                                .fields = spec_override_fields };
const struct ty_schema ty_schema_list_PodSpecOverride = {
    .type = TY_T_ARRAY, .items = &spec_override, .max_items = MAX_OVERRIDES, .list_atomic = true
};
