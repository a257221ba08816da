/* A simulated cluster for golden cases: objects by kind and name, and the operator's loop over
 * them. trainyard's own admission stands for the API server (defaults, schema, rules, webhooks). */
#ifndef TY_GOLDEN_FAKE_CLUSTER_H
#define TY_GOLDEN_FAKE_CLUSTER_H

#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"

struct fake_cluster;

/* Lives with the arena. */
struct fake_cluster *fake_cluster_new(struct ty_arena *a);
/* Creates the object, or executes the x-step; returns {op, code, message?}. */
struct ty_json *fake_cluster_step(struct fake_cluster *w, struct ty_json *doc);
/* If `changed`, reconciles every TrainJob until nothing changes; adds applied, events, failed,
 * trainjobs. */
void fake_cluster_settle(struct fake_cluster *w, struct ty_json *stage, bool changed);

#endif
