/* One line about a failure, for events and conditions: who may read those need not have the right
 * to read container logs, so it is masked and short. Pure. */
#ifndef TY_FAILURE_FAILURE_TEXT_H
#define TY_FAILURE_FAILURE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

#define TY_FAILURE_TEXT_BYTES ((size_t)1024)

/* One line without control characters, credentials replaced (report/mask_secrets.h), at most
 * TY_FAILURE_TEXT_BYTES, cut at a character. Lives with the arena. */
struct ty_str ty_failure_text_line(struct ty_arena *a, struct ty_str text);
/* The same for the condition, where "first failure: " stands before it: "node-0-1 (rank 3) failed
 * first: ValueError: boom" without "failed first". */
struct ty_str ty_failure_text_note(struct ty_arena *a, struct ty_str headline);
/* "node-0-1" of pod "ddp-node-0-1-x7k2p" of job "ddp": for a pod of which only the name is known.
 */
const char *ty_failure_text_node(struct ty_arena *a, struct ty_str pod, struct ty_str job);

#endif
