/* Made by tools/gen-schema from the JobSet CRD and Go declarations; do not edit. */
/* Sources: k8s.io/api v0.36.3, k8s.io/apimachinery v0.36.3, sigs.k8s.io/jobset v0.12.0. */
/* clang-format off */
#include "api/gen/gen.h"
#include "api/rule_jobset.h"

const struct ty_schema ty_schema_string = { .type = TY_T_STRING };

const struct ty_schema ty_schema_map_string = { .type = TY_T_MAP, .items = &ty_schema_string };

const struct ty_schema ty_schema_list_string = { .type = TY_T_ARRAY, .items = &ty_schema_string };

static const struct ty_field fields_ObjectMeta[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "namespace", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "labels", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "annotations", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "finalizers", .schema = &ty_schema_list_string, .flags = TY_F_OMITZERO | TY_F_MERGE },
    { .name = NULL },
};
const struct ty_schema ty_schema_ObjectMeta = { .type = TY_T_OBJECT, .go = "ObjectMeta", .fields = fields_ObjectMeta };

const struct ty_schema ty_schema_int32 = { .type = TY_T_INTEGER, .format = "int32" };

const struct ty_schema ty_schema_int64 = { .type = TY_T_INTEGER, .format = "int64" };

const struct ty_schema ty_schema_list_int32_set = { .type = TY_T_ARRAY, .items = &ty_schema_int32, .list_set = true };

const struct ty_schema ty_schema_list_string_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_string, .list_atomic = true };

static const struct ty_field fields_LabelSelectorRequirement[] = {
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "operator", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "values", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_LabelSelectorRequirement = { .type = TY_T_OBJECT, .go = "LabelSelectorRequirement", .fields = fields_LabelSelectorRequirement };

const struct ty_schema ty_schema_list_LabelSelectorRequirement_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_LabelSelectorRequirement, .list_atomic = true };

