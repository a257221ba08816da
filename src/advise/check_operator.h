/* Finds the operator of a cluster, whichever it is. */
#ifndef TY_ADVISE_CHECK_OPERATOR_H
#define TY_ADVISE_CHECK_OPERATOR_H

#include "base/arena.h"
#include "json/json.h"

struct ty_cluster_object;
struct ty_doctor_in;

/* The operator's Deployment, by its name or its labels: it, or why it cannot be read; NULL: none.
 */
const struct ty_cluster_object *ty_check_operator_find(const struct ty_doctor_in *in,
                                                       struct ty_arena *a);
/* The image of the first container of a Deployment. */
struct ty_str ty_check_operator_image(const struct ty_json *deployment);
bool ty_check_operator_is_upstream(struct ty_str image); /* Kubeflow Trainer's own manager */

#endif
