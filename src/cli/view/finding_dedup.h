/* Which fields of which objects have a finding already, to tell what says the same again. A tree of
 * path steps for each object, so that a question costs the length of its path, however many
 * findings there are. */
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
    bool whole;       /* by a rule about the whole object, which names the field; "" none */
    bool shape;       /* the value has the wrong type */
};
void ty_finding_dedup_add(struct ty_finding_dedup *b, const struct ty_finding_key *it);
/* Was it said before, in other words? A rule about the whole object repeats what was said of its
 * field or of what that field is in; a field repeats such a rule about itself, and what was said of
 * the shape of something that it is in. */
bool ty_finding_dedup_repeats(const struct ty_finding_dedup *b, const struct ty_finding_key *it);

#endif
