/* Reads a container's output, writes it to its log file and passes its lines to the observers. */
#ifndef TY_ENGINE_POD_CONTAINER_LOG_H
#define TY_ENGINE_POD_CONTAINER_LOG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_container_log;
struct ty_pod_runtime;

#define TY_LOG_CHUNK 65536

/* NULL: no pipe or no file could be created. *ret_fd is the process's end of the pipe. */
struct ty_container_log *ty_container_log_new(struct ty_pod_runtime *p, size_t c, int attempt,
                                              int *ret_fd, struct ty_err *err);
/* Reads on after the engine no longer holds its logs; NULL is fine. */
void ty_container_log_continue(struct ty_container_log *u);
/* The process ended: reads the rest of the pipe, then calls ty_pods_exited. */
void ty_container_log_exited(struct ty_container_log *u, int wstatus);
/* Frees it in the close callback of its handle; NULL is fine. */
void ty_container_log_close(struct ty_container_log *u);
/* The end of the log file of the container's last run. Lives with the arena. */
struct ty_str ty_container_log_tail(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c,
                                    size_t max_bytes, size_t max_lines);

#endif
