/* For tests: ports of loopback. */
#ifndef TY_BASE_PORT_TESTING_H
#define TY_BASE_PORT_TESTING_H

#include "base/testing.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT_DEAF = -1 };

/* A socket that is bound to a port that was free: nobody else gets it. It listens, with this
 * backlog, or is deaf: then whoever knocks is refused. Until somebody accepts it says nothing. */
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

/* One that was free a moment ago. */
static inline int port_free(void)
{
    int port = 0;

    close(port_take(PORT_DEAF, &port));
    return port;
}

#endif
