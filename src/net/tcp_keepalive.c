/* TCP_USER_TIMEOUT covers unacknowledged bytes; keep-alive probes, with the same limit, an idle
 * connection. */
#include "net/tcp_keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

void ty_tcp_keepalive_set(int fd, int64_t dead_ms)
{
    int on = 1, most = (int)dead_ms, every = most / 3000 > 0 ? most / 3000 : 1;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof(most));
}
