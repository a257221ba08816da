/* trainyard's side of the zygote, for shim_client.c. */
#ifndef TY_PROC_ZYGOTE_H
#define TY_PROC_ZYGOTE_H

#include "proc/proc_inner.h"

struct ty_zygote {
    pid_t pid;
    int control;
    struct ty_zygote_caps can;
};

#endif
