/* Made by tools/gen-schema from the JobSet CRD and Go declarations; do not edit. */
/* Sources: k8s.io/api v0.36.3, k8s.io/apimachinery v0.36.3, sigs.k8s.io/jobset v0.12.0. */
/* clang-format off */
#include "api/gen/gen.h"
#include "api/rule_jobset.h"

static const struct ty_field fields_HostPathVolumeSource[] = {
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "type", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_HostPathVolumeSource = { .type = TY_T_OBJECT, .go = "HostPathVolumeSource", .fields = fields_HostPathVolumeSource };

static const struct ty_field fields_EmptyDirVolumeSource[] = {
    { .name = "medium", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "sizeLimit", .schema = &ty_schema_quantity },
    { .name = NULL },
};
const struct ty_schema ty_schema_EmptyDirVolumeSource = { .type = TY_T_OBJECT, .go = "EmptyDirVolumeSource", .fields = fields_EmptyDirVolumeSource };

static const struct ty_field fields_GCEPersistentDiskVolumeSource[] = {
    { .name = "pdName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "partition", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_GCEPersistentDiskVolumeSource = { .type = TY_T_OBJECT, .go = "GCEPersistentDiskVolumeSource", .fields = fields_GCEPersistentDiskVolumeSource };

static const struct ty_field fields_AWSElasticBlockStoreVolumeSource[] = {
    { .name = "volumeID", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "partition", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_AWSElasticBlockStoreVolumeSource = { .type = TY_T_OBJECT, .go = "AWSElasticBlockStoreVolumeSource", .fields = fields_AWSElasticBlockStoreVolumeSource };

static const struct ty_field fields_GitRepoVolumeSource[] = {
    { .name = "repository", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "revision", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "directory", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_GitRepoVolumeSource = { .type = TY_T_OBJECT, .go = "GitRepoVolumeSource", .fields = fields_GitRepoVolumeSource };

static const struct ty_field fields_KeyToPath[] = {
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "mode", .schema = &ty_schema_int32 },
    { .name = NULL },
};
const struct ty_schema ty_schema_KeyToPath = { .type = TY_T_OBJECT, .go = "KeyToPath", .fields = fields_KeyToPath };

const struct ty_schema ty_schema_list_KeyToPath_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_KeyToPath, .list_atomic = true };

static const struct ty_field fields_SecretVolumeSource[] = {
    { .name = "secretName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "items", .schema = &ty_schema_list_KeyToPath_atomic, .flags = TY_F_OMITZERO },
    { .name = "defaultMode", .schema = &ty_schema_int32 },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_SecretVolumeSource = { .type = TY_T_OBJECT, .go = "SecretVolumeSource", .fields = fields_SecretVolumeSource };

static const struct ty_field fields_NFSVolumeSource[] = {
    { .name = "server", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_NFSVolumeSource = { .type = TY_T_OBJECT, .go = "NFSVolumeSource", .fields = fields_NFSVolumeSource };

static const struct ty_field fields_LocalObjectReference[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = NULL },
};
const struct ty_schema ty_schema_LocalObjectReference = { .type = TY_T_OBJECT, .go = "LocalObjectReference", .fields = fields_LocalObjectReference, .map_atomic = true };

static const struct ty_field fields_ISCSIVolumeSource[] = {
    { .name = "targetPortal", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "iqn", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "lun", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "iscsiInterface", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"default\"" },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "portals", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "chapAuthDiscovery", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "chapAuthSession", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = "initiatorName", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_ISCSIVolumeSource = { .type = TY_T_OBJECT, .go = "ISCSIVolumeSource", .fields = fields_ISCSIVolumeSource };

static const struct ty_field fields_GlusterfsVolumeSource[] = {
    { .name = "endpoints", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_GlusterfsVolumeSource = { .type = TY_T_OBJECT, .go = "GlusterfsVolumeSource", .fields = fields_GlusterfsVolumeSource };

static const struct ty_field fields_PersistentVolumeClaimVolumeSource[] = {
    { .name = "claimName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PersistentVolumeClaimVolumeSource = { .type = TY_T_OBJECT, .go = "PersistentVolumeClaimVolumeSource", .fields = fields_PersistentVolumeClaimVolumeSource };

static const struct ty_field fields_RBDVolumeSource[] = {
    { .name = "monitors", .schema = &ty_schema_list_string_atomic, .flags = TY_F_REQUIRED },
    { .name = "image", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "pool", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"rbd\"" },
    { .name = "user", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"admin\"" },
    { .name = "keyring", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"/etc/ceph/keyring\"" },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_RBDVolumeSource = { .type = TY_T_OBJECT, .go = "RBDVolumeSource", .fields = fields_RBDVolumeSource };

static const struct ty_field fields_FlexVolumeSource[] = {
    { .name = "driver", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "options", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_FlexVolumeSource = { .type = TY_T_OBJECT, .go = "FlexVolumeSource", .fields = fields_FlexVolumeSource };

static const struct ty_field fields_CinderVolumeSource[] = {
    { .name = "volumeID", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = NULL },
};
const struct ty_schema ty_schema_CinderVolumeSource = { .type = TY_T_OBJECT, .go = "CinderVolumeSource", .fields = fields_CinderVolumeSource };

static const struct ty_field fields_CephFSVolumeSource[] = {
    { .name = "monitors", .schema = &ty_schema_list_string_atomic, .flags = TY_F_REQUIRED },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "user", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "secretFile", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_CephFSVolumeSource = { .type = TY_T_OBJECT, .go = "CephFSVolumeSource", .fields = fields_CephFSVolumeSource };

static const struct ty_field fields_FlockerVolumeSource[] = {
    { .name = "datasetName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "datasetUUID", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_FlockerVolumeSource = { .type = TY_T_OBJECT, .go = "FlockerVolumeSource", .fields = fields_FlockerVolumeSource };

static const struct ty_field fields_ObjectFieldSelector[] = {
    { .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "fieldPath", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ObjectFieldSelector = { .type = TY_T_OBJECT, .go = "ObjectFieldSelector", .fields = fields_ObjectFieldSelector, .map_atomic = true };

static const struct ty_field fields_ResourceFieldSelector[] = {
    { .name = "containerName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "resource", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "divisor", .schema = &ty_schema_quantity, .flags = TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_ResourceFieldSelector = { .type = TY_T_OBJECT, .go = "ResourceFieldSelector", .fields = fields_ResourceFieldSelector, .map_atomic = true };

static const struct ty_field fields_DownwardAPIVolumeFile[] = {
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fieldRef", .schema = &ty_schema_ObjectFieldSelector },
    { .name = "resourceFieldRef", .schema = &ty_schema_ResourceFieldSelector },
    { .name = "mode", .schema = &ty_schema_int32 },
    { .name = NULL },
};
const struct ty_schema ty_schema_DownwardAPIVolumeFile = { .type = TY_T_OBJECT, .go = "DownwardAPIVolumeFile", .fields = fields_DownwardAPIVolumeFile };

const struct ty_schema ty_schema_list_DownwardAPIVolumeFile_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_DownwardAPIVolumeFile, .list_atomic = true };

static const struct ty_field fields_DownwardAPIVolumeSource[] = {
    { .name = "items", .schema = &ty_schema_list_DownwardAPIVolumeFile_atomic, .flags = TY_F_OMITZERO },
    { .name = "defaultMode", .schema = &ty_schema_int32 },
    { .name = NULL },
};
const struct ty_schema ty_schema_DownwardAPIVolumeSource = { .type = TY_T_OBJECT, .go = "DownwardAPIVolumeSource", .fields = fields_DownwardAPIVolumeSource };

static const struct ty_field fields_FCVolumeSource[] = {
    { .name = "targetWWNs", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "lun", .schema = &ty_schema_int32 },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "wwids", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_FCVolumeSource = { .type = TY_T_OBJECT, .go = "FCVolumeSource", .fields = fields_FCVolumeSource };

static const struct ty_field fields_AzureFileVolumeSource[] = {
    { .name = "secretName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "shareName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_AzureFileVolumeSource = { .type = TY_T_OBJECT, .go = "AzureFileVolumeSource", .fields = fields_AzureFileVolumeSource };

static const struct ty_field fields_ConfigMapVolumeSource[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "items", .schema = &ty_schema_list_KeyToPath_atomic, .flags = TY_F_OMITZERO },
    { .name = "defaultMode", .schema = &ty_schema_int32 },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_ConfigMapVolumeSource = { .type = TY_T_OBJECT, .go = "ConfigMapVolumeSource", .fields = fields_ConfigMapVolumeSource, .map_atomic = true };

static const struct ty_field fields_VsphereVirtualDiskVolumeSource[] = {
    { .name = "volumePath", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "storagePolicyName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "storagePolicyID", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_VsphereVirtualDiskVolumeSource = { .type = TY_T_OBJECT, .go = "VsphereVirtualDiskVolumeSource", .fields = fields_VsphereVirtualDiskVolumeSource };

static const struct ty_field fields_QuobyteVolumeSource[] = {
    { .name = "registry", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "volume", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "user", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "group", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "tenant", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_QuobyteVolumeSource = { .type = TY_T_OBJECT, .go = "QuobyteVolumeSource", .fields = fields_QuobyteVolumeSource };

static const struct ty_field fields_AzureDiskVolumeSource[] = {
    { .name = "diskName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "diskURI", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "cachingMode", .schema = &ty_schema_string },
    { .name = "fsType", .schema = &ty_schema_string, .def = "\"ext4\"" },
    { .name = "readOnly", .schema = &ty_schema_bool, .def = "false" },
    { .name = "kind", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_AzureDiskVolumeSource = { .type = TY_T_OBJECT, .go = "AzureDiskVolumeSource", .fields = fields_AzureDiskVolumeSource };

static const struct ty_field fields_PhotonPersistentDiskVolumeSource[] = {
    { .name = "pdID", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PhotonPersistentDiskVolumeSource = { .type = TY_T_OBJECT, .go = "PhotonPersistentDiskVolumeSource", .fields = fields_PhotonPersistentDiskVolumeSource };

static const struct ty_field fields_SecretProjection[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "items", .schema = &ty_schema_list_KeyToPath_atomic, .flags = TY_F_OMITZERO },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_SecretProjection = { .type = TY_T_OBJECT, .go = "SecretProjection", .fields = fields_SecretProjection, .map_atomic = true };

static const struct ty_field fields_DownwardAPIProjection[] = {
    { .name = "items", .schema = &ty_schema_list_DownwardAPIVolumeFile_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_DownwardAPIProjection = { .type = TY_T_OBJECT, .go = "DownwardAPIProjection", .fields = fields_DownwardAPIProjection };

static const struct ty_field fields_ConfigMapProjection[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "items", .schema = &ty_schema_list_KeyToPath_atomic, .flags = TY_F_OMITZERO },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_ConfigMapProjection = { .type = TY_T_OBJECT, .go = "ConfigMapProjection", .fields = fields_ConfigMapProjection, .map_atomic = true };

static const struct ty_field fields_ServiceAccountTokenProjection[] = {
    { .name = "audience", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "expirationSeconds", .schema = &ty_schema_int64 },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ServiceAccountTokenProjection = { .type = TY_T_OBJECT, .go = "ServiceAccountTokenProjection", .fields = fields_ServiceAccountTokenProjection };

static const struct ty_field fields_ClusterTrustBundleProjection[] = {
    { .name = "name", .schema = &ty_schema_string },
    { .name = "signerName", .schema = &ty_schema_string },
    { .name = "labelSelector", .schema = &ty_schema_LabelSelector },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ClusterTrustBundleProjection = { .type = TY_T_OBJECT, .go = "ClusterTrustBundleProjection", .fields = fields_ClusterTrustBundleProjection };

static const struct ty_field fields_PodCertificateProjection[] = {
    { .name = "signerName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_OMITZERO },
    { .name = "keyType", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_OMITZERO },
    { .name = "maxExpirationSeconds", .schema = &ty_schema_int32 },
    { .name = "credentialBundlePath", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "keyPath", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "certificateChainPath", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "userAnnotations", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodCertificateProjection = { .type = TY_T_OBJECT, .go = "PodCertificateProjection", .fields = fields_PodCertificateProjection };

static const struct ty_field fields_VolumeProjection[] = {
    { .name = "secret", .schema = &ty_schema_SecretProjection },
    { .name = "downwardAPI", .schema = &ty_schema_DownwardAPIProjection },
    { .name = "configMap", .schema = &ty_schema_ConfigMapProjection },
    { .name = "serviceAccountToken", .schema = &ty_schema_ServiceAccountTokenProjection },
    { .name = "clusterTrustBundle", .schema = &ty_schema_ClusterTrustBundleProjection },
    { .name = "podCertificate", .schema = &ty_schema_PodCertificateProjection },
    { .name = NULL },
};
const struct ty_schema ty_schema_VolumeProjection = { .type = TY_T_OBJECT, .go = "VolumeProjection", .fields = fields_VolumeProjection };

const struct ty_schema ty_schema_list_VolumeProjection_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_VolumeProjection, .list_atomic = true };

static const struct ty_field fields_ProjectedVolumeSource[] = {
    { .name = "sources", .schema = &ty_schema_list_VolumeProjection_atomic },
    { .name = "defaultMode", .schema = &ty_schema_int32 },
    { .name = NULL },
};
const struct ty_schema ty_schema_ProjectedVolumeSource = { .type = TY_T_OBJECT, .go = "ProjectedVolumeSource", .fields = fields_ProjectedVolumeSource };

static const struct ty_field fields_PortworxVolumeSource[] = {
    { .name = "volumeID", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PortworxVolumeSource = { .type = TY_T_OBJECT, .go = "PortworxVolumeSource", .fields = fields_PortworxVolumeSource };

static const struct ty_field fields_ScaleIOVolumeSource[] = {
    { .name = "gateway", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "system", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference, .flags = TY_F_REQUIRED },
    { .name = "sslEnabled", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "protectionDomain", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "storagePool", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "storageMode", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"ThinProvisioned\"" },
    { .name = "volumeName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"xfs\"" },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ScaleIOVolumeSource = { .type = TY_T_OBJECT, .go = "ScaleIOVolumeSource", .fields = fields_ScaleIOVolumeSource };

static const struct ty_field fields_StorageOSVolumeSource[] = {
    { .name = "volumeName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "volumeNamespace", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "fsType", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "secretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = NULL },
};
const struct ty_schema ty_schema_StorageOSVolumeSource = { .type = TY_T_OBJECT, .go = "StorageOSVolumeSource", .fields = fields_StorageOSVolumeSource };

static const struct ty_field fields_CSIVolumeSource[] = {
    { .name = "driver", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool },
    { .name = "fsType", .schema = &ty_schema_string },
    { .name = "volumeAttributes", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "nodePublishSecretRef", .schema = &ty_schema_LocalObjectReference },
    { .name = NULL },
};
const struct ty_schema ty_schema_CSIVolumeSource = { .type = TY_T_OBJECT, .go = "CSIVolumeSource", .fields = fields_CSIVolumeSource };

static const struct ty_field fields_VolumeResourceRequirements[] = {
    { .name = "limits", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = "requests", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_VolumeResourceRequirements = { .type = TY_T_OBJECT, .go = "VolumeResourceRequirements", .fields = fields_VolumeResourceRequirements };

static const struct ty_field fields_TypedLocalObjectReference[] = {
    { .name = "apiGroup", .schema = &ty_schema_string },
    { .name = "kind", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_TypedLocalObjectReference = { .type = TY_T_OBJECT, .go = "TypedLocalObjectReference", .fields = fields_TypedLocalObjectReference, .map_atomic = true };

static const struct ty_field fields_TypedObjectReference[] = {
    { .name = "apiGroup", .schema = &ty_schema_string },
    { .name = "kind", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "namespace", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_TypedObjectReference = { .type = TY_T_OBJECT, .go = "TypedObjectReference", .fields = fields_TypedObjectReference };

static const struct ty_field fields_PersistentVolumeClaimSpec[] = {
    { .name = "accessModes", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "selector", .schema = &ty_schema_LabelSelector },
    { .name = "resources", .schema = &ty_schema_VolumeResourceRequirements, .flags = TY_F_ALWAYS },
    { .name = "volumeName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "storageClassName", .schema = &ty_schema_string },
    { .name = "volumeMode", .schema = &ty_schema_string },
    { .name = "dataSource", .schema = &ty_schema_TypedLocalObjectReference },
    { .name = "dataSourceRef", .schema = &ty_schema_TypedObjectReference },
    { .name = "volumeAttributesClassName", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_PersistentVolumeClaimSpec = { .type = TY_T_OBJECT, .go = "PersistentVolumeClaimSpec", .fields = fields_PersistentVolumeClaimSpec };

static const struct ty_field fields_PersistentVolumeClaimTemplate[] = {
    { .name = "metadata", .schema = &ty_schema_ObjectMeta, .flags = TY_F_ALWAYS },
    { .name = "spec", .schema = &ty_schema_PersistentVolumeClaimSpec, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_PersistentVolumeClaimTemplate = { .type = TY_T_OBJECT, .go = "PersistentVolumeClaimTemplate", .fields = fields_PersistentVolumeClaimTemplate };

static const struct ty_field fields_EphemeralVolumeSource[] = {
    { .name = "volumeClaimTemplate", .schema = &ty_schema_PersistentVolumeClaimTemplate },
    { .name = NULL },
};
const struct ty_schema ty_schema_EphemeralVolumeSource = { .type = TY_T_OBJECT, .go = "EphemeralVolumeSource", .fields = fields_EphemeralVolumeSource };

static const struct ty_field fields_ImageVolumeSource[] = {
    { .name = "reference", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "pullPolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ImageVolumeSource = { .type = TY_T_OBJECT, .go = "ImageVolumeSource", .fields = fields_ImageVolumeSource };

static const struct ty_field fields_Volume[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "hostPath", .schema = &ty_schema_HostPathVolumeSource },
    { .name = "emptyDir", .schema = &ty_schema_EmptyDirVolumeSource },
    { .name = "gcePersistentDisk", .schema = &ty_schema_GCEPersistentDiskVolumeSource },
    { .name = "awsElasticBlockStore", .schema = &ty_schema_AWSElasticBlockStoreVolumeSource },
    { .name = "gitRepo", .schema = &ty_schema_GitRepoVolumeSource },
    { .name = "secret", .schema = &ty_schema_SecretVolumeSource },
    { .name = "nfs", .schema = &ty_schema_NFSVolumeSource },
    { .name = "iscsi", .schema = &ty_schema_ISCSIVolumeSource },
    { .name = "glusterfs", .schema = &ty_schema_GlusterfsVolumeSource },
    { .name = "persistentVolumeClaim", .schema = &ty_schema_PersistentVolumeClaimVolumeSource },
    { .name = "rbd", .schema = &ty_schema_RBDVolumeSource },
    { .name = "flexVolume", .schema = &ty_schema_FlexVolumeSource },
    { .name = "cinder", .schema = &ty_schema_CinderVolumeSource },
    { .name = "cephfs", .schema = &ty_schema_CephFSVolumeSource },
    { .name = "flocker", .schema = &ty_schema_FlockerVolumeSource },
    { .name = "downwardAPI", .schema = &ty_schema_DownwardAPIVolumeSource },
    { .name = "fc", .schema = &ty_schema_FCVolumeSource },
    { .name = "azureFile", .schema = &ty_schema_AzureFileVolumeSource },
    { .name = "configMap", .schema = &ty_schema_ConfigMapVolumeSource },
    { .name = "vsphereVolume", .schema = &ty_schema_VsphereVirtualDiskVolumeSource },
    { .name = "quobyte", .schema = &ty_schema_QuobyteVolumeSource },
    { .name = "azureDisk", .schema = &ty_schema_AzureDiskVolumeSource },
    { .name = "photonPersistentDisk", .schema = &ty_schema_PhotonPersistentDiskVolumeSource },
    { .name = "projected", .schema = &ty_schema_ProjectedVolumeSource },
    { .name = "portworxVolume", .schema = &ty_schema_PortworxVolumeSource },
    { .name = "scaleIO", .schema = &ty_schema_ScaleIOVolumeSource },
    { .name = "storageos", .schema = &ty_schema_StorageOSVolumeSource },
    { .name = "csi", .schema = &ty_schema_CSIVolumeSource },
    { .name = "ephemeral", .schema = &ty_schema_EphemeralVolumeSource },
    { .name = "image", .schema = &ty_schema_ImageVolumeSource },
    { .name = NULL },
};
const struct ty_schema ty_schema_Volume = { .type = TY_T_OBJECT, .go = "Volume", .fields = fields_Volume };

static const char *const list_keys_list_Volume_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_Volume_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_Volume_by_name, .items = &ty_schema_Volume };

static const struct ty_field fields_ContainerPort[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "hostPort", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "containerPort", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "protocol", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"TCP\"" },
    { .name = "hostIP", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ContainerPort = { .type = TY_T_OBJECT, .go = "ContainerPort", .fields = fields_ContainerPort };

static const char *const list_keys_list_ContainerPort_by_containerPort_protocol[] = { "containerPort", "protocol", NULL };
const struct ty_schema ty_schema_list_ContainerPort_by_containerPort_protocol = { .type = TY_T_ARRAY, .list_keys = list_keys_list_ContainerPort_by_containerPort_protocol, .items = &ty_schema_ContainerPort };

static const struct ty_field fields_ConfigMapEnvSource[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_ConfigMapEnvSource = { .type = TY_T_OBJECT, .go = "ConfigMapEnvSource", .fields = fields_ConfigMapEnvSource, .map_atomic = true };

static const struct ty_field fields_SecretEnvSource[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_SecretEnvSource = { .type = TY_T_OBJECT, .go = "SecretEnvSource", .fields = fields_SecretEnvSource, .map_atomic = true };

static const struct ty_field fields_EnvFromSource[] = {
    { .name = "prefix", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "configMapRef", .schema = &ty_schema_ConfigMapEnvSource },
    { .name = "secretRef", .schema = &ty_schema_SecretEnvSource },
    { .name = NULL },
};
const struct ty_schema ty_schema_EnvFromSource = { .type = TY_T_OBJECT, .go = "EnvFromSource", .fields = fields_EnvFromSource };

const struct ty_schema ty_schema_list_EnvFromSource_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_EnvFromSource, .list_atomic = true };

static const struct ty_field fields_ConfigMapKeySelector[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_ConfigMapKeySelector = { .type = TY_T_OBJECT, .go = "ConfigMapKeySelector", .fields = fields_ConfigMapKeySelector, .map_atomic = true };

static const struct ty_field fields_SecretKeySelector[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO, .def = "\"\"" },
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "optional", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_SecretKeySelector = { .type = TY_T_OBJECT, .go = "SecretKeySelector", .fields = fields_SecretKeySelector, .map_atomic = true };

static const struct ty_field fields_FileKeySelector[] = {
    { .name = "volumeName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "optional", .schema = &ty_schema_bool, .def = "false" },
    { .name = NULL },
};
const struct ty_schema ty_schema_FileKeySelector = { .type = TY_T_OBJECT, .go = "FileKeySelector", .fields = fields_FileKeySelector, .map_atomic = true };

static const struct ty_field fields_EnvVarSource[] = {
    { .name = "fieldRef", .schema = &ty_schema_ObjectFieldSelector },
    { .name = "resourceFieldRef", .schema = &ty_schema_ResourceFieldSelector },
    { .name = "configMapKeyRef", .schema = &ty_schema_ConfigMapKeySelector },
    { .name = "secretKeyRef", .schema = &ty_schema_SecretKeySelector },
    { .name = "fileKeyRef", .schema = &ty_schema_FileKeySelector },
    { .name = NULL },
};
const struct ty_schema ty_schema_EnvVarSource = { .type = TY_T_OBJECT, .go = "EnvVarSource", .fields = fields_EnvVarSource };

static const struct ty_field fields_EnvVar[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "value", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "valueFrom", .schema = &ty_schema_EnvVarSource },
    { .name = NULL },
};
const struct ty_schema ty_schema_EnvVar = { .type = TY_T_OBJECT, .go = "EnvVar", .fields = fields_EnvVar };

static const char *const list_keys_list_EnvVar_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_EnvVar_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_EnvVar_by_name, .items = &ty_schema_EnvVar };

static const struct ty_field fields_ResourceClaim[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "request", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ResourceClaim = { .type = TY_T_OBJECT, .go = "ResourceClaim", .fields = fields_ResourceClaim };

static const char *const list_keys_list_ResourceClaim_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_ResourceClaim_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_ResourceClaim_by_name, .items = &ty_schema_ResourceClaim };

static const struct ty_field fields_ResourceRequirements[] = {
    { .name = "limits", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = "requests", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = "claims", .schema = &ty_schema_list_ResourceClaim_by_name, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ResourceRequirements = { .type = TY_T_OBJECT, .go = "ResourceRequirements", .fields = fields_ResourceRequirements };

static const struct ty_field fields_ContainerResizePolicy[] = {
    { .name = "resourceName", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "restartPolicy", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ContainerResizePolicy = { .type = TY_T_OBJECT, .go = "ContainerResizePolicy", .fields = fields_ContainerResizePolicy };

const struct ty_schema ty_schema_list_ContainerResizePolicy_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_ContainerResizePolicy, .list_atomic = true };

static const struct ty_field fields_ContainerRestartRuleOnExitCodes[] = {
    { .name = "operator", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_OMITZERO },
    { .name = "values", .schema = &ty_schema_list_int32_set, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ContainerRestartRuleOnExitCodes = { .type = TY_T_OBJECT, .go = "ContainerRestartRuleOnExitCodes", .fields = fields_ContainerRestartRuleOnExitCodes };

static const struct ty_field fields_ContainerRestartRule[] = {
    { .name = "action", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_OMITZERO },
    { .name = "exitCodes", .schema = &ty_schema_ContainerRestartRuleOnExitCodes },
    { .name = NULL },
};
const struct ty_schema ty_schema_ContainerRestartRule = { .type = TY_T_OBJECT, .go = "ContainerRestartRule", .fields = fields_ContainerRestartRule };

const struct ty_schema ty_schema_list_ContainerRestartRule_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_ContainerRestartRule, .list_atomic = true };

static const struct ty_field fields_VolumeMount[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "readOnly", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "recursiveReadOnly", .schema = &ty_schema_string },
    { .name = "mountPath", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "subPath", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "mountPropagation", .schema = &ty_schema_string },
    { .name = "subPathExpr", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_VolumeMount = { .type = TY_T_OBJECT, .go = "VolumeMount", .fields = fields_VolumeMount };

static const char *const list_keys_list_VolumeMount_by_mountPath[] = { "mountPath", NULL };
const struct ty_schema ty_schema_list_VolumeMount_by_mountPath = { .type = TY_T_ARRAY, .list_keys = list_keys_list_VolumeMount_by_mountPath, .items = &ty_schema_VolumeMount };

static const struct ty_field fields_VolumeDevice[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "devicePath", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_VolumeDevice = { .type = TY_T_OBJECT, .go = "VolumeDevice", .fields = fields_VolumeDevice };

static const char *const list_keys_list_VolumeDevice_by_devicePath[] = { "devicePath", NULL };
const struct ty_schema ty_schema_list_VolumeDevice_by_devicePath = { .type = TY_T_ARRAY, .list_keys = list_keys_list_VolumeDevice_by_devicePath, .items = &ty_schema_VolumeDevice };

static const struct ty_field fields_ExecAction[] = {
    { .name = "command", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ExecAction = { .type = TY_T_OBJECT, .go = "ExecAction", .fields = fields_ExecAction };

static const struct ty_field fields_HTTPHeader[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "value", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_HTTPHeader = { .type = TY_T_OBJECT, .go = "HTTPHeader", .fields = fields_HTTPHeader };

const struct ty_schema ty_schema_list_HTTPHeader_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_HTTPHeader, .list_atomic = true };

static const struct ty_field fields_HTTPGetAction[] = {
    { .name = "path", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "port", .schema = &ty_schema_int_or_string, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = "host", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "scheme", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "httpHeaders", .schema = &ty_schema_list_HTTPHeader_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_HTTPGetAction = { .type = TY_T_OBJECT, .go = "HTTPGetAction", .fields = fields_HTTPGetAction };

static const struct ty_field fields_TCPSocketAction[] = {
    { .name = "port", .schema = &ty_schema_int_or_string, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = "host", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_TCPSocketAction = { .type = TY_T_OBJECT, .go = "TCPSocketAction", .fields = fields_TCPSocketAction };

static const struct ty_field fields_GRPCAction[] = {
    { .name = "port", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "service", .schema = &ty_schema_string, .def = "\"\"" },
    { .name = NULL },
};
const struct ty_schema ty_schema_GRPCAction = { .type = TY_T_OBJECT, .go = "GRPCAction", .fields = fields_GRPCAction };

static const struct ty_field fields_Probe[] = {
    { .name = "exec", .schema = &ty_schema_ExecAction },
    { .name = "httpGet", .schema = &ty_schema_HTTPGetAction },
    { .name = "tcpSocket", .schema = &ty_schema_TCPSocketAction },
    { .name = "grpc", .schema = &ty_schema_GRPCAction },
    { .name = "initialDelaySeconds", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "timeoutSeconds", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "periodSeconds", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "successThreshold", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "failureThreshold", .schema = &ty_schema_int32, .flags = TY_F_OMITZERO },
    { .name = "terminationGracePeriodSeconds", .schema = &ty_schema_int64 },
    { .name = NULL },
};
const struct ty_schema ty_schema_Probe = { .type = TY_T_OBJECT, .go = "Probe", .fields = fields_Probe };

static const struct ty_field fields_SleepAction[] = {
    { .name = "seconds", .schema = &ty_schema_int64, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_SleepAction = { .type = TY_T_OBJECT, .go = "SleepAction", .fields = fields_SleepAction };

static const struct ty_field fields_LifecycleHandler[] = {
    { .name = "exec", .schema = &ty_schema_ExecAction },
    { .name = "httpGet", .schema = &ty_schema_HTTPGetAction },
    { .name = "tcpSocket", .schema = &ty_schema_TCPSocketAction },
    { .name = "sleep", .schema = &ty_schema_SleepAction },
    { .name = NULL },
};
const struct ty_schema ty_schema_LifecycleHandler = { .type = TY_T_OBJECT, .go = "LifecycleHandler", .fields = fields_LifecycleHandler };

static const struct ty_field fields_Lifecycle[] = {
    { .name = "postStart", .schema = &ty_schema_LifecycleHandler },
    { .name = "preStop", .schema = &ty_schema_LifecycleHandler },
    { .name = "stopSignal", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_Lifecycle = { .type = TY_T_OBJECT, .go = "Lifecycle", .fields = fields_Lifecycle };

static const struct ty_field fields_Capabilities[] = {
    { .name = "add", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "drop", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_Capabilities = { .type = TY_T_OBJECT, .go = "Capabilities", .fields = fields_Capabilities };

static const struct ty_field fields_SELinuxOptions[] = {
    { .name = "user", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "role", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "type", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "level", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_SELinuxOptions = { .type = TY_T_OBJECT, .go = "SELinuxOptions", .fields = fields_SELinuxOptions };

static const struct ty_field fields_WindowsSecurityContextOptions[] = {
    { .name = "gmsaCredentialSpecName", .schema = &ty_schema_string },
    { .name = "gmsaCredentialSpec", .schema = &ty_schema_string },
    { .name = "runAsUserName", .schema = &ty_schema_string },
    { .name = "hostProcess", .schema = &ty_schema_bool },
    { .name = NULL },
};
const struct ty_schema ty_schema_WindowsSecurityContextOptions = { .type = TY_T_OBJECT, .go = "WindowsSecurityContextOptions", .fields = fields_WindowsSecurityContextOptions };

static const struct ty_field fields_SeccompProfile[] = {
    { .name = "type", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "localhostProfile", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_SeccompProfile = { .type = TY_T_OBJECT, .go = "SeccompProfile", .fields = fields_SeccompProfile };

static const struct ty_field fields_AppArmorProfile[] = {
    { .name = "type", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "localhostProfile", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_AppArmorProfile = { .type = TY_T_OBJECT, .go = "AppArmorProfile", .fields = fields_AppArmorProfile };

static const struct ty_field fields_SecurityContext[] = {
    { .name = "capabilities", .schema = &ty_schema_Capabilities },
    { .name = "privileged", .schema = &ty_schema_bool },
    { .name = "seLinuxOptions", .schema = &ty_schema_SELinuxOptions },
    { .name = "windowsOptions", .schema = &ty_schema_WindowsSecurityContextOptions },
    { .name = "runAsUser", .schema = &ty_schema_int64 },
    { .name = "runAsGroup", .schema = &ty_schema_int64 },
    { .name = "runAsNonRoot", .schema = &ty_schema_bool },
    { .name = "readOnlyRootFilesystem", .schema = &ty_schema_bool },
    { .name = "allowPrivilegeEscalation", .schema = &ty_schema_bool },
    { .name = "procMount", .schema = &ty_schema_string },
    { .name = "seccompProfile", .schema = &ty_schema_SeccompProfile },
    { .name = "appArmorProfile", .schema = &ty_schema_AppArmorProfile },
    { .name = NULL },
};
const struct ty_schema ty_schema_SecurityContext = { .type = TY_T_OBJECT, .go = "SecurityContext", .fields = fields_SecurityContext };

static const struct ty_field fields_Container[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "image", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "command", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "args", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "workingDir", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "ports", .schema = &ty_schema_list_ContainerPort_by_containerPort_protocol, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "containerPort" },
    { .name = "envFrom", .schema = &ty_schema_list_EnvFromSource_atomic, .flags = TY_F_OMITZERO },
    { .name = "env", .schema = &ty_schema_list_EnvVar_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "resources", .schema = &ty_schema_ResourceRequirements, .flags = TY_F_ALWAYS },
    { .name = "resizePolicy", .schema = &ty_schema_list_ContainerResizePolicy_atomic, .flags = TY_F_OMITZERO },
    { .name = "restartPolicy", .schema = &ty_schema_string },
    { .name = "restartPolicyRules", .schema = &ty_schema_list_ContainerRestartRule_atomic, .flags = TY_F_OMITZERO },
    { .name = "volumeMounts", .schema = &ty_schema_list_VolumeMount_by_mountPath, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "mountPath" },
    { .name = "volumeDevices", .schema = &ty_schema_list_VolumeDevice_by_devicePath, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "devicePath" },
    { .name = "livenessProbe", .schema = &ty_schema_Probe },
    { .name = "readinessProbe", .schema = &ty_schema_Probe },
    { .name = "startupProbe", .schema = &ty_schema_Probe },
    { .name = "lifecycle", .schema = &ty_schema_Lifecycle },
    { .name = "terminationMessagePath", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "terminationMessagePolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "imagePullPolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "securityContext", .schema = &ty_schema_SecurityContext },
    { .name = "stdin", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "stdinOnce", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "tty", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_Container = { .type = TY_T_OBJECT, .go = "Container", .fields = fields_Container };

static const char *const list_keys_list_Container_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_Container_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_Container_by_name, .items = &ty_schema_Container };

static const struct ty_field fields_EphemeralContainer[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "image", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "command", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "args", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "workingDir", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "ports", .schema = &ty_schema_list_ContainerPort_by_containerPort_protocol, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "containerPort" },
    { .name = "envFrom", .schema = &ty_schema_list_EnvFromSource_atomic, .flags = TY_F_OMITZERO },
    { .name = "env", .schema = &ty_schema_list_EnvVar_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "resources", .schema = &ty_schema_ResourceRequirements, .flags = TY_F_ALWAYS },
    { .name = "resizePolicy", .schema = &ty_schema_list_ContainerResizePolicy_atomic, .flags = TY_F_OMITZERO },
    { .name = "restartPolicy", .schema = &ty_schema_string },
    { .name = "restartPolicyRules", .schema = &ty_schema_list_ContainerRestartRule_atomic, .flags = TY_F_OMITZERO },
    { .name = "volumeMounts", .schema = &ty_schema_list_VolumeMount_by_mountPath, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "mountPath" },
    { .name = "volumeDevices", .schema = &ty_schema_list_VolumeDevice_by_devicePath, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "devicePath" },
    { .name = "livenessProbe", .schema = &ty_schema_Probe },
    { .name = "readinessProbe", .schema = &ty_schema_Probe },
    { .name = "startupProbe", .schema = &ty_schema_Probe },
    { .name = "lifecycle", .schema = &ty_schema_Lifecycle },
    { .name = "terminationMessagePath", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "terminationMessagePolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "imagePullPolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "securityContext", .schema = &ty_schema_SecurityContext },
    { .name = "stdin", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "stdinOnce", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "tty", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "targetContainerName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_EphemeralContainer = { .type = TY_T_OBJECT, .go = "EphemeralContainer", .fields = fields_EphemeralContainer };

static const char *const list_keys_list_EphemeralContainer_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_EphemeralContainer_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_EphemeralContainer_by_name, .items = &ty_schema_EphemeralContainer };

static const struct ty_field fields_Sysctl[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "value", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_Sysctl = { .type = TY_T_OBJECT, .go = "Sysctl", .fields = fields_Sysctl };

const struct ty_schema ty_schema_list_Sysctl_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_Sysctl, .list_atomic = true };

const struct ty_field ty_fields_PodSecurityContext[] = {
    { .name = "seLinuxOptions", .schema = &ty_schema_SELinuxOptions },
    { .name = "windowsOptions", .schema = &ty_schema_WindowsSecurityContextOptions },
    { .name = "runAsUser", .schema = &ty_schema_int64 },
    { .name = "runAsGroup", .schema = &ty_schema_int64 },
    { .name = "runAsNonRoot", .schema = &ty_schema_bool },
    { .name = "supplementalGroups", .schema = &ty_schema_list_int64_atomic, .flags = TY_F_OMITZERO },
    { .name = "supplementalGroupsPolicy", .schema = &ty_schema_string },
    { .name = "fsGroup", .schema = &ty_schema_int64 },
    { .name = "sysctls", .schema = &ty_schema_list_Sysctl_atomic, .flags = TY_F_OMITZERO },
    { .name = "fsGroupChangePolicy", .schema = &ty_schema_string },
    { .name = "seccompProfile", .schema = &ty_schema_SeccompProfile },
    { .name = "appArmorProfile", .schema = &ty_schema_AppArmorProfile },
    { .name = "seLinuxChangePolicy", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodSecurityContext = { .type = TY_T_OBJECT, .go = "PodSecurityContext", .fields = ty_fields_PodSecurityContext };

static const char *const list_keys_list_LocalObjectReference_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_LocalObjectReference_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_LocalObjectReference_by_name, .items = &ty_schema_LocalObjectReference };

static const struct ty_field fields_NodeSelectorRequirement[] = {
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "operator", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "values", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_NodeSelectorRequirement = { .type = TY_T_OBJECT, .go = "NodeSelectorRequirement", .fields = fields_NodeSelectorRequirement };

const struct ty_schema ty_schema_list_NodeSelectorRequirement_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_NodeSelectorRequirement, .list_atomic = true };

static const struct ty_field fields_NodeSelectorTerm[] = {
    { .name = "matchExpressions", .schema = &ty_schema_list_NodeSelectorRequirement_atomic, .flags = TY_F_OMITZERO },
    { .name = "matchFields", .schema = &ty_schema_list_NodeSelectorRequirement_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_NodeSelectorTerm = { .type = TY_T_OBJECT, .go = "NodeSelectorTerm", .fields = fields_NodeSelectorTerm, .map_atomic = true };

const struct ty_schema ty_schema_list_NodeSelectorTerm_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_NodeSelectorTerm, .list_atomic = true };

static const struct ty_field fields_NodeSelector[] = {
    { .name = "nodeSelectorTerms", .schema = &ty_schema_list_NodeSelectorTerm_atomic, .flags = TY_F_REQUIRED },
    { .name = NULL },
};
const struct ty_schema ty_schema_NodeSelector = { .type = TY_T_OBJECT, .go = "NodeSelector", .fields = fields_NodeSelector, .map_atomic = true };

static const struct ty_field fields_PreferredSchedulingTerm[] = {
    { .name = "weight", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "preference", .schema = &ty_schema_NodeSelectorTerm, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_PreferredSchedulingTerm = { .type = TY_T_OBJECT, .go = "PreferredSchedulingTerm", .fields = fields_PreferredSchedulingTerm };

const struct ty_schema ty_schema_list_PreferredSchedulingTerm_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PreferredSchedulingTerm, .list_atomic = true };

static const struct ty_field fields_NodeAffinity[] = {
    { .name = "requiredDuringSchedulingIgnoredDuringExecution", .schema = &ty_schema_NodeSelector },
    { .name = "preferredDuringSchedulingIgnoredDuringExecution", .schema = &ty_schema_list_PreferredSchedulingTerm_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_NodeAffinity = { .type = TY_T_OBJECT, .go = "NodeAffinity", .fields = fields_NodeAffinity };

static const struct ty_field fields_PodAffinityTerm[] = {
    { .name = "labelSelector", .schema = &ty_schema_LabelSelector },
    { .name = "namespaces", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "topologyKey", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "namespaceSelector", .schema = &ty_schema_LabelSelector },
    { .name = "matchLabelKeys", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "mismatchLabelKeys", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodAffinityTerm = { .type = TY_T_OBJECT, .go = "PodAffinityTerm", .fields = fields_PodAffinityTerm };

const struct ty_schema ty_schema_list_PodAffinityTerm_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PodAffinityTerm, .list_atomic = true };

static const struct ty_field fields_WeightedPodAffinityTerm[] = {
    { .name = "weight", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "podAffinityTerm", .schema = &ty_schema_PodAffinityTerm, .flags = TY_F_REQUIRED | TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_WeightedPodAffinityTerm = { .type = TY_T_OBJECT, .go = "WeightedPodAffinityTerm", .fields = fields_WeightedPodAffinityTerm };

const struct ty_schema ty_schema_list_WeightedPodAffinityTerm_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_WeightedPodAffinityTerm, .list_atomic = true };

static const struct ty_field fields_PodAffinity[] = {
    { .name = "requiredDuringSchedulingIgnoredDuringExecution", .schema = &ty_schema_list_PodAffinityTerm_atomic, .flags = TY_F_OMITZERO },
    { .name = "preferredDuringSchedulingIgnoredDuringExecution", .schema = &ty_schema_list_WeightedPodAffinityTerm_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodAffinity = { .type = TY_T_OBJECT, .go = "PodAffinity", .fields = fields_PodAffinity };

static const struct ty_field fields_PodAntiAffinity[] = {
    { .name = "requiredDuringSchedulingIgnoredDuringExecution", .schema = &ty_schema_list_PodAffinityTerm_atomic, .flags = TY_F_OMITZERO },
    { .name = "preferredDuringSchedulingIgnoredDuringExecution", .schema = &ty_schema_list_WeightedPodAffinityTerm_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodAntiAffinity = { .type = TY_T_OBJECT, .go = "PodAntiAffinity", .fields = fields_PodAntiAffinity };

static const struct ty_field fields_Affinity[] = {
    { .name = "nodeAffinity", .schema = &ty_schema_NodeAffinity },
    { .name = "podAffinity", .schema = &ty_schema_PodAffinity },
    { .name = "podAntiAffinity", .schema = &ty_schema_PodAntiAffinity },
    { .name = NULL },
};
const struct ty_schema ty_schema_Affinity = { .type = TY_T_OBJECT, .go = "Affinity", .fields = fields_Affinity };

static const struct ty_field fields_Toleration[] = {
    { .name = "key", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "operator", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "value", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "effect", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "tolerationSeconds", .schema = &ty_schema_int64 },
    { .name = NULL },
};
const struct ty_schema ty_schema_Toleration = { .type = TY_T_OBJECT, .go = "Toleration", .fields = fields_Toleration };

const struct ty_schema ty_schema_list_Toleration_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_Toleration, .list_atomic = true };

static const struct ty_field fields_HostAlias[] = {
    { .name = "ip", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "hostnames", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_HostAlias = { .type = TY_T_OBJECT, .go = "HostAlias", .fields = fields_HostAlias };

static const char *const list_keys_list_HostAlias_by_ip[] = { "ip", NULL };
const struct ty_schema ty_schema_list_HostAlias_by_ip = { .type = TY_T_ARRAY, .list_keys = list_keys_list_HostAlias_by_ip, .items = &ty_schema_HostAlias };

static const struct ty_field fields_PodDNSConfigOption[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "value", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodDNSConfigOption = { .type = TY_T_OBJECT, .go = "PodDNSConfigOption", .fields = fields_PodDNSConfigOption };

const struct ty_schema ty_schema_list_PodDNSConfigOption_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PodDNSConfigOption, .list_atomic = true };

static const struct ty_field fields_PodDNSConfig[] = {
    { .name = "nameservers", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "searches", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "options", .schema = &ty_schema_list_PodDNSConfigOption_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodDNSConfig = { .type = TY_T_OBJECT, .go = "PodDNSConfig", .fields = fields_PodDNSConfig };

static const struct ty_field fields_PodReadinessGate[] = {
    { .name = "conditionType", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodReadinessGate = { .type = TY_T_OBJECT, .go = "PodReadinessGate", .fields = fields_PodReadinessGate };

const struct ty_schema ty_schema_list_PodReadinessGate_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PodReadinessGate, .list_atomic = true };

static const struct ty_field fields_TopologySpreadConstraint[] = {
    { .name = "maxSkew", .schema = &ty_schema_int32, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "topologyKey", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "whenUnsatisfiable", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "labelSelector", .schema = &ty_schema_LabelSelector },
    { .name = "minDomains", .schema = &ty_schema_int32 },
    { .name = "nodeAffinityPolicy", .schema = &ty_schema_string },
    { .name = "nodeTaintsPolicy", .schema = &ty_schema_string },
    { .name = "matchLabelKeys", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_TopologySpreadConstraint = { .type = TY_T_OBJECT, .go = "TopologySpreadConstraint", .fields = fields_TopologySpreadConstraint };

static const char *const list_keys_list_TopologySpreadConstraint_by_topologyKey_whenUnsatisfiable[] = { "topologyKey", "whenUnsatisfiable", NULL };
const struct ty_schema ty_schema_list_TopologySpreadConstraint_by_topologyKey_whenUnsatisfiable = { .type = TY_T_ARRAY, .list_keys = list_keys_list_TopologySpreadConstraint_by_topologyKey_whenUnsatisfiable, .items = &ty_schema_TopologySpreadConstraint };

static const struct ty_field fields_PodOS[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodOS = { .type = TY_T_OBJECT, .go = "PodOS", .fields = fields_PodOS };

static const struct ty_field fields_PodSchedulingGate[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodSchedulingGate = { .type = TY_T_OBJECT, .go = "PodSchedulingGate", .fields = fields_PodSchedulingGate };

static const char *const list_keys_list_PodSchedulingGate_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_PodSchedulingGate_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_PodSchedulingGate_by_name, .items = &ty_schema_PodSchedulingGate };

static const struct ty_field fields_PodResourceClaim[] = {
    { .name = "name", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "resourceClaimName", .schema = &ty_schema_string },
    { .name = "resourceClaimTemplateName", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodResourceClaim = { .type = TY_T_OBJECT, .go = "PodResourceClaim", .fields = fields_PodResourceClaim };

static const char *const list_keys_list_PodResourceClaim_by_name[] = { "name", NULL };
const struct ty_schema ty_schema_list_PodResourceClaim_by_name = { .type = TY_T_ARRAY, .list_keys = list_keys_list_PodResourceClaim_by_name, .items = &ty_schema_PodResourceClaim };

static const struct ty_field fields_PodSchedulingGroup[] = {
    { .name = "podGroupName", .schema = &ty_schema_string },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodSchedulingGroup = { .type = TY_T_OBJECT, .go = "PodSchedulingGroup", .fields = fields_PodSchedulingGroup };

static const struct ty_field fields_PodSpec[] = {
    { .name = "volumes", .schema = &ty_schema_list_Volume_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE | TY_F_RETAIN, .patch_key = "name" },
    { .name = "initContainers", .schema = &ty_schema_list_Container_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "containers", .schema = &ty_schema_list_Container_by_name, .flags = TY_F_REQUIRED | TY_F_MERGE, .patch_key = "name" },
    { .name = "ephemeralContainers", .schema = &ty_schema_list_EphemeralContainer_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "restartPolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "terminationGracePeriodSeconds", .schema = &ty_schema_int64 },
    { .name = "activeDeadlineSeconds", .schema = &ty_schema_int64 },
    { .name = "dnsPolicy", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "nodeSelector", .schema = &ty_schema_map_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "serviceAccountName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "serviceAccount", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "automountServiceAccountToken", .schema = &ty_schema_bool },
    { .name = "nodeName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "hostNetwork", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "hostPID", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "hostIPC", .schema = &ty_schema_bool, .flags = TY_F_OMITZERO },
    { .name = "shareProcessNamespace", .schema = &ty_schema_bool },
    { .name = "securityContext", .schema = &ty_schema_PodSecurityContext },
    { .name = "imagePullSecrets", .schema = &ty_schema_list_LocalObjectReference_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "hostname", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "subdomain", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "affinity", .schema = &ty_schema_Affinity },
    { .name = "schedulerName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "tolerations", .schema = &ty_schema_list_Toleration_atomic, .flags = TY_F_OMITZERO },
    { .name = "hostAliases", .schema = &ty_schema_list_HostAlias_by_ip, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "ip" },
    { .name = "priorityClassName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "priority", .schema = &ty_schema_int32 },
    { .name = "dnsConfig", .schema = &ty_schema_PodDNSConfig },
    { .name = "readinessGates", .schema = &ty_schema_list_PodReadinessGate_atomic, .flags = TY_F_OMITZERO },
    { .name = "runtimeClassName", .schema = &ty_schema_string },
    { .name = "enableServiceLinks", .schema = &ty_schema_bool },
    { .name = "preemptionPolicy", .schema = &ty_schema_string },
    { .name = "overhead", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = "topologySpreadConstraints", .schema = &ty_schema_list_TopologySpreadConstraint_by_topologyKey_whenUnsatisfiable, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "topologyKey" },
    { .name = "setHostnameAsFQDN", .schema = &ty_schema_bool },
    { .name = "os", .schema = &ty_schema_PodOS },
    { .name = "hostUsers", .schema = &ty_schema_bool },
    { .name = "schedulingGates", .schema = &ty_schema_list_PodSchedulingGate_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "name" },
    { .name = "resourceClaims", .schema = &ty_schema_list_PodResourceClaim_by_name, .flags = TY_F_OMITZERO | TY_F_MERGE | TY_F_RETAIN, .patch_key = "name" },
    { .name = "resources", .schema = &ty_schema_ResourceRequirements },
    { .name = "hostnameOverride", .schema = &ty_schema_string },
    { .name = "schedulingGroup", .schema = &ty_schema_PodSchedulingGroup },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodSpec = { .type = TY_T_OBJECT, .go = "PodSpec", .fields = fields_PodSpec };

static const struct ty_field fields_PodTemplateSpec[] = {
    { .name = "metadata", .schema = &ty_schema_ObjectMeta, .flags = TY_F_ALWAYS },
    { .name = "spec", .schema = &ty_schema_PodSpec, .flags = TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_PodTemplateSpec = { .type = TY_T_OBJECT, .go = "PodTemplateSpec", .fields = fields_PodTemplateSpec };

static const struct ty_field fields_PersistentVolumeClaimCondition[] = {
    { .name = "type", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "status", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = "lastProbeTime", .schema = &ty_schema_time, .flags = TY_F_ALWAYS },
    { .name = "lastTransitionTime", .schema = &ty_schema_time, .flags = TY_F_ALWAYS },
    { .name = "reason", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "message", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_PersistentVolumeClaimCondition = { .type = TY_T_OBJECT, .go = "PersistentVolumeClaimCondition", .fields = fields_PersistentVolumeClaimCondition };

static const char *const list_keys_list_PersistentVolumeClaimCondition_by_type[] = { "type", NULL };
const struct ty_schema ty_schema_list_PersistentVolumeClaimCondition_by_type = { .type = TY_T_ARRAY, .list_keys = list_keys_list_PersistentVolumeClaimCondition_by_type, .items = &ty_schema_PersistentVolumeClaimCondition };

static const struct ty_field fields_ModifyVolumeStatus[] = {
    { .name = "targetVolumeAttributesClassName", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "status", .schema = &ty_schema_string, .flags = TY_F_REQUIRED | TY_F_ZERO },
    { .name = NULL },
};
const struct ty_schema ty_schema_ModifyVolumeStatus = { .type = TY_T_OBJECT, .go = "ModifyVolumeStatus", .fields = fields_ModifyVolumeStatus };

static const struct ty_field fields_PersistentVolumeClaimStatus[] = {
    { .name = "phase", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "accessModes", .schema = &ty_schema_list_string_atomic, .flags = TY_F_OMITZERO },
    { .name = "capacity", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = "conditions", .schema = &ty_schema_list_PersistentVolumeClaimCondition_by_type, .flags = TY_F_OMITZERO | TY_F_MERGE, .patch_key = "type" },
    { .name = "allocatedResources", .schema = &ty_schema_map_quantity, .flags = TY_F_OMITZERO },
    { .name = "allocatedResourceStatuses", .schema = &ty_schema_map_string, .flags = TY_F_OMITZERO },
    { .name = "currentVolumeAttributesClassName", .schema = &ty_schema_string },
    { .name = "modifyVolumeStatus", .schema = &ty_schema_ModifyVolumeStatus },
    { .name = NULL },
};
const struct ty_schema ty_schema_PersistentVolumeClaimStatus = { .type = TY_T_OBJECT, .go = "PersistentVolumeClaimStatus", .fields = fields_PersistentVolumeClaimStatus };

static const struct ty_field fields_PersistentVolumeClaim[] = {
    { .name = "kind", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "apiVersion", .schema = &ty_schema_string, .flags = TY_F_OMITZERO },
    { .name = "metadata", .schema = &ty_schema_ObjectMeta, .flags = TY_F_ALWAYS },
    { .name = "spec", .schema = &ty_schema_PersistentVolumeClaimSpec, .flags = TY_F_ALWAYS },
    { .name = "status", .schema = &ty_schema_PersistentVolumeClaimStatus, .flags = TY_F_ALWAYS },
    { .name = NULL },
};
const struct ty_schema ty_schema_PersistentVolumeClaim = { .type = TY_T_OBJECT, .go = "PersistentVolumeClaim", .fields = fields_PersistentVolumeClaim };

const struct ty_schema ty_schema_list_PersistentVolumeClaim_atomic = { .type = TY_T_ARRAY, .items = &ty_schema_PersistentVolumeClaim, .list_atomic = true, .max_items = 50 };
