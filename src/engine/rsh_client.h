/* The client's side of engine/rsh.h. */
#ifndef TY_ENGINE_RSH_CLIENT_H
#define TY_ENGINE_RSH_CLIENT_H

#include "engine/rsh.h"

/* Connects to the socket; gives a descriptor, from which the reply is read. -1 with *err. */
int ty_rsh_client_connect(const char *path, struct ty_err *err);
/* Sends the request and standard input, output and error of the command. */
bool ty_rsh_client_send(int fd, const struct ty_rsh_request *req, const int fds[3]);

#endif
