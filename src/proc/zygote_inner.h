/* The zygote's own side, for the files that start and run it. */
#ifndef TY_PROC_ZYGOTE_INNER_H
#define TY_PROC_ZYGOTE_INNER_H

#include <sys/resource.h>
#include <sys/types.h>

#include "proc/zygote.h"

struct ty_zygote {
    pid_t pid;
    int control;
    struct ty_zygote_caps can;
};

/* Parts of the kernel that a zygote shall not use: how tests walk the paths of poorer machines. */
enum ty_zygote_without { TY_NO_PID_NS = 1, TY_NO_MOUNTS = 2, TY_NO_USER_NS = 4 };
int ty_zygote_start_with(unsigned without, struct ty_zygote **ret, struct ty_err *err);

/* How the zygote works, fixed at its start; shims inherit it. */
struct ty_zygote_mode {
    struct ty_zygote_caps can;
    struct rlimit nofile; /* as our caller had it, before we raised ours: containers get it back */
};

/* The zygote's whole life. Ends when `control` ends. */
_Noreturn void ty_zygote_run(int control, pid_t parent, unsigned without,
                             const struct rlimit *nofile);

#endif
