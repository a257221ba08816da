/* Clients of the sockets in a run's directory, into which its jobs can write. */
#ifndef TY_ENGINE_RUN_SOCKET_H
#define TY_ENGINE_RUN_SOCKET_H

/* Connects to the socket trainyard/runs/RUN/NAME; type: SOCK_STREAM or SOCK_SEQPACKET. Gives a
 * descriptor, or -errno: -ENOTSOCK, -ENOTDIR or -ELOOP if a link or something else is in its
 * place. */
int ty_run_socket_connect(const char *path, int type);

#endif
