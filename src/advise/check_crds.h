/* Compares CRDs of a cluster with ours. */
#ifndef TY_ADVISE_CHECK_CRDS_H
#define TY_ADVISE_CHECK_CRDS_H

#include "json/json.h"

/* The path of the first property of `ours` (an openAPIV3Schema) that `theirs` lacks; NULL: none. */
const char *ty_check_crds_missing(struct ty_arena *a, const struct ty_json *ours,
                                  const struct ty_json *theirs);
/* The schema of this version of a CRD, if it is served; else NULL. */
const struct ty_json *ty_check_crds_schema(const struct ty_json *crd, const char *version);

#endif
