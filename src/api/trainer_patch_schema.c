/* spec.runtimePatches: the parts of a runtime's template that a TrainJob may change. Types have the
 * names of the template's types with the suffix Patch. */
#include "api/gen/gen.h"
#include "api/rule_jobset.h"
#include "api/rule_trainer.h"
#include "api/trainer_tables.h"

/* ---- pods ---- */

static const struct ty_schema account = { .type = TY_T_STRING,
                                          .max_len = 253,
                                          .rules = ty_rules_immutable };
static const struct ty_schema grace = {
    .type = TY_T_INTEGER, .format = "int64", .has_min = true, .min = 0, .rules = ty_rules_immutable
};
static const struct ty_schema volumes = { .type = TY_T_ARRAY,
                                          .items = &ty_schema_Volume,
                                          .max_items = 128,
                                          .list_keys = ty_keys_name,
                                          .rules = ty_rules_immutable_by_name };
static const struct ty_schema pull_secrets = { .type = TY_T_ARRAY,
                                               .items = &ty_schema_LocalObjectReference,
                                               .max_items = 64,
                                               .list_keys = ty_keys_name,
                                               .rules = ty_rules_immutable_by_name };
static const struct ty_schema tolerations = {
    .type = TY_T_ARRAY, .items = &ty_schema_Toleration, .max_items = 128, .list_atomic = true
};
static const struct ty_schema gates = { .type = TY_T_ARRAY,
                                        .items = &ty_schema_PodSchedulingGate,
                                        .max_items = 16,
                                        .list_keys = ty_keys_name };
/* One mount for each volume and patch; pods identify mounts by their path instead. */
static const struct ty_schema mounts = {
    .type = TY_T_ARRAY, .items = &ty_schema_VolumeMount, .max_items = 128, .list_keys = ty_keys_name
};

static const struct ty_field container_patch_fields[] = {
    { .name = "name",
      .schema = &ty_schema_name,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Name of the container to patch. It must exist in the runtime's template." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_128,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables to add, or to replace by name. Not allowed for the containers "
             "node, dataset-initializer and model-initializer: use spec.trainer.env or "
             "spec.initializer instead." },
    { .name = "volumeMounts",
      .schema = &mounts,
      .flags = TY_F_OMITZERO,
      .doc = "Volume mounts to add, or to replace by mountPath. A patch can mount each volume once "
             "per container." },
    { .name = "securityContext",
      .schema = &ty_schema_SecurityContext,
      .doc = "Container security settings, merged field by field into the runtime's." },
    { .name = NULL },
};
static const struct ty_schema container_patch = TY_OBJECT("ContainerPatch", container_patch_fields);
static const struct ty_rule containers_rules[] = {
    TY_IMMUTABLE(ty_rule_containers_unchanged),
    { .cel = NULL },
};
const struct ty_schema ty_schema_list_ContainerPatch = { .type = TY_T_ARRAY,
                                                         .items = &container_patch,
                                                         .max_items = 64,
                                                         .list_keys = ty_keys_name,
                                                         .rules = containers_rules };

static const struct ty_schema security =
    TY_OBJECT("PodSecurityContext", ty_fields_PodSecurityContext, .rules = ty_rules_immutable);

