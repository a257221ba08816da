/* Reconciles one object of the store. */
#ifndef TY_ENGINE_ENGINE_RECONCILE_H
#define TY_ENGINE_ENGINE_RECONCILE_H

#include "api/kind.h"
#include "base/err.h"
#include "base/str.h"

struct ty_engine;
struct ty_json;
struct ty_trainjob_reconcile;

void ty_engine_reconcile(struct ty_engine *e, const struct ty_kind *kind, struct ty_str ns,
                         struct ty_str name);
/* Renders a TrainJob without writing anything. -EIO: no random bytes. */
int ty_engine_desired(struct ty_engine *e, const struct ty_json *job,
                      struct ty_trainjob_reconcile *ret, struct ty_err *err);

#endif
