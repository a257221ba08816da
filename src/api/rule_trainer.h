/* The CEL rules of trainer.kubeflow.org in C, as ty_rule.ok: true means that the value is valid. */
#ifndef TY_API_RULE_TRAINER_H
#define TY_API_RULE_TRAINER_H

#include "api/schema.h"

/* TrainJob */
bool ty_rule_name_is_label(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_name_is_short(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_storage_uri(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_managed_by(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_int_or_word(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_initializer_unchanged(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_trainer_unchanged(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_containers_unchanged(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_has_update_time(const struct ty_json *self, const struct ty_json *old);

/* Runtimes */
/* At most one policy, and the same as CEL text (lives with the arena). Both read the schema table
 * of mlPolicy: a new policy needs no change here. */
bool ty_rule_one_policy(const struct ty_json *self, const struct ty_json *old);
const char *ty_rule_one_policy_cel(struct ty_arena *a);
bool ty_rule_at_least_one(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_positive_or_word(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_elastic_range(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_mpi_implementation(const struct ty_json *self, const struct ty_json *old);
bool ty_rule_not_node(const struct ty_json *self, const struct ty_json *old);

/* One rule "field is immutable"; ok compares self with oldSelf. */
#define TY_IMMUTABLE(fn)                                                                           \
    {                                                                                              \
        .cel = "self == oldSelf", .message = "field is immutable", .transition = true, .ok = (fn)  \
    }
/* "field is immutable" for values whose equality does not depend on the schema; ends with message
 * NULL. */
extern const struct ty_rule ty_rules_immutable[];
extern const struct ty_rule ty_rules_immutable_by_name[]; /* for map lists with the key "name" */

#endif
