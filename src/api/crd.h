/* The CustomResourceDefinitions that trainyard publishes. */
#ifndef TY_API_CRD_H
#define TY_API_CRD_H

#include "api/kind.h"

/* The complete apiextensions.k8s.io/v1 object of a trainer.kubeflow.org kind; lives with the arena.
 */
struct ty_json *ty_crd(struct ty_arena *a, const struct ty_kind *k);

#endif
