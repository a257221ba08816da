/* Detects peers that have disappeared. */
#ifndef TY_NET_TCP_KEEPALIVE_H
#define TY_NET_TCP_KEEPALIVE_H

#include <stdint.h>

/* The connection fails when bytes are unacknowledged, or probes unanswered, for so long. */
void ty_tcp_keepalive_set(int fd, int64_t dead_ms);

#endif
