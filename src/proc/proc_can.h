/* What the kernel allows the zygote, and the way into it. */
#ifndef TY_PROC_CAN_H
#define TY_PROC_CAN_H

#include "proc/inner.h"

/* Tries in a child, so that a refusal half way leaves nothing behind. */
struct ty_zygote_can ty_can_try(unsigned without);
/* The zygote's own user and mount namespace, which all its keepers copy. */
int ty_can_enter(const struct ty_zygote_can *can, struct ty_step *fail);
/* fork() into the namespaces of a pod: -1 and errno, 0 in the child, its pid in the parent. */
pid_t ty_can_fork(const struct ty_zygote_can *can);

#endif
