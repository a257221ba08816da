/* The functions that out-of-tree plugins may call, and the state behind their opaque plan. */
#ifndef TY_PLUGIN_HOST_EXTERN_HOST_H
#define TY_PLUGIN_HOST_EXTERN_HOST_H

#include "trainer/plugin.h"
#include "trainyard/plugin.h"

struct trainyard_plan { /* lives for one hook call */
    const struct ty_plan *plan;
    struct ty_plan *edit; /* the same, or NULL in hooks that may only read */
    const struct ty_trainjob *job;
    struct ty_errs *errs;         /* in validate, else NULL */
    struct ty_warnings *warnings; /* in validate, else NULL */
    struct ty_err *err;           /* in the other hooks, else NULL */
    bool building;                /* children may be added */
};

extern const struct trainyard_host ty_extern_host;

#endif
