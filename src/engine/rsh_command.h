/* One command of the remote shell: where it runs, and its start in a pod. */
#ifndef TY_ENGINE_RSH_COMMAND_H
#define TY_ENGINE_RSH_COMMAND_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/rsh.h"

struct ty_rsh_command {
    struct ty_engine *e;
    struct ty_rsh_command *next;
    int fd;
    uv_poll_t poll;
    int fds[3];
    struct ty_pod_runtime *pod; /* NULL until it is known */
    struct ty_buf command;      /* while the pod waits for devices; then it runs, as id */
    char container[256];
    uint32_t argc;
    bool tty;
    uint32_t id;
    bool foreign; /* the host that it asked for is not one of this run */
};

/* Starts it in r->pod with the client's descriptors, as process r->id. command: n bytes, as in
 * struct ty_rsh_request. */
int ty_rsh_command_start(struct ty_rsh_command *r, const char *command, size_t n,
                         struct ty_err *err);
/* Also a host of a pod that has not started yet, or is over. */
bool ty_rsh_command_knows_host(const struct ty_engine *e, struct ty_str host);

#endif
