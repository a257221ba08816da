/* TrainJob as v2.3.0 has it, field by field in Go's order, then what trainyard adds. */
#include "api/gen/gen.h"
#include "api/jobset_rules.h"
#include "api/trainer_rules.h"
#include "api/trainer_tables.h"

const char *const ty_keys_name[] = { "name", NULL };

const struct ty_schema ty_schema_name = { .type = TY_T_STRING, .min_len = 1, .max_len = 253 };
static const struct ty_schema string_253 = { .type = TY_T_STRING, .max_len = 253 };
static const struct ty_schema string_500 = { .type = TY_T_STRING, .max_len = 500 };
static const struct ty_schema word = { .type = TY_T_STRING, .max_len = 1048576 };
static const struct ty_schema words = {
    .type = TY_T_ARRAY, .items = &word, .max_items = 128, .list_atomic = true
};

const struct ty_schema ty_schema_list_EnvVar_128 = {
    .type = TY_T_ARRAY, .items = &ty_schema_EnvVar, .max_items = 128, .list_keys = ty_keys_name
};

/* ---- spec.runtimeRef ---- */

static const struct ty_field runtime_ref_fields[] = {
    { .name = "name",
      .schema = &ty_schema_name,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Name of the runtime, in the TrainJob's namespace unless its kind is cluster-wide." },
    { .name = "apiGroup",
      .schema = &string_253,
      .def = "\"trainer.kubeflow.org\"",
      .doc = "API group of the runtime." },
    { .name = "kind",
      .schema = &string_253,
      .def = "\"ClusterTrainingRuntime\"",
      .doc = "TrainingRuntime or ClusterTrainingRuntime." },
    { .name = NULL },
};
const struct ty_schema ty_schema_RuntimeRef = { .type = TY_T_OBJECT,
                                                .go = "RuntimeRef",
                                                .fields = runtime_ref_fields,
                                                .rules = ty_rules_immutable };

/* ---- spec.initializer ---- */

static const struct ty_rule storage_uri_rules[] = {
    { .cel = "self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')",
      .message = "storageUri may be empty, or it must be a valid URI (scheme://...)",
      .ok = ty_rule_storage_uri },
    { .cel = NULL },
};
static const struct ty_schema storage_uri = { .type = TY_T_STRING,
                                              .max_len = 2048,
                                              .rules = storage_uri_rules };

static const struct ty_field initializer_step_fields[] = {
    { .name = "storageUri",
      .schema = &storage_uri,
      .doc = "Where to fetch from, scheme://path; the initializer sees it as STORAGE_URI." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_128,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables of the initializer's container." },
    { .name = "secretRef",
      .schema = &ty_schema_LocalObjectReference,
      .doc =
          "Secret whose keys become environment variables of the initializer, for credentials." },
    { .name = NULL },
};
static const struct ty_schema dataset_initializer = { .type = TY_T_OBJECT,
                                                      .go = "DatasetInitializer",
                                                      .fields = initializer_step_fields };
static const struct ty_schema model_initializer = { .type = TY_T_OBJECT,
                                                    .go = "ModelInitializer",
                                                    .fields = initializer_step_fields };

static const struct ty_field initializer_fields[] = {
    { .name = "dataset",
      .schema = &dataset_initializer,
      .doc = "Settings of the job that downloads the dataset." },
    { .name = "model",
      .schema = &model_initializer,
      .doc = "Settings of the job that downloads the pre-trained model." },
    { .name = NULL },
};
static const struct ty_rule initializer_rules[] = {
    { .cel = "self == oldSelf",
      .message = "field is immutable",
      .transition = true,
      .ok = ty_rule_initializer_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_Initializer = { .type = TY_T_OBJECT,
                                                 .go = "Initializer",
                                                 .fields = initializer_fields,
                                                 .rules = initializer_rules };

/* ---- spec.trainer ---- */

/* v2.0 and v2.1 took words here. Integers: any int32, as the CRD of v2.3.0 has it; one that does
 * not fit would break typed clients' list calls for the whole namespace. */
static const struct ty_rule num_proc_rules[] = {
    { .cel = "type(self) == int ? self >= -2147483648 && self <= 2147483647 : "
             "self in ['auto', 'cpu', 'gpu']",
      .message = "must have an int value or [auto cpu gpu]",
      .ok = ty_rule_int_or_word },
    { .cel = NULL },
};
static const struct ty_schema num_proc = { .type = TY_T_INT_OR_STRING, .rules = num_proc_rules };

static const struct ty_field trainer_fields[] = {
    { .name = "image", .schema = &string_500, .doc = "Container image of the training nodes." },
    { .name = "command",
      .schema = &words,
      .flags = TY_F_OMITZERO,
      .doc = "Entrypoint of the training container, instead of the runtime's." },
    { .name = "args",
      .schema = &words,
      .flags = TY_F_OMITZERO,
      .doc = "Arguments of the entrypoint, instead of the runtime's." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_128,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables of the training container, added to the runtime's." },
    { .name = "numNodes", .schema = &ty_schema_int32, .doc = "Number of training nodes." },
    { .name = "resourcesPerNode",
      .schema = &ty_schema_ResourceRequirements,
      .doc = "Compute resources of each training node, merged into the runtime's." },
    { .name = "numProcPerNode",
      .schema = &num_proc,
      .flags = TY_F_OURS,
      .doc = "Processes on each node: a number, or auto, cpu, gpu to count the node's devices." },
    { .name = NULL },
};
static const struct ty_rule trainer_rules[] = {
    { .cel = "self == oldSelf",
      .message = "field is immutable",
      .transition = true,
      .ok = ty_rule_trainer_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_Trainer = {
    .type = TY_T_OBJECT, .go = "Trainer", .fields = trainer_fields, .rules = trainer_rules
};

/* ---- spec ---- */

static const struct ty_schema deadline = {
    .type = TY_T_INTEGER, .format = "int64", .has_min = true, .min = 1, .rules = ty_rules_immutable
};
static const struct ty_schema ttl = {
    .type = TY_T_INTEGER, .format = "int32", .has_min = true, .min = 0
};

static const struct ty_rule managed_by_rules[] = {
    { .cel = "self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']",
      .message = "ManagedBy must be trainer.kubeflow.org/trainjob-controller or "
                 "kueue.x-k8s.io/multikueue if set",
      .ok = ty_rule_managed_by },
    { .cel = "self == oldSelf",
      .message = "field is immutable",
      .transition = true,
      .ok = ty_rule_unchanged },
    { .cel = NULL },
};
static const struct ty_schema managed_by = { .type = TY_T_STRING,
                                             .max_len = 253,
                                             .rules = managed_by_rules };

static const struct ty_field train_job_spec_fields[] = {
    { .name = "runtimeRef",
      .schema = &ty_schema_RuntimeRef,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "The runtime that this TrainJob fills in." },
    { .name = "initializer",
      .schema = &ty_schema_Initializer,
      .doc = "What to download before training starts." },
    { .name = "trainer",
      .schema = &ty_schema_Trainer,
      .doc = "What to train with: image, command, nodes, resources." },
    { .name = "runtimePatches",
      .schema = &ty_schema_list_RuntimePatch,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to the runtime's template for this TrainJob alone, one entry per manager." },
    { .name = "suspend",
      .schema = &ty_schema_bool,
      .def = "false",
      .doc = "When true, no pods run; what ran is stopped." },
    { .name = "activeDeadlineSeconds",
      .schema = &deadline,
      .flags = TY_F_OMITZERO,
      .doc = "Seconds the TrainJob may run before it fails; counting starts anew on resume." },
    { .name = "managedBy",
      .schema = &managed_by,
      .def = "\"trainer.kubeflow.org/trainjob-controller\"",
      .doc = "The controller that is responsible: this one, or MultiKueue." },
    { .name = "ttlSecondsAfterFinished",
      .schema = &ttl,
      .flags = TY_F_OURS,
      .doc = "Seconds after which a finished TrainJob is deleted with all it owns." },
    { .name = "podTemplateOverrides",
      .schema = &ty_schema_list_PodTemplateOverride,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Older spelling (v2.1) of runtimePatches for the pods of named jobs." },
    { .name = "podSpecOverrides",
      .schema = &ty_schema_list_PodSpecOverride,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Older spelling (v2.0) of runtimePatches for the pods of named jobs." },
    { .name = "labels",
      .schema = &ty_schema_map_string,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Older spelling (v2.0, v2.1) of JobSet labels; now in runtimePatches." },
    { .name = "annotations",
      .schema = &ty_schema_map_string,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Older spelling (v2.0, v2.1) of JobSet annotations; now in runtimePatches." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainJobSpec = { .type = TY_T_OBJECT,
                                                  .go = "TrainJobSpec",
                                                  .fields = train_job_spec_fields };

/* ---- TrainJob ---- */

static const struct ty_field train_job_fields[] = {
    { .name = "apiVersion",
      .schema = &ty_schema_string,
      .flags = TY_F_OMITZERO,
      .doc = "Always trainer.kubeflow.org/v1alpha1." },
    { .name = "kind",
      .schema = &ty_schema_string,
      .flags = TY_F_OMITZERO,
      .doc = "Always TrainJob." },
    { .name = "metadata",
      .schema = &ty_schema_metadata,
      .flags = TY_F_ALWAYS,
      .doc = "Name, namespace, labels and annotations." },
    { .name = "spec",
      .schema = &ty_schema_TrainJobSpec,
      .flags = TY_F_OMITZERO,
      .doc = "What is wanted." },
    { .name = "status",
      .schema = &ty_schema_TrainJobStatus,
      .flags = TY_F_OMITZERO,
      .doc = "What was observed; written by the controller." },
    { .name = NULL },
};
static const struct ty_rule train_job_rules[] = {
    { .cel = "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
      .message = "metadata.name must match RFC 1035 DNS label format",
      .ok = ty_rule_name_is_label },
    { .cel = "size(self.metadata.name) <= 63",
      .message = "metadata.name must be no more than 63 characters",
      .ok = ty_rule_name_is_short },
    { .cel = NULL },
};
const struct ty_schema ty_schema_TrainJob = { .type = TY_T_OBJECT,
                                              .go = "TrainJob",
                                              .fields = train_job_fields,
                                              .rules = train_job_rules,
                                              .doc = "A training job: a runtime filled in." };