static const struct ty_field fields_LabelSelector[] = {
    { .name = "matchLabels", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "matchExpressions", .schema = &ty_schema_list_LabelSelectorRequirement_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_LabelSelector = { .type = TY_T_OBJECT, .go = "LabelSelector", .fields = fields_LabelSelector, .map_atomic = true };

const struct ty_schema ty_schema_bool = { .type = TY_T_BOOLEAN };

const struct ty_schema ty_schema_quantity = { .type = TY_T_QUANTITY };

const struct ty_schema ty_schema_map_quantity = { .type = TY_T_MAP, .items = &ty_schema_quantity };

const struct ty_schema ty_schema_int_or_string = { .type = TY_T_INT_OR_STRING };

const struct ty_schema ty_schema_map_string_atomic = { .type = TY_T_MAP, .items = &ty_schema_string, .map_atomic = true };

const struct ty_schema ty_schema_list_int64_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_int64, .list_atomic = true };

static const char *const enums_DependsOnStatus[] = { "Ready", "Complete", NULL };
const struct ty_schema ty_schema_DependsOnStatus = { .type = TY_T_STRING, .enums = enums_DependsOnStatus };

static const char *const enums_Operator[] = { "All", "Any", NULL };
const struct ty_schema ty_schema_Operator = { .type = TY_T_STRING, .enums = enums_Operator };

static const char *const enums_JobSetRestartStrategy[] = { "Recreate", "BlockingRecreate", "InPlaceRestart", NULL };
const struct ty_schema ty_schema_JobSetRestartStrategy = { .type = TY_T_STRING, .enums = enums_JobSetRestartStrategy };

static const char *const enums_FailurePolicyAction[] = { "FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob", "RestartJobAndIgnoreMaxRestarts", NULL };
const struct ty_schema ty_schema_FailurePolicyAction = { .type = TY_T_STRING, .enums = enums_FailurePolicyAction };

static const char *const enums_StartupPolicyOptions[] = { "AnyOrder", "InOrder", NULL };
const struct ty_schema ty_schema_StartupPolicyOptions = { .type = TY_T_STRING, .enums = enums_StartupPolicyOptions };

const struct ty_schema ty_schema_int = { .type = TY_T_INTEGER };

const struct ty_schema ty_schema_int32_ttlSecondsAfterFinished = { .type = TY_T_INTEGER, .has_min = true, .min = 0, .format = "int32" };

const struct ty_schema ty_schema_time = { .type = TY_T_TIME };

static const char *const enums_RetentionPolicyType[] = { "Delete", "Retain", NULL };
const struct ty_schema ty_schema_RetentionPolicyType = { .type = TY_T_STRING, .enums = enums_RetentionPolicyType };

const struct ty_schema ty_schema_string_type = { .type = TY_T_STRING, .max_len = 316, .pattern = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$", .pattern_ok = ty_rule_pattern_condition_type };

static const char *const enums_ConditionStatus[] = { "True", "False", "Unknown", NULL };
const struct ty_schema ty_schema_ConditionStatus = { .type = TY_T_STRING, .enums = enums_ConditionStatus };

const struct ty_schema ty_schema_int64_observedGeneration = { .type = TY_T_INTEGER, .has_min = true, .min = 0, .format = "int64" };

const struct ty_schema ty_schema_string_reason = { .type = TY_T_STRING, .min_len = 1, .max_len = 1024, .pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", .pattern_ok = ty_rule_pattern_reason };

const struct ty_schema ty_schema_string_message = { .type = TY_T_STRING, .max_len = 32768 };

static const struct ty_field fields_Condition[] = {
    { .name = "type", .schema = &ty_schema_string_type, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "status", .schema = &ty_schema_ConditionStatus, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "observedGeneration", .schema = &ty_schema_int64_observedGeneration, .flags = TY_F_OMITZERO },
    { .name = "lastTransitionTime", .schema = &ty_schema_time, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = "reason", .schema = &ty_schema_string_reason, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "message", .schema = &ty_schema_string_message, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_Condition = { .type = TY_T_OBJECT, .go = "Condition", .fields = fields_Condition };

static const char *const list_keys_list_Condition_by_type[] = { "type", NULL };
const struct ty_schema ty_schema_list_Condition_by_type = { .type = TY_T_ARRAY, .list_keys = list_keys_list_Condition_by_type, .items = &ty_schema_Condition };

const struct ty_schema ty_schema_list_int32_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_int32, .list_atomic = true, .max_items = 1024 };

const struct ty_schema ty_schema_int32_previousInPlaceRestartAttempt = { .type = TY_T_INTEGER, .has_min = true, .min = 0, .format = "int32" };

const struct ty_schema ty_schema_int32_currentInPlaceRestartAttempt = { .type = TY_T_INTEGER, .has_min = true, .min = 0, .format = "int32" };

static const struct ty_field fields_OwnerReference[] = {
    { .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_ZERO },
    { .name = "kind", .schema = &ty_schema_string, .flags = TY_F_ZERO },
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_ZERO },
    { .name = "uid", .schema = &ty_schema_string, .flags = TY_F_ZERO },
    { .name = "controller", .schema = &ty_schema_bool },
    { .name = "blockOwnerDeletion", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_OwnerReference = { .type = TY_T_OBJECT, .go = "OwnerReference", .fields = fields_OwnerReference };

const struct ty_schema ty_schema_list_OwnerReference = { .type = TY_T_ARRAY, .items = &ty_schema_OwnerReference };

const struct ty_schema ty_schema_any = { .type = TY_T_ANY };

static const struct ty_field fields_ManagedFieldsEntry[] = {
    { .name = "manager", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "operation", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "time", .schema = &ty_schema_time },
    { .name = "fieldsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "fieldsV1", .schema = &ty_schema_any },
    { .name = "subresource", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ManagedFieldsEntry = { .type = TY_T_OBJECT, .go = "ManagedFieldsEntry", .fields = fields_ManagedFieldsEntry };

const struct ty_schema ty_schema_list_ManagedFieldsEntry = { .type = TY_T_ARRAY, .items = &ty_schema_ManagedFieldsEntry };

static const struct ty_field fields_metadata[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "generateName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "namespace", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "selfLink", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "uid", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "resourceVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "generation", .schema = &ty_schema_int64, .flags = TY_F_OMITZERO },
    { .name = "creationTimestamp", .schema = &ty_schema_time, .flags = TY_F_OMITZERO },
    { .name = "deletionTimestamp", .schema = &ty_schema_time },
    { .name = "deletionGracePeriodSeconds", .schema = &ty_schema_int64 },
    { .name = "labels", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "annotations", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "ownerReferences", .schema = &ty_schema_list_OwnerReference, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "uid" },
    { .name = "finalizers", .schema = &ty_schema_list_string, .flags = TY_F_OMITZERO | TY_F_MERGE },
    { .name = "managedFields", .schema = &ty_schema_list_ManagedFieldsEntry, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_metadata = { .type = TY_T_OBJECT, .go = "ObjectMeta", .fields = fields_metadata, .metadata = true };
