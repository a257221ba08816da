/* What a shim tells: one datagram a piece of news. */
#ifndef TY_PROC_SHIM_EVENT_H
#define TY_PROC_SHIM_EVENT_H

#include "proc/shim.h"

/* Never waits: -EAGAIN when nobody reads. translate: n->pid is a number of our pid namespace, and
 * the kernel shall tell the reader its own number for that process. */
int ty_shim_event_send(int sock, const struct ty_shim_event *n, bool translate);
/* 1: news. 0: the other end is closed. -EAGAIN: none yet. */
int ty_shim_event_recv(int sock, struct ty_shim_event *ret);

#endif
