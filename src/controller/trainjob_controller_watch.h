/* The reflectors of the controllers: their events update the cache and enqueue keys. */
#ifndef TY_CONTROLLER_TRAINJOB_CONTROLLER_WATCH_H
#define TY_CONTROLLER_TRAINJOB_CONTROLLER_WATCH_H

#include "controller/trainjob_controller_inner.h"

void ty_trainjob_controller_watch_all(struct ty_trainjob_controller *j);
/* A new leader relists kinds whose watch is stale: writes of the last leader may be missing from
 * the cache. */
void ty_trainjob_controller_relist(struct ty_trainjob_controller *j);
bool ty_trainjob_controller_is_stale(const struct ty_trainjob_controller *j);
struct ty_reflector *ty_trainjob_controller_reflect(const struct ty_trainjob_controller *j,
                                                    const struct ty_kind *kind);
/* For ty_reconcile_in, with ctx = the controller: why a kind cannot be watched at the moment; NULL:
 * it is watched. */
const char *ty_trainjob_controller_watch_error(void *ctx, const struct ty_kind *kind);

#endif
