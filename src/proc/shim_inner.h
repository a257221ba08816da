/* The shim's own side: what the zygote calls after the fork. */
#ifndef TY_PROC_SHIM_INNER_H
#define TY_PROC_SHIM_INNER_H

#include "proc/zygote_inner.h"

/* Descriptors of a shim, moved to these places. */
enum { TY_SHIM_SOCK = 3, TY_SHIM_LIFELINE = 4, TY_SHIM_FIRST_FREE = 5 };

/* The shim's whole life, with the descriptors above in place. */
_Noreturn void ty_shim_run(const struct ty_zygote_mode *mode);

#endif
