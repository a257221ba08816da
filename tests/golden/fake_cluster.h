/* A small world for golden cases: objects by kind and name, and the operator's loop over them. What
 * the API server does to an object (defaults, schema, rules, webhooks) is done by our own
 * admission. */
#ifndef TY_GOLDEN_WORLD_H
#define TY_GOLDEN_WORLD_H

#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"

struct world;

/* Lives with the arena. */
struct world *world_new(struct ty_arena *a);
/* Creates the object or carries out the x-step; gives {op, code, message?}. */
struct ty_json *world_step(struct world *w, struct ty_json *doc);
/* If `changed`, passes over every TrainJob until nothing changes; adds applied, events, failed,
 * trainjobs. */
void world_settle(struct world *w, struct ty_json *stage, bool changed);

#endif
