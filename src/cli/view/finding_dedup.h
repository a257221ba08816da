/* Detects findings that repeat an earlier one. A tree of path steps for each object, so that a
 * lookup costs the length of its path, however many findings there are. */
#ifndef TY_CLI_VIEW_FINDING_DEDUP_H
#define TY_CLI_VIEW_FINDING_DEDUP_H

#include "base/arena.h"
#include "base/map.h"
#include "json/json.h"

struct ty_finding_dedup {
    struct ty_arena *arena;
    struct ty_map steps; /* step above and this one's text -> struct step */
};
void ty_finding_dedup_done(struct ty_finding_dedup *b); /* all zero is an empty one */

struct ty_finding_key {
    const struct ty_json *object;
    const char *path; /* of the field: spec.trainer.env[1].name */
    bool whole;       /* the field that a rule about the whole object names; "" none */
    bool shape;       /* the value has the wrong type */
};
void ty_finding_dedup_add(struct ty_finding_dedup *b, const struct ty_finding_key *it);
/* True if the finding repeats an earlier one: a rule about the whole object repeats a finding about
 * the field that it names or about a parent of it; a field's finding repeats such a rule about the
 * field, and a wrong type of one of its parents. */
bool ty_finding_dedup_repeats(const struct ty_finding_dedup *b, const struct ty_finding_key *it);

#endif
