/* TrainJob as in v2.3.0, fields in Go's order, followed by the extensions of trainyard. */
#include "api/gen/gen.h"
#include "api/rule_jobset.h"
#include "api/rule_trainer.h"
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
      .doc = "Name of the runtime. A TrainingRuntime is looked up in the TrainJob's namespace, a "
             "ClusterTrainingRuntime in the cluster; if it does not exist, the TrainJob is "
             "rejected on create." },
    { .name = "apiGroup",
      .schema = &string_253,
      .def = "\"trainer.kubeflow.org\"",
      .doc =
          "API group of the runtime. Defaults to trainer.kubeflow.org, the only supported group." },
    { .name = "kind",
      .schema = &string_253,
      .def = "\"ClusterTrainingRuntime\"",
      .doc =
          "Kind of the runtime: TrainingRuntime or ClusterTrainingRuntime, which is the default." },
    { .name = NULL },
};
const struct ty_schema ty_schema_RuntimeRef =
    TY_OBJECT("RuntimeRef", runtime_ref_fields, .rules = ty_rules_immutable);

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
      .doc = "URI to download from, such as hf://org/name or s3://bucket/path, passed to the "
             "initializer as STORAGE_URI. If unset, the runtime's own STORAGE_URI applies." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_128,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables for the initializer container. They are set after STORAGE_URI "
             "and override variables of the same name." },
    { .name = "secretRef",
      .schema = &ty_schema_LocalObjectReference,
      .doc = "Secret in the TrainJob's namespace whose keys become environment variables of the "
             "initializer, for example an access token. If unset, no Secret is added." },
    { .name = NULL },
};
static const struct ty_schema dataset_initializer =
    TY_OBJECT("DatasetInitializer", initializer_step_fields);
static const struct ty_schema model_initializer =
    TY_OBJECT("ModelInitializer", initializer_step_fields);

static const struct ty_field initializer_fields[] = {
    { .name = "dataset",
      .schema = &dataset_initializer,
      .doc = "Settings of the runtime's dataset-initializer job. If unset, that job runs as the "
             "runtime defines it; if set, the runtime must have one." },
    { .name = "model",
      .schema = &model_initializer,
      .doc = "Settings of the runtime's model-initializer job. If unset, that job runs as the "
             "runtime defines it; if set, the runtime must have one." },
    { .name = NULL },
};
static const struct ty_rule initializer_rules[] = {
    TY_IMMUTABLE(ty_rule_initializer_unchanged),
    { .cel = NULL },
};
const struct ty_schema ty_schema_Initializer =
    TY_OBJECT("Initializer", initializer_fields, .rules = initializer_rules);

/* ---- spec.trainer ---- */

/* v2.0 and v2.1 accepted strings here. Integers: any int32, as in the CRD of v2.3.0; a larger one
 * would break list calls of typed clients for the whole namespace. */
static const struct ty_rule num_proc_rules[] = {
    { .cel = "type(self) == int ? self >= -2147483648 && self <= 2147483647 : "
             "self in ['auto', 'cpu', 'gpu']",
      .message = "must have an int value or [auto cpu gpu]",
      .ok = ty_rule_int_or_word },
    { .cel = NULL },
};
static const struct ty_schema num_proc = { .type = TY_T_INT_OR_STRING, .rules = num_proc_rules };

static const struct ty_field trainer_fields[] = {
    { .name = "image",
      .schema = &string_500,
      .doc = "Container image of the training nodes. Replaces the runtime's image; if unset, the "
             "runtime's image is used." },
    { .name = "command",
      .schema = &words,
      .flags = TY_F_OMITZERO,
      .doc = "Entrypoint of the training container. Replaces the runtime's command, and an empty "
             "list removes it; if unset, the runtime's command is used." },
    { .name = "args",
      .schema = &words,
      .flags = TY_F_OMITZERO,
      .doc = "Arguments of the entrypoint. Replace the runtime's args, and an empty list removes "
             "them; if unset, the runtime's args are used." },
    { .name = "env",
      .schema = &ty_schema_list_EnvVar_128,
      .flags = TY_F_OMITZERO,
      .doc = "Environment variables for the training container, merged into the runtime's by name. "
             "Variables that the ML policy reserves, such as PET_NNODES, are rejected." },
    { .name = "numNodes",
      .schema = &ty_schema_int32,
      .doc = "Number of training nodes, one pod each. Defaults to the runtime's mlPolicy.numNodes; "
             "a value below 1 starts no training." },
    { .name = "resourcesPerNode",
      .schema = &ty_schema_ResourceRequirements,
      .doc = "Compute resources of each training node, merged by resource name into the runtime's; "
             "a value given here wins. If unset, the runtime's resources apply." },
    { .name = "numProcPerNode",
      .schema = &num_proc,
      .flags = TY_F_OURS,
      .doc = "Number of training processes per node: an integer, or auto, cpu or gpu to derive it "
             "from the node's resources. Defaults to the runtime's value, and to auto under torch; "
             "jax and xgboost do not use it." },
    { .name = NULL },
};
static const struct ty_rule trainer_rules[] = {
    TY_IMMUTABLE(ty_rule_trainer_unchanged),
    { .cel = NULL },
};
const struct ty_schema ty_schema_Trainer =
    TY_OBJECT("Trainer", trainer_fields, .rules = trainer_rules);

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
    TY_IMMUTABLE(ty_rule_unchanged),
    { .cel = NULL },
};
static const struct ty_schema managed_by = { .type = TY_T_STRING,
                                             .max_len = 253,
                                             .rules = managed_by_rules };

