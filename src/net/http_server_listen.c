/* Opens the listening socket of a server. */
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http_server_inner.h"

/* Clients wait here while there are too many connections (http_server_limit.c). The kernel uses its
 * own maximum if that is less. */
#define BACKLOG 4096

static int bind_one(const struct addrinfo *at)
{
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    int on = 1, off = 0;

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (at->ai_family == AF_INET6) /* "all addresses" includes those of IPv4 */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
        int r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

/* A machine without IPv6 still has "all addresses": of the two families, the first that works is
 * used. */
int ty_http_server_listen(const char *address, int port, int *ret_fd, struct ty_err *err)
{
    bool any = !address || !address[0];
    char service[16];
    const char *const hosts[] = { any ? "::" : address, any ? "0.0.0.0" : NULL };
    int fd = -EINVAL;

    snprintf(service, sizeof(service), "%d", port);
    for (size_t i = 0; i < 2 && hosts[i] && fd < 0; i++) {
        struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE };
        struct addrinfo *found = NULL;
        if (getaddrinfo(hosts[i], service, &hints, &found) != 0)
            return ty_fail(err, -EINVAL, "\"%s\" is not an IP address to listen on", hosts[i]);
        fd = bind_one(found);
        freeaddrinfo(found);
    }
    if (fd < 0)
        return ty_fail(err, fd, "cannot listen on %s port %d: %s", any ? "any address" : address,
                       port, strerrordesc_np(-fd));
    *ret_fd = fd;
    return 0;
}

int ty_http_server_port_of(int fd)
{
    struct sockaddr_storage at = { 0 };
    socklen_t n = sizeof(at);
    char service[16] = "";
    int64_t port = 0;

    if (getsockname(fd, (struct sockaddr *)&at, &n) == 0 &&
        getnameinfo((struct sockaddr *)&at, n, NULL, 0, service, sizeof(service), NI_NUMERICSERV) ==
            0)
        ty_str_parse_i64(ty_str(service), &port);
    return (int)port;
}
