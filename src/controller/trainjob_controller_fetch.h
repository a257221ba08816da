/* Fetches live objects that a reconcile needs and the cache does not store whole. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_FETCH_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_FETCH_H

#include "controller/trainjob_controller_inner.h"

/* Gets the object that w->result names, then calls
 * ty_trainjob_controller_reconcile_again or ty_trainjob_controller_write_done. */
void ty_trainjob_controller_fetch(struct ty_inflight *w);
/* The fetched objects, parsed; they live with the arena. */
const struct ty_fetched *ty_trainjob_controller_fetched(struct ty_arena *a,
                                                        const struct ty_inflight *w);

#endif
