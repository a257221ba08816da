/* Noticing that a peer has gone away without a word. */
#ifndef TY_NET_ALIVE_H
#define TY_NET_ALIVE_H

#include <stdint.h>

/* The connection fails when bytes are unacknowledged, or probes unanswered, for so long. */
void ty_alive_watch(int fd, int64_t dead_ms);

#endif
