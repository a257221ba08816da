/* One row for each field, by struct; tests/schema/typed.json has Go's message for each. */
#include "api/go_type.h"

#include <string.h>

#include "base/arena.h"

static const struct {
    const char *owner, *field, *type;
} named[] = {
    { "AppArmorProfile", "type", "v1.AppArmorProfileType" },
    { "AzureDiskVolumeSource", "cachingMode", "v1.AzureDataDiskCachingMode" },
    { "AzureDiskVolumeSource", "kind", "v1.AzureDataDiskKind" },
    { "Capabilities", "add", "v1.Capability" },
    { "Capabilities", "drop", "v1.Capability" },
    { "Condition", "status", "v1.ConditionStatus" },
    { "Container", "imagePullPolicy", "v1.PullPolicy" },
    { "Container", "restartPolicy", "v1.ContainerRestartPolicy" },
    { "Container", "terminationMessagePolicy", "v1.TerminationMessagePolicy" },
    { "ContainerPort", "protocol", "v1.Protocol" },
    { "ContainerResizePolicy", "resourceName", "v1.ResourceName" },
    { "ContainerResizePolicy", "restartPolicy", "v1.ResourceResizeRestartPolicy" },
    { "ContainerRestartRule", "action", "v1.ContainerRestartRuleAction" },
    { "ContainerRestartRuleOnExitCodes", "operator", "v1.ContainerRestartRuleOnExitCodesOperator" },
    { "DependsOn", "status", "v1alpha2.DependsOnStatus" },
    { "EmptyDirVolumeSource", "medium", "v1.StorageMedium" },
    { "EphemeralContainer", "imagePullPolicy", "v1.PullPolicy" },
    { "EphemeralContainer", "restartPolicy", "v1.ContainerRestartPolicy" },
    { "EphemeralContainer", "terminationMessagePolicy", "v1.TerminationMessagePolicy" },
    { "FailurePolicy", "restartStrategy", "v1alpha2.JobSetRestartStrategy" },
    { "FailurePolicyRule", "action", "v1alpha2.FailurePolicyAction" },
    { "HTTPGetAction", "scheme", "v1.URIScheme" },
    { "HostPathVolumeSource", "type", "v1.HostPathType" },
    { "ImageVolumeSource", "pullPolicy", "v1.PullPolicy" },
    { "JobSpec", "completionMode", "v1.CompletionMode" },
    { "JobSpec", "podReplacementPolicy", "v1.PodReplacementPolicy" },
    { "LabelSelectorRequirement", "operator", "v1.LabelSelectorOperator" },
    { "Lifecycle", "stopSignal", "v1.Signal" },
    { "MPIMLPolicySource", "mpiImplementation", "v1alpha1.MPIImplementation" },
    { "ModifyVolumeStatus", "status", "v1.PersistentVolumeClaimModifyVolumeStatus" },
    { "NetworkTopologySpec", "mode", "v1beta1.NetworkTopologyMode" },
    { "NodeSelectorRequirement", "operator", "v1.NodeSelectorOperator" },
    { "PersistentVolumeClaimCondition", "status", "v1.ConditionStatus" },
    { "PersistentVolumeClaimCondition", "type", "v1.PersistentVolumeClaimConditionType" },
    { "PersistentVolumeClaimSpec", "accessModes", "v1.PersistentVolumeAccessMode" },
    { "PersistentVolumeClaimSpec", "volumeMode", "v1.PersistentVolumeMode" },
    { "PersistentVolumeClaimStatus", "accessModes", "v1.PersistentVolumeAccessMode" },
    { "PersistentVolumeClaimStatus", "allocatedResourceStatuses", "v1.ClaimResourceStatus" },
    { "PersistentVolumeClaimStatus", "phase", "v1.PersistentVolumeClaimPhase" },
    { "PodFailurePolicyOnExitCodesRequirement", "operator",
      "v1.PodFailurePolicyOnExitCodesOperator" },
    { "PodFailurePolicyOnPodConditionsPattern", "status", "v1.ConditionStatus" },
    { "PodFailurePolicyOnPodConditionsPattern", "type", "v1.PodConditionType" },
    { "PodFailurePolicyRule", "action", "v1.PodFailurePolicyAction" },
    { "PodOS", "name", "v1.OSName" },
    { "PodReadinessGate", "conditionType", "v1.PodConditionType" },
    { "PodSecurityContext", "fsGroupChangePolicy", "v1.PodFSGroupChangePolicy" },
    { "PodSecurityContext", "seLinuxChangePolicy", "v1.PodSELinuxChangePolicy" },
    { "PodSecurityContext", "supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy" },
    { "PodSpec", "dnsPolicy", "v1.DNSPolicy" },
    { "PodSpec", "preemptionPolicy", "v1.PreemptionPolicy" },
    { "PodSpec", "restartPolicy", "v1.RestartPolicy" },
    { "SeccompProfile", "type", "v1.SeccompProfileType" },
    { "SecurityContext", "procMount", "v1.ProcMountType" },
    { "StartupPolicy", "startupPolicyOrder", "v1alpha2.StartupPolicyOptions" },
    { "SuccessPolicy", "operator", "v1alpha2.Operator" },
    { "Toleration", "effect", "v1.TaintEffect" },
    { "Toleration", "operator", "v1.TolerationOperator" },
    { "TopologySpreadConstraint", "nodeAffinityPolicy", "v1.NodeInclusionPolicy" },
    { "TopologySpreadConstraint", "nodeTaintsPolicy", "v1.NodeInclusionPolicy" },
    { "TopologySpreadConstraint", "whenUnsatisfiable", "v1.UnsatisfiableConstraintAction" },
    { "VolumeMount", "mountPropagation", "v1.MountPropagationMode" },
    { "VolumeMount", "recursiveReadOnly", "v1.RecursiveReadOnlyMode" },
    { "VolumeRetentionPolicy", "whenDeleted", "v1alpha2.RetentionPolicyType" },
};

const char *ty_go_type_name(const char *owner, const char *field)
{
    for (size_t i = 0; i < TY_COUNT(named); i++)
        if (strcmp(named[i].owner, owner) == 0 && strcmp(named[i].field, field) == 0)
            return named[i].type;
    return "string";
}
