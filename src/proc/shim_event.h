/* Events that a shim sends: one datagram each. */
#ifndef TY_PROC_SHIM_EVENT_H
#define TY_PROC_SHIM_EVENT_H

#include "proc/shim.h"

/* Never blocks: -EAGAIN when the socket is full. translate: n->pid is a number of our pid
 * namespace, and the kernel translates it to the PID that the reader sees. */
int ty_shim_event_send(int sock, const struct ty_shim_event *n, bool translate);
/* 1: an event. 0: the other end is closed. -EAGAIN: none yet. */
int ty_shim_event_recv(int sock, struct ty_shim_event *ret);

#endif
