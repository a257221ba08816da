/* TrainingRuntime and ClusterTrainingRuntime, which differ only in their scope, and JobSet, whose
 * spec they carry as a template. */
#include "api/gen/gen.h"
#include "api/trainer_tables.h"

static const struct ty_field template_fields[] = {
    { .name = "metadata",
      .schema = &ty_schema_ObjectMeta,
      .flags = TY_F_ALWAYS,
      .doc = "Labels and annotations of the JobSet." },
    { .name = "spec",
      .schema = &ty_schema_JobSetSpec,
      .flags = TY_F_ALWAYS,
      .doc = "Spec of the JobSet." },
    { .name = NULL },
};
static const struct ty_schema template = {
    .type = TY_T_OBJECT, .go = "JobSetTemplateSpec", .fields = template_fields, .min_props = 1
};

static const struct ty_field spec_fields[] = {
    { .name = "mlPolicy",
      .schema = &ty_schema_MLPolicy,
      .doc = "How training is distributed: nodes and framework." },
    { .name = "podGroupPolicy",
      .schema = &ty_schema_PodGroupPolicy,
      .doc = "Gang scheduling of the pods." },
    { .name = "template",
      .schema = &template,
      .flags = TY_F_OMITZERO,
      .doc = "The JobSet that a TrainJob fills in." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainingRuntimeSpec = {
    .type = TY_T_OBJECT, .go = "TrainingRuntimeSpec", .fields = spec_fields, .min_props = 1
};

static const struct ty_field runtime_fields[] = {
    { .name = "apiVersion",
      .schema = &ty_schema_string,
      .flags = TY_F_OMITZERO,
      .doc = "Always trainer.kubeflow.org/v1alpha1." },
    { .name = "kind",
      .schema = &ty_schema_string,
      .flags = TY_F_OMITZERO,
      .doc = "TrainingRuntime or ClusterTrainingRuntime." },
    { .name = "metadata",
      .schema = &ty_schema_metadata,
      .flags = TY_F_ALWAYS,
      .doc = "Name, labels and annotations." },
    { .name = "spec",
      .schema = &ty_schema_TrainingRuntimeSpec,
      .flags = TY_F_OMITZERO,
      .doc = "What TrainJobs of this runtime look like." },
    { .name = NULL },
};
const struct ty_schema ty_schema_TrainingRuntime = {
    .type = TY_T_OBJECT,
    .go = "TrainingRuntime",
    .fields = runtime_fields,
    .doc = "A blueprint for TrainJobs of one namespace."
};
const struct ty_schema ty_schema_ClusterTrainingRuntime = {
    .type = TY_T_OBJECT,
    .go = "ClusterTrainingRuntime",
    .fields = runtime_fields,
    .doc = "A blueprint for TrainJobs of every namespace."
};

/* Without TY_F_ALWAYS on status: what we send to the API server has none. */
static const struct ty_field job_set_fields[] = {
    { .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "kind", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "metadata", .schema = &ty_schema_metadata, .flags = TY_F_ALWAYS },
    { .name = "spec", .schema = &ty_schema_JobSetSpec, .flags = TY_F_ALWAYS },
    { .name = "status", .schema = &ty_schema_JobSetStatus },
    { .name = NULL },
};
const struct ty_schema ty_schema_JobSet = { .type = TY_T_OBJECT,
                                            .go = "JobSet",
                                            .fields = job_set_fields };