static const struct ty_field pod_spec_patch_fields[] = {
    { .name = "serviceAccountName",
      .schema = &account,
      .doc = "Service account of the pods. If unset, the runtime's applies. Immutable once set." },
    { .name = "volumes",
      .schema = &volumes,
      .flags = TY_F_OMITZERO,
      .doc = "Volumes to add, or to replace by name. Immutable once set." },
    { .name = "initContainers",
      .schema = &ty_schema_list_ContainerPatch,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to init containers of the runtime's template, by name. Immutable once set." },
    { .name = "containers",
      .schema = &ty_schema_list_ContainerPatch,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to containers of the runtime's template, by name. Immutable once set." },
    { .name = "imagePullSecrets",
      .schema = &pull_secrets,
      .flags = TY_F_OMITZERO,
      .doc = "Secrets for pulling images, added to the runtime's. Immutable once set." },
    { .name = "securityContext",
      .schema = &security,
      .doc =
          "Pod security settings, merged field by field into the runtime's. Immutable once set." },
    TY_NODE_SELECTOR_FIELD,
    { .name = "affinity",
      .schema = &ty_schema_Affinity,
      .doc = "Affinity rules for scheduling the pods, merged field by field into the runtime's; "
             "lists of terms are replaced." },
    { .name = "tolerations",
      .schema = &tolerations,
      .flags = TY_F_OMITZERO,
      .doc = "Taints that the pods tolerate. Replaces the runtime's list; if unset, the runtime's "
             "list applies." },
    { .name = "schedulingGates",
      .schema = &gates,
      .flags = TY_F_OMITZERO,
      .doc = "Scheduling gates to add. Pods stay Pending until every gate is removed." },
    { .name = "terminationGracePeriodSeconds",
      .schema = &grace,
      .doc = "Seconds between SIGTERM and SIGKILL when a pod is stopped. Defaults to the runtime's "
             "value, or to 30. Immutable once set." },
    { .name = NULL },
};
static const struct ty_schema pod_spec_patch = TY_OBJECT("PodSpecPatch", pod_spec_patch_fields);

static const struct ty_field pod_template_patch_fields[] = {
    TY_POD_METADATA_FIELD,
    { .name = "spec", .schema = &pod_spec_patch, .doc = "Changes to the pod spec." },
    { .name = NULL },
};
static const struct ty_schema pod_template_patch =
    TY_OBJECT("PodTemplatePatch", pod_template_patch_fields);

/* ---- jobs and the JobSet ---- */

static const struct ty_field job_spec_patch_fields[] = {
    { .name = "template",
      .schema = &pod_template_patch,
      .doc = "Changes to the pod template of the Job." },
    { .name = NULL },
};
static const struct ty_schema job_spec_patch = TY_OBJECT("JobSpecPatch", job_spec_patch_fields);

static const struct ty_field job_template_patch_fields[] = {
    { .name = "metadata",
      .schema = &ty_schema_ObjectMeta,
      .doc = "Labels and annotations to add to the Jobs." },
    { .name = "spec", .schema = &job_spec_patch, .doc = "Changes to the Job spec." },
    { .name = NULL },
};
static const struct ty_schema job_template_patch =
    TY_OBJECT("JobTemplatePatch", job_template_patch_fields);

static const struct ty_field replicated_job_patch_fields[] = {
    { .name = "name",
      .schema = &ty_schema_name,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Name of the replicated job to patch. It must exist in the runtime's template." },
    { .name = "template",
      .schema = &job_template_patch,
      .doc = "Changes to the Job template of this replicated job." },
    { .name = NULL },
};
static const struct ty_schema replicated_job_patch =
    TY_OBJECT("ReplicatedJobPatch", replicated_job_patch_fields);
static const struct ty_schema replicated_jobs = {
    .type = TY_T_ARRAY, .items = &replicated_job_patch, .max_items = 100, .list_keys = ty_keys_name
};

static const struct ty_field job_set_spec_patch_fields[] = {
    { .name = "replicatedJobs",
      .schema = &replicated_jobs,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to replicated jobs of the runtime's template, by name. Jobs that are not "
             "listed stay as they are." },
    { .name = NULL },
};
static const struct ty_schema job_set_spec_patch =
    TY_OBJECT("JobSetSpecPatch", job_set_spec_patch_fields);

static const struct ty_field job_set_template_patch_fields[] = {
    { .name = "metadata",
      .schema = &ty_schema_ObjectMeta,
      .doc = "Labels and annotations to add to the JobSet; a key that the runtime's template also "
             "has is overwritten." },
    { .name = "spec", .schema = &job_set_spec_patch, .doc = "Changes to the JobSet spec." },
    { .name = NULL },
};
static const struct ty_schema job_set_template_patch =
    TY_OBJECT("JobSetTemplatePatch", job_set_template_patch_fields);

static const struct ty_field runtime_spec_patch_fields[] = {
    { .name = "template",
      .schema = &job_set_template_patch,
      .doc = "Changes to the JobSet template of the runtime." },
    { .name = NULL },
};
static const struct ty_schema runtime_spec_patch =
    TY_OBJECT("TrainingRuntimeSpecPatch", runtime_spec_patch_fields);

/* ---- one patch ---- */

static const struct ty_schema manager = {
    .type = TY_T_STRING, .min_len = 1, .max_len = 253, .rules = ty_rules_immutable
};
static const struct ty_field runtime_patch_fields[] = {
    { .name = "manager",
      .schema = &manager,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "User or controller that owns this patch, written as domain/path, for example "
             "kueue.x-k8s.io/manager. Each manager has at most one patch. Immutable." },
    { .name = "time",
      .schema = &ty_schema_time,
      .doc = "Time of the last change to this patch. Set by the admission webhook." },
    { .name = "trainingRuntimeSpec",
      .schema = &runtime_spec_patch,
      .doc = "Changes to the spec of the runtime. A patch without it has no effect." },
    { .name = NULL },
};
const struct ty_schema ty_schema_RuntimePatch = TY_OBJECT("RuntimePatch", runtime_patch_fields);
static const char *const keys_manager[] = { "manager", NULL };
const struct ty_schema ty_schema_list_RuntimePatch = {
    .type = TY_T_ARRAY, .items = &ty_schema_RuntimePatch, .max_items = 16, .list_keys = keys_manager
};
