/* The CEL rules and patterns of the JobSet CRD in C. The generated tables (gen/) name these; so may
 * ours where the rule is the same. Rules follow ty_rule.ok: true means the value is fine. */
#ifndef TY_API_RULE_JOBSET_H
#define TY_API_RULE_JOBSET_H

#include "json/json.h"

/* self == oldSelf, of scalars, objects and lists whose order counts. */
bool ty_rule_unchanged(const struct ty_json *self, const struct ty_json *old);
/* The same of a list of x-kubernetes-list-type map keyed by `name`: CEL does not see its order. */
bool ty_rule_unchanged_by_name(const struct ty_json *self, const struct ty_json *old);

bool ty_rule_startup_or_depends(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_claims_without_namespace(const struct ty_json *self, const struct ty_json *old);

bool ty_rule_pattern_reason(struct ty_str s); /* metav1.Condition's reason: CamelCase word */
bool ty_rule_pattern_condition_type(struct ty_str s); /* [dns.subdomain/]Word */

#endif