static const struct ty_field train_job_spec_fields[] = {
    { .name = "runtimeRef",
      .schema = &ty_schema_RuntimeRef,
      .flags = TY_F_REQUIRED | TY_F_OMITZERO,
      .doc = "Runtime that supplies the JobSet template and the ML policy of this TrainJob. "
             "Required and immutable." },
    { .name = "initializer",
      .schema = &ty_schema_Initializer,
      .doc = "Dataset and model to download before training starts. If unset, initializer jobs run "
             "as the runtime defines them. Immutable." },
    { .name = "trainer",
      .schema = &ty_schema_Trainer,
      .doc = "Image, command, environment, node count and resources of the training nodes. Unset "
             "fields come from the runtime. Immutable." },
    { .name = "runtimePatches",
      .schema = &ty_schema_list_RuntimePatch,
      .flags = TY_F_OMITZERO,
      .doc = "Changes to the runtime's template that apply to this TrainJob only, one entry per "
             "manager, merged in list order. They can change only while the TrainJob is suspended. "
             "Without entries the template is used unchanged." },
    { .name = "suspend",
      .schema = &ty_schema_bool,
      .def = "false",
      .doc = "Set to true to create the JobSet without pods, or to stop the pods of a running job; "
             "set back to false to start them again. Defaults to false." },
    { .name = "activeDeadlineSeconds",
      .schema = &deadline,
      .flags = TY_F_OMITZERO,
      .doc = "Seconds the TrainJob may run, counted from its creation or its last resume. After "
             "that it fails with reason DeadlineExceeded and its JobSet is deleted. If unset, "
             "there is no limit. Immutable." },
    { .name = "managedBy",
      .schema = &managed_by,
      .def = "\"trainer.kubeflow.org/trainjob-controller\"",
      .doc = "Controller that reconciles this TrainJob: trainer.kubeflow.org/trainjob-controller "
             "(the default) or kueue.x-k8s.io/multikueue, in which case the operator ignores it. "
             "Immutable." },
    { .name = "ttlSecondsAfterFinished",
      .schema = &ttl,
      .flags = TY_F_OURS,
      .doc = "Seconds after completion or failure until the TrainJob and the objects it owns are "
             "deleted; 0 deletes them at once. If unset, they are kept." },
    { .name = "podTemplateOverrides",
      .schema = &ty_schema_list_PodTemplateOverride,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Pod template changes for named replicated jobs in the v2.1 format, applied in order "
             "before runtimePatches. Use runtimePatches in new manifests." },
    { .name = "podSpecOverrides",
      .schema = &ty_schema_list_PodSpecOverride,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Pod spec changes for named replicated jobs in the v2.0 format, applied in order "
             "before runtimePatches. Use runtimePatches in new manifests." },
    { .name = "labels",
      .schema = &ty_schema_map_string,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Labels to add to the JobSet, in the v2.0 and v2.1 format. Use runtimePatches in new "
             "manifests." },
    { .name = "annotations",
      .schema = &ty_schema_map_string,
      .flags = TY_F_OURS | TY_F_DEPRECATED | TY_F_OMITZERO,
      .doc = "Annotations to add to the JobSet, in the v2.0 and v2.1 format. Use runtimePatches in "
             "new manifests." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainJobSpec = TY_OBJECT("TrainJobSpec", train_job_spec_fields);

/* ---- TrainJob ---- */

static const struct ty_field train_job_fields[] = {
    TY_API_VERSION_FIELD,
    { .name = "kind",
      .schema = &ty_schema_string,
      .flags = TY_F_OMITZERO,
      .doc = "Kind of the object: TrainJob." },
    { .name = "metadata",
      .schema = &ty_schema_metadata,
      .flags = TY_F_ALWAYS,
      .doc = "Standard object metadata. The name must be a DNS label of at most 63 characters that "
             "begins with a letter, because pod host names are derived from it." },
    { .name = "spec",
      .schema = &ty_schema_TrainJobSpec,
      .flags = TY_F_OMITZERO,
      .doc = "Desired state of the training job: the runtime to use and what to change in it." },
    { .name = "status",
      .schema = &ty_schema_TrainJobStatus,
      .flags = TY_F_OMITZERO,
      .doc = "State observed by the controller: conditions, counts per replicated job, reported "
             "training progress. Read-only for users." },
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
const struct ty_schema ty_schema_TrainJob = TY_OBJECT(
    "TrainJob", train_job_fields, .rules = train_job_rules,
    .doc = "A training job: takes the JobSet template of a runtime and fills in the image, "
           "command, node count and resources given here.");
