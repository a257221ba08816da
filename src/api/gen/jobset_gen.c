/* Made by tools/gen-schema from the JobSet CRD and Go declarations; do not edit. */
/* Sources: k8s.io/api v0.36.3, k8s.io/apimachinery v0.36.3, sigs.k8s.io/jobset v0.12.0. */
/* clang-format off */
#include "api/gen/gen.h"
#include "api/rule_jobset.h"

static const struct ty_field fields_DependsOn[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "status", .schema = &ty_schema_DependsOnStatus, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_DependsOn = { .type = TY_T_OBJECT, .go = "DependsOn", .fields = fields_DependsOn };

static const char *const list_keys_list_DependsOn_by_name_ruled[] = { "name", NULL };
static const struct ty_rule rules_list_DependsOn_by_name_ruled[] = {
    { .cel = "self == oldSelf",
      .message = "Value is immutable",
      .transition = true, .ok = ty_rule_unchanged_by_name },
    { .cel = NULL },
};
const struct ty_schema ty_schema_list_DependsOn_by_name_ruled = { .type = TY_T_ARRAY, .list_keys = list_keys_list_DependsOn_by_name_ruled, .rules = rules_list_DependsOn_by_name_ruled, .items = &ty_schema_DependsOn, .max_items = 5 };

static const struct ty_field fields_ReplicatedJob[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "groupName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"default\"" },
    { .name = "template", .schema = &ty_schema_JobTemplateSpec, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = "replicas", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO, .def = "1" },
    { .name = "dependsOn", .schema = &ty_schema_list_DependsOn_by_name_ruled, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = NULL },
};
const struct ty_schema ty_schema_ReplicatedJob = { .type = TY_T_OBJECT, .go = "ReplicatedJob", .fields = fields_ReplicatedJob };

static const char *const list_keys_list_ReplicatedJob_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_ReplicatedJob_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_ReplicatedJob_by_name, .items = &ty_schema_ReplicatedJob };

