/* The CEL rules and patterns of the JobSet CRD in C, for the generated tables (gen/) and for tables
 * of the trainer group with the same rules. As ty_rule.ok: true means that the value is valid. */
#ifndef TY_API_RULE_JOBSET_H
#define TY_API_RULE_JOBSET_H

#include "json/json.h"

/* self == oldSelf, for scalars, objects and lists whose order matters. */
bool ty_rule_unchanged(const struct ty_json *self, const struct ty_json *old);
/* The same for a list of x-kubernetes-list-type map with the key `name`, whose order does not
 * matter. */
bool ty_rule_unchanged_by_name(const struct ty_json *self, const struct ty_json *old);

bool ty_rule_startup_or_depends(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_claims_without_namespace(const struct ty_json *self, const struct ty_json *old);

bool ty_rule_pattern_reason(struct ty_str s); /* metav1.Condition's reason: CamelCase word */
bool ty_rule_pattern_condition_type(struct ty_str s); /* [dns.subdomain/]Word */

#endif
