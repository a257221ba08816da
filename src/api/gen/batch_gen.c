/* Made by tools/gen-schema from the JobSet CRD and Go declarations; do not edit. */
/* Sources: k8s.io/api v0.36.3, k8s.io/apimachinery v0.36.3, sigs.k8s.io/jobset v0.12.0. */
/* clang-format off */
#include "api/gen/gen.h"
#include "api/rule_jobset.h"

static const struct ty_field fields_PodFailurePolicyOnExitCodesRequirement[] = {
    { .name = "containerName", .schema = &ty_schema_string },
    { .name = "operator", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "values", .schema = &ty_schema_list_int32_set, .flags = TY_F_REQUIRED },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodFailurePolicyOnExitCodesRequirement = { .type = TY_T_OBJECT, .go = "PodFailurePolicyOnExitCodesRequirement", .fields = fields_PodFailurePolicyOnExitCodesRequirement };

static const struct ty_field fields_PodFailurePolicyOnPodConditionsPattern[] = {
    { .name = "type", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "status", .schema = &ty_schema_string, .flags = TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodFailurePolicyOnPodConditionsPattern = { .type = TY_T_OBJECT, .go = "PodFailurePolicyOnPodConditionsPattern", .fields = fields_PodFailurePolicyOnPodConditionsPattern };

const struct ty_schema ty_schema_list_PodFailurePolicyOnPodConditionsPattern_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PodFailurePolicyOnPodConditionsPattern, .list_atomic = true };

static const struct ty_field fields_PodFailurePolicyRule[] = {
    { .name = "action", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "onExitCodes", .schema = &ty_schema_PodFailurePolicyOnExitCodesRequirement },
    { .name = "onPodConditions", .schema = &ty_schema_list_PodFailurePolicyOnPodConditionsPattern_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodFailurePolicyRule = { .type = TY_T_OBJECT, .go = "PodFailurePolicyRule", .fields = fields_PodFailurePolicyRule };

const struct ty_schema ty_schema_list_PodFailurePolicyRule_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PodFailurePolicyRule, .list_atomic = true };

static const struct ty_field fields_PodFailurePolicy[] = {
    { .name = "rules", .schema = &ty_schema_list_PodFailurePolicyRule_atomic, .flags = TY_F_REQUIRED },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodFailurePolicy = { .type = TY_T_OBJECT, .go = "PodFailurePolicy", .fields = fields_PodFailurePolicy };

static const struct ty_field fields_SuccessPolicyRule[] = {
    { .name = "succeededIndexes", .schema = &ty_schema_string },
    { .name = "succeededCount", .schema = &ty_schema_int32 },
    { .name = NULL },
};
const struct ty_schema ty_schema_SuccessPolicyRule = { .type = TY_T_OBJECT, .go = "SuccessPolicyRule", .fields = fields_SuccessPolicyRule };

const struct ty_schema ty_schema_list_SuccessPolicyRule_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_SuccessPolicyRule, .list_atomic = true };

static const struct ty_field fields_SuccessPolicy[] = {
    { .name = "rules", .schema = &ty_schema_list_SuccessPolicyRule_atomic, .flags = TY_F_REQUIRED },
    { .name = NULL },
};
const struct ty_schema ty_schema_SuccessPolicy = { .type = TY_T_OBJECT, .go = "SuccessPolicy", .fields = fields_SuccessPolicy };

static const struct ty_field fields_JobSpec[] = {
    { .name = "parallelism", .schema = &ty_schema_int32 },
    { .name = "completions", .schema = &ty_schema_int32 },
    { .name = "activeDeadlineSeconds", .schema = &ty_schema_int64 },
    { .name = "podFailurePolicy", .schema = &ty_schema_PodFailurePolicy },
    { .name = "successPolicy", .schema = &ty_schema_SuccessPolicy },
    { .name = "backoffLimit", .schema = &ty_schema_int32 },
    { .name = "backoffLimitPerIndex", .schema = &ty_schema_int32 },
    { .name = "maxFailedIndexes", .schema = &ty_schema_int32 },
    { .name = "selector", .schema = &ty_schema_LabelSelector },
    { .name = "manualSelector", .schema = &ty_schema_bool },
    { .name = "template", .schema = &ty_schema_PodTemplateSpec, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = "ttlSecondsAfterFinished", .schema = &ty_schema_int32 },
    { .name = "completionMode", .schema = &ty_schema_string },
    { .name = "suspend", .schema = &ty_schema_bool },
    { .name = "podReplacementPolicy", .schema = &ty_schema_string },
    { .name = "managedBy", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_JobSpec = { .type = TY_T_OBJECT, .go = "JobSpec", .fields = fields_JobSpec };

static const struct ty_field fields_JobTemplateSpec[] = {
    { .name = "metadata", .schema = &ty_schema_ObjectMeta, .flags = TY_F_ALWAYS },
    { .name = "spec", .schema = &ty_schema_JobSpec, .flags = TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_JobTemplateSpec = { .type = TY_T_OBJECT, .go = "JobTemplateSpec", .fields = fields_JobTemplateSpec };
