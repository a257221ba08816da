/* Finds out which namespaces the kernel allows, and enters them. */
#ifndef TY_PROC_PROC_PROBE_H
#define TY_PROC_PROC_PROBE_H

#include <sys/types.h>

#include "proc/proc_failure.h"
#include "proc/zygote.h"

/* Tries in a child, so that a refusal half way leaves nothing behind. */
struct ty_zygote_caps ty_proc_probe(unsigned without);
/* The zygote's own user and mount namespace, which all its shims copy. */
int ty_proc_enter_namespaces(const struct ty_zygote_caps *can, struct ty_proc_failure *fail);
/* fork() into the namespaces of a pod: -1 and errno, 0 in the child, its pid in the parent. */
pid_t ty_proc_fork_pod(const struct ty_zygote_caps *can);

#endif
