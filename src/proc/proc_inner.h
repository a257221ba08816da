/* What the files of this folder share: the modes a zygote can work in, and the words for a step
 * that failed where nothing may be allocated. */
#ifndef TY_PROC_PROC_INNER_H
#define TY_PROC_PROC_INNER_H

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "proc/shim.h"

/* Parts of the kernel that a zygote shall not use: how tests walk the paths of poorer machines. */
enum ty_zygote_without { TY_NO_PID_NS = 1, TY_NO_MOUNTS = 2, TY_NO_USER_NS = 4 };
int ty_zygote_start_with(unsigned without, struct ty_zygote **ret, struct ty_err *err);
pid_t ty_zygote_pid(const struct ty_zygote *z);

/* How the zygote works, fixed at its start; shims inherit it. */
struct ty_zygote_mode {
    struct ty_zygote_caps can;
    struct rlimit nofile; /* as our caller had it, before we raised ours: containers get it back */
};

/* Descriptors of a shim, moved to these places. */
enum { TY_SHIM_SOCK = 3, TY_SHIM_LIFELINE = 4, TY_SHIM_FIRST_FREE = 5 };

/* The zygote's whole life. Ends when `control` ends. */
_Noreturn void ty_zygote_run(int control, pid_t parent, unsigned without,
                             const struct rlimit *nofile);
/* The shim's whole life, with the descriptors above in place. */
_Noreturn void ty_shim_run(const struct ty_zygote_mode *mode);

/* The step that failed between fork and exec: formatted later, by somebody who may. */
struct ty_proc_failure {
    const char *doing; /* "mount", "exec", … */
    int code;          /* errno */
    char what[152];    /* " path", cut; or "". A copy: the failing frame may be that of a clone */
};
/* Notes the step with errno; returns -errno. */
static inline int ty_proc_failure_set(struct ty_proc_failure *step, const char *doing,
                                      const char *what)
{
    size_t n = what ? strlen(what) : 0;
    if (n > sizeof(step->what) - 2)
        n = sizeof(step->what) - 2;
    step->doing = doing;
    step->code = errno;
    step->what[0] = what ? ' ' : 0;
    if (what) {
        memcpy(step->what + 1, what, n);
        step->what[n + 1] = 0;
    }
    return -step->code;
}
/* "exec torchrun: No such file or directory" */
void ty_proc_failure_text(const struct ty_proc_failure *step, char *ret, size_t size);

#endif
