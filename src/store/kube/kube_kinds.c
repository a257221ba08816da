#include "store/kube/kube_kinds.h"

#define KIND(symbol, group_, version_, kind_, plural_, singular_, in_ns)                           \
    const struct ty_kind symbol = { .group = (group_),                                             \
                                    .version = (version_),                                         \
                                    .kind = (kind_),                                               \
                                    .plural = (plural_),                                           \
                                    .singular = (singular_),                                       \
                                    .namespaced = (in_ns) }

KIND(ty_kind_event, "", "v1", "Event", "events", "event", true);
KIND(ty_kind_event_v1, "events.k8s.io", "v1", "Event", "events", "event", true);
KIND(ty_kind_namespace, "", "v1", "Namespace", "namespaces", "namespace", false);
KIND(ty_kind_lease, "coordination.k8s.io", "v1", "Lease", "leases", "lease", true);
KIND(ty_kind_crd, "apiextensions.k8s.io", "v1", "CustomResourceDefinition",
     "customresourcedefinitions", "customresourcedefinition", false);
KIND(ty_kind_tokenreview, "authentication.k8s.io", "v1", "TokenReview", "tokenreviews",
     "tokenreview", false);
KIND(ty_kind_accessreview, "authorization.k8s.io", "v1", "SubjectAccessReview",
     "subjectaccessreviews", "subjectaccessreview", false);
KIND(ty_kind_mutatingwebhook, "admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
     "mutatingwebhookconfigurations", "mutatingwebhookconfiguration", false);
KIND(ty_kind_validatingwebhook, "admissionregistration.k8s.io", "v1",
     "ValidatingWebhookConfiguration", "validatingwebhookconfigurations",
     "validatingwebhookconfiguration", false);
KIND(ty_kind_deployment, "apps", "v1", "Deployment", "deployments", "deployment", true);
KIND(ty_kind_endpointslice, "discovery.k8s.io", "v1", "EndpointSlice", "endpointslices",
     "endpointslice", true);
KIND(ty_kind_clusterrole, "rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles",
     "clusterrole", false);
KIND(ty_kind_clusterrolebinding, "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding",
     "clusterrolebindings", "clusterrolebinding", false);
