/* For tests: ports of loopback. */
#ifndef TY_BASE_PORT_TESTING_H
#define TY_BASE_PORT_TESTING_H

#include "base/testing.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT_DEAF = -1 };

/* Binds a socket to a free port of the loopback interface. With a backlog it listens, and never
 * answers; with PORT_DEAF it does not listen, so connections are refused. */
static inline int port_take(int backlog, int *ret_port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    if (backlog != PORT_DEAF)
        assert_int_equal(listen(fd, backlog), 0);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

/* A port that was free a moment ago. */
static inline int port_free(void)
{
    int port = 0;

    close(port_take(PORT_DEAF, &port));
    return port;
}

#endif
