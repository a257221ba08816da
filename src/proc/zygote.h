/* The zygote: a small process, forked at the start of this program, that forks one shim per pod. */
#ifndef TY_PROC_ZYGOTE_H
#define TY_PROC_ZYGOTE_H

#include <stdbool.h>

#include "base/err.h"

struct ty_zygote;
/* Call from the main thread, before other threads and the event loop exist. Raises our soft limit
 * of open files to the hard one: a pod costs a descriptor. *ret lives until ty_zygote_stop. */
int ty_zygote_start(struct ty_zygote **ret, struct ty_err *err);
void ty_zygote_stop(struct ty_zygote *z); /* ends all shims and what is in them; waits for them */

/* What this kernel allows us, tried once by the zygote. */
struct ty_zygote_caps {
    bool mounts;   /* binds and host names; without, both are left out */
    bool pid_ns;   /* else a subreaper kills what it finds through /proc */
    bool user_ns;  /* the others only inside one of our own: a container's uid is always ours */
    char why[128]; /* the first refusal in words, "" if none */
};
struct ty_zygote_caps ty_zygote_caps(const struct ty_zygote *z);

#endif
