/* A run takes orders through a socket in its folder: DIR/control.sock, for its owner alone. One
 * JSON line each way:
 *     {"verb":"suspend","name":"ddp"}      suspend, resume or delete
 *     {"ok":true}  or  {"error":"sentence"} */
#ifndef TY_ENGINE_CONTROL_SOCKET_H
#define TY_ENGINE_CONTROL_SOCKET_H

#include <uv.h>

#include "base/err.h"

struct ty_control_socket;

/* Carries out an order; a negative errno and a sentence for who gave it, if it cannot be. */
typedef int ty_control_socket_fn(void *ctx, const char *verb, const char *name, struct ty_err *err);

/* gives. */
int ty_control_socket_listen(uv_loop_t *loop, const char *dir, ty_control_socket_fn *fn, void *ctx,
                             struct ty_control_socket **ret, struct ty_err *err);
/* takes; NULL is fine. Its memory goes when the loop has turned once more. */
void ty_control_socket_free(struct ty_control_socket *c);

/* The other side: gives an order and waits for the answer. -ENOENT, -ECONNREFUSED: nobody listens.
 */
int ty_control_socket_send(const char *dir, const char *verb, const char *name, struct ty_err *err);

#endif
