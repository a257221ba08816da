/* The control socket of a run: DIR/control.sock, mode 0600. One JSON line each way:
 *     {"verb":"suspend","name":"ddp"}      suspend, resume or delete
 *     {"ok":true}  or  {"error":"sentence"} */
#ifndef TY_ENGINE_CONTROL_SOCKET_H
#define TY_ENGINE_CONTROL_SOCKET_H

#include <uv.h>

#include "base/err.h"

struct ty_control_socket;

/* Executes a command. On failure a negative errno, with the sentence for the client in *err. */
typedef int ty_control_socket_fn(void *ctx, const char *verb, const char *name, struct ty_err *err);

/* *ret is owned by the caller: ty_control_socket_free. */
int ty_control_socket_listen(uv_loop_t *loop, const char *dir, ty_control_socket_fn *fn, void *ctx,
                             struct ty_control_socket **ret, struct ty_err *err);
/* NULL is fine. The memory is freed in the next iteration of the loop. */
void ty_control_socket_free(struct ty_control_socket *c);

/* The client: sends a command and waits for the reply. -ENOENT, -ECONNREFUSED: the run has ended.
 */
int ty_control_socket_send(const char *dir, const char *verb, const char *name, struct ty_err *err);

#endif
