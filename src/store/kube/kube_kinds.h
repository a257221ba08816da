/* Kinds that exist only in a cluster. They have no schema table: they are not validated, and
 * `explain` does not know them. */
#ifndef TY_STORE_KUBE_KUBE_KINDS_H
#define TY_STORE_KUBE_KUBE_KINDS_H

#include "api/kind.h"

extern const struct ty_kind ty_kind_event, /* core v1 */
    ty_kind_event_v1,                      /* events.k8s.io/v1 */
    ty_kind_lease, ty_kind_namespace, ty_kind_crd, ty_kind_tokenreview, ty_kind_accessreview,
    ty_kind_mutatingwebhook, ty_kind_validatingwebhook, /* the configurations */
    ty_kind_deployment, ty_kind_endpointslice, ty_kind_clusterrole, ty_kind_clusterrolebinding;

#endif
