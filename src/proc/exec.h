/* Starts a container's process: clone, setup, execve. */
#ifndef TY_PROC_EXEC_H
#define TY_PROC_EXEC_H

#include <sys/types.h>

#include "proc/proc_failure.h"
#include "proc/shim.h"
#include "proc/zygote_inner.h"

struct ty_exec {
    const struct ty_zygote_mode *mode;
    const struct ty_process_spec
        *start; /* its argv and env are not used: execve wants them unqualified */
    char *const *argv, *const *env;
    pid_t beside;                /* as start->beside, as this process counts; 0: none */
    struct ty_proc_failure fail; /* set when ty_exec_spawn fails */
};
/* Clones and execs; returns when the program runs. *ret_pid as this process counts. -errno: *fail
 * says which step, and nothing runs. All signals must be blocked; the program has none blocked. */
int ty_exec_spawn(struct ty_exec *x, pid_t *ret_pid);

#endif
