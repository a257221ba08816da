/* What an API server, or a webhook behind it, refused, in the words and at the place of the user's
 * file. Without I/O. */
#ifndef TY_CLI_CLUSTER_REFUSAL_H
#define TY_CLI_CLUSTER_REFUSAL_H

#include "cli/cluster/cluster_session.h"
#include "cli/view/findings.h"

/* Adds what the answer says of the document: each of its causes (422), the field that a webhook's
 * message begins with, or the message. Lives with the arena of f. */
void ty_refusal_add(struct ty_findings *f, const struct ty_doc *doc, const struct ty_json *status,
                    const char *message);
/* 403 by the authorizer, and not by a webhook or a quota. */
bool ty_refusal_is_rights(const struct ty_cluster_answer *answer);

#endif