static const struct ty_field fields_Network[] = {
    { .name = "enableDNSHostnames", .schema = &ty_schema_bool },
    { .name = "subdomain", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "publishNotReadyAddresses", .schema = &ty_schema_bool },
    { .name = NULL },
};
static const struct ty_rule rules_Network[] = {
    { .cel = "self == oldSelf",
      .message = "Value is immutable",
      .transition = true, .ok = ty_rule_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_Network = { .type = TY_T_OBJECT, .go = "Network", .fields = fields_Network, .rules = rules_Network };

static const struct ty_field fields_SuccessPolicy_2[] = {
    { .name = "operator", .schema = &ty_schema_Operator, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "targetReplicatedJobs", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
static const struct ty_rule rules_SuccessPolicy_2[] = {
    { .cel = "self == oldSelf",
      .message = "Value is immutable",
      .transition = true, .ok = ty_rule_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_SuccessPolicy_2 = { .type = TY_T_OBJECT, .go = "SuccessPolicy", .fields = fields_SuccessPolicy_2, .rules = rules_SuccessPolicy_2 };

static const struct ty_field fields_FailurePolicyRule[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "action", .schema = &ty_schema_FailurePolicyAction, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "onJobFailureReasons", .schema = &ty_schema_list_string, .flags = TY_F_OMITZERO },
    { .name = "onJobFailureMessagePatterns", .schema = &ty_schema_list_string, .flags = TY_F_OMITZERO },
    { .name = "targetReplicatedJobs", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_FailurePolicyRule = { .type = TY_T_OBJECT, .go = "FailurePolicyRule", .fields = fields_FailurePolicyRule };

const struct ty_schema ty_schema_list_FailurePolicyRule = { .type = TY_T_ARRAY, .items = &ty_schema_FailurePolicyRule };

static const struct ty_field fields_FailurePolicy[] = {
    { .name = "maxRestarts", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "restartStrategy", .schema = &ty_schema_JobSetRestartStrategy, .flags = TY_F_OMITZERO, .def = "\"Recreate\"" },
    { .name = "rules", .schema = &ty_schema_list_FailurePolicyRule, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
static const struct ty_rule rules_FailurePolicy[] = {
    { .cel = "self == oldSelf",
      .message = "Value is immutable",
      .transition = true, .ok = ty_rule_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_FailurePolicy = { .type = TY_T_OBJECT, .go = "FailurePolicy", .fields = fields_FailurePolicy, .rules = rules_FailurePolicy };

static const struct ty_field fields_StartupPolicy[] = {
    { .name = "startupPolicyOrder", .schema = &ty_schema_StartupPolicyOptions, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
static const struct ty_rule rules_StartupPolicy[] = {
    { .cel = "self == oldSelf",
      .message = "Value is immutable",
      .transition = true, .ok = ty_rule_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_StartupPolicy = { .type = TY_T_OBJECT, .go = "StartupPolicy", .fields = fields_StartupPolicy, .rules = rules_StartupPolicy };

static const struct ty_field fields_Coordinator[] = {
    { .name = "replicatedJob", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "jobIndex", .schema = &ty_schema_int, .flags = TY_F_OMITZERO },
    { .name = "podIndex", .schema = &ty_schema_int, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_Coordinator = { .type = TY_T_OBJECT, .go = "Coordinator", .fields = fields_Coordinator };

static const struct ty_field fields_VolumeRetentionPolicy[] = {
    { .name = "whenDeleted", .schema = &ty_schema_RetentionPolicyType, .def = "\"Delete\"" },
    { .name = NULL },
};
const struct ty_schema ty_schema_VolumeRetentionPolicy = { .type = TY_T_OBJECT, .go = "VolumeRetentionPolicy", .fields = fields_VolumeRetentionPolicy };

static const struct ty_field fields_VolumeClaimPolicy[] = {
    { .name = "templates", .schema = &ty_schema_list_PersistentVolumeClaim_atomic, .flags = TY_F_OMITZERO },
    { .name = "retentionPolicy", .schema = &ty_schema_VolumeRetentionPolicy },
    { .name = NULL },
};
static const struct ty_rule rules_VolumeClaimPolicy[] = {
    { .cel = "self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
      .message = "namespace cannot be set for VolumeClaimPolicies templates",
      .transition = false, .ok = ty_rule_claims_without_namespace },
    { .cel = NULL },
};
const struct ty_schema ty_schema_VolumeClaimPolicy = { .type = TY_T_OBJECT, .go = "VolumeClaimPolicy", .fields = fields_VolumeClaimPolicy, .rules = rules_VolumeClaimPolicy };

static const struct ty_rule rules_list_VolumeClaimPolicy_atomic_ruled[] = {
    { .cel = "self == oldSelf",
      .message = "Value is immutable",
      .transition = true, .ok = ty_rule_unchanged },
    { .cel = NULL },
};
const struct ty_schema ty_schema_list_VolumeClaimPolicy_atomic_ruled = { .type = TY_T_ARRAY, .rules = rules_list_VolumeClaimPolicy_atomic_ruled, .items = &ty_schema_VolumeClaimPolicy, .list_atomic = true, .max_items = 50 };

static const struct ty_field fields_JobSetSpec[] = {
    { .name = "replicatedJobs", .schema = &ty_schema_list_ReplicatedJob_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "network", .schema = &ty_schema_Network },
    { .name = "successPolicy", .schema = &ty_schema_SuccessPolicy_2 },
    { .name = "failurePolicy", .schema = &ty_schema_FailurePolicy },
    { .name = "startupPolicy", .schema = &ty_schema_StartupPolicy },
    { .name = "suspend", .schema = &ty_schema_bool },
    { .name = "coordinator", .schema = &ty_schema_Coordinator },
    { .name = "managedBy", .schema = &ty_schema_string },
    { .name = "ttlSecondsAfterFinished", .schema = &ty_schema_int32_ttlSecondsAfterFinished },
    { .name = "volumeClaimPolicies", .schema = &ty_schema_list_VolumeClaimPolicy_atomic_ruled, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
static const struct ty_rule rules_JobSetSpec[] = {
    { .cel = "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && self.replicatedJobs.exists(x, has(x.dependsOn)))",
      .message = "StartupPolicy and DependsOn APIs are mutually exclusive",
      .transition = false, .ok = ty_rule_startup_or_depends },
    { .cel = NULL },
};
const struct ty_schema ty_schema_JobSetSpec = { .type = TY_T_OBJECT, .go = "JobSetSpec", .fields = fields_JobSetSpec, .rules = rules_JobSetSpec };

static const struct ty_field fields_ReplicatedJobStatus[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "ready", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "succeeded", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "failed", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "active", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "suspended", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "jobRestarts", .schema = &ty_schema_list_int32_atomic, .flags = TY_F_OMITZERO },
    { .name = "jobRestartsCountTowardsMax", .schema = &ty_schema_list_int32_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ReplicatedJobStatus = { .type = TY_T_OBJECT, .go = "ReplicatedJobStatus", .fields = fields_ReplicatedJobStatus };

static const char *const list_keys_list_ReplicatedJobStatus_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_ReplicatedJobStatus_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_ReplicatedJobStatus_by_name, .items = &ty_schema_ReplicatedJobStatus };

static const struct ty_field fields_JobSetStatus[] = {
    { .name = "conditions", .schema = &ty_schema_list_Condition_by_type, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "type" },
    { .name = "restarts", .schema = &ty_schema_int32, .flags = TY_F_ZERO },
    { .name = "restartsCountTowardsMax", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "terminalState", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "replicatedJobsStatus", .schema = &ty_schema_list_ReplicatedJobStatus_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "previousInPlaceRestartAttempt", .schema = &ty_schema_int32_previousInPlaceRestartAttempt },
    { .name = "currentInPlaceRestartAttempt", .schema = &ty_schema_int32_currentInPlaceRestartAttempt },
    { .name = NULL },
};
const struct ty_schema ty_schema_JobSetStatus = { .type = TY_T_OBJECT, .go = "JobSetStatus", .fields = fields_JobSetStatus };
