/* What an API server, or a webhook behind it, refused, in the words and at the place of the user's
 * file. Without I/O. */
#ifndef TY_CLI_CLUSTER_REFUSAL_H
#define TY_CLI_CLUSTER_REFUSAL_H

#include "cli/cluster/cluster_session.h"
#include "cli/view/findings.h"

/* Adds what the answer says of the document: each of its causes (422, or the conflicts of an
 * apply), the field that a webhook's message begins with, or the message. Lives with the arena of
 * f. */
void ty_refusal_add(struct ty_findings *f, const struct ty_doc *doc, const struct ty_json *status,
                    const char *message);
/* A conflict of an apply (409), and with no other field manager than that of this program, which
 * owns the fields by a create or a patch: the server tells that from an apply of the same name. */
bool ty_refusal_is_own_conflict(struct ty_arena *a, const struct ty_cluster_answer *answer);
/* 403 by the authorizer, and not by a webhook or a quota. */
bool ty_refusal_is_rights(const struct ty_cluster_answer *answer);

#endif
