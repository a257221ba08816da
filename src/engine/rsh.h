/* The remote shell between pods, and its protocol with `trainyard rsh`: one request with three
 * descriptors, one reply. */
#ifndef TY_ENGINE_RSH_H
#define TY_ENGINE_RSH_H

#include <stdbool.h>
#include <uv.h>

struct ty_engine;
struct ty_err;
struct ty_pod_runtime;
struct ty_shim_event;
struct ty_rsh_command;

struct ty_rsh {
    int fd; /* listens; -1: does not */
    uv_poll_t poll;
    char *path;                      /* of the socket */
    struct ty_rsh_command *commands; /* waiting or running */
    size_t n;                        /* clients, also those that are being closed */
    uint32_t next_id;                /* of a command's process */
    int handles;                     /* that libuv has not closed yet */
};

#define TY_RSH_FIRST 200000u /* process ids of remote commands in a shim */

/* From a pod (rsh) or from outside (exec). */
struct ty_rsh_request {
    char host[512];
    char container[256]; /* "": the default one */
    uint32_t argc;       /* words in `command`, each ends with a NUL; 0: for /bin/sh -c */
    bool tty;            /* the descriptors are a terminal */
    char command[60000]; /* "": only whether the host is one of this run */
};
struct ty_rsh_reply {
    int code;
    bool foreign;   /* the host is not one of this run */
    char text[256]; /* why it could not be run; "" otherwise */
};

int ty_rsh_listen(struct ty_engine *e, struct ty_err *err);
void ty_rsh_pod_started(struct ty_pod_runtime *p); /* starts the commands that waited for the pod */
void ty_rsh_pod_ended(struct ty_pod_runtime *p);   /* replies to the clients of commands in it */
bool ty_rsh_on_shim_event(struct ty_pod_runtime *p, const struct ty_shim_event *n);
void ty_rsh_close(struct ty_engine *e);

#endif
