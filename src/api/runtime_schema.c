/* TrainingRuntime and ClusterTrainingRuntime, which differ only in scope, and JobSet, whose spec
 * they contain as a template. */
#include "api/gen/gen.h"
#include "api/trainer_tables.h"

static const struct ty_field template_fields[] = {
    { .name = "metadata",
      .schema = &ty_schema_ObjectMeta,
      .flags = TY_F_ALWAYS,
      .doc = "Metadata of the JobSet. Only labels and annotations are used." },
    { .name = "spec",
      .schema = &ty_schema_JobSetSpec,
      .flags = TY_F_ALWAYS,
      .doc =
          "JobSet spec to start from. The job labeled trainer.kubeflow.org/trainjob-ancestor-step: "
          "trainer receives the settings of spec.trainer." },
    { .name = NULL },
};
static const struct ty_schema template =
    TY_OBJECT("JobSetTemplateSpec", template_fields, .min_props = 1);

static const struct ty_field spec_fields[] = {
    { .name = "mlPolicy",
      .schema = &ty_schema_MLPolicy,
      .doc = "Default node count and the framework whose settings are injected into the pods. If "
             "unset, nothing framework-specific is injected." },
    { .name = "podGroupPolicy",
      .schema = &ty_schema_PodGroupPolicy,
      .doc = "Gang scheduler that places the pods all at once. If unset, pods are scheduled one by "
             "one." },
    { .name = "template",
      .schema = &template,
      .flags = TY_F_OMITZERO,
      .doc = "JobSet template of every TrainJob that references this runtime. A TrainJob keeps the "
             "template it started with." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainingRuntimeSpec =
    TY_OBJECT("TrainingRuntimeSpec", spec_fields, .min_props = 1);

static const struct ty_field runtime_fields[] = {
    TY_API_VERSION_FIELD,
    { .name = "kind",
      .schema = &ty_schema_string,
      .flags = TY_F_OMITZERO,
      .doc = "Kind of the object: TrainingRuntime or ClusterTrainingRuntime." },
    { .name = "metadata",
      .schema = &ty_schema_metadata,
      .flags = TY_F_ALWAYS,
      .doc = "Standard object metadata. Label trainer.kubeflow.org/support: deprecated makes "
             "TrainJobs that reference the runtime get a warning." },
    { .name = "spec",
      .schema = &ty_schema_TrainingRuntimeSpec,
      .flags = TY_F_OMITZERO,
      .doc = "Template and policies from which TrainJobs are rendered." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainingRuntime = TY_OBJECT(
    "TrainingRuntime", runtime_fields,
    .doc = "A template for TrainJobs in its own namespace: which jobs and pods to create, and how "
           "to set up the framework in them.");
const struct ty_schema ty_schema_ClusterTrainingRuntime = TY_OBJECT(
    "ClusterTrainingRuntime", runtime_fields,
    .doc = "A template for TrainJobs in every namespace: which jobs and pods to create, and how to "
           "set up the framework in them.");

/* Without TY_F_ALWAYS on status: applied JobSets have no status. */
static const struct ty_field job_set_fields[] = {
    { .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "kind", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "metadata", .schema = &ty_schema_metadata, .flags = TY_F_ALWAYS },
    { .name = "spec", .schema = &ty_schema_JobSetSpec, .flags = TY_F_ALWAYS },
    { .name = "status", .schema = &ty_schema_JobSetStatus },
    { .name = NULL },
};
const struct ty_schema ty_schema_JobSet = TY_OBJECT("JobSet", job_set_fields);
