/* What a keeper tells: one datagram a piece of news. */
#ifndef TY_PROC_NEWS_H
#define TY_PROC_NEWS_H

#include "proc/keeper.h"

/* Never waits: -EAGAIN when nobody reads. translate: n->pid is a number of our pid namespace, and
 * the kernel shall tell the reader its own number for that process. */
int ty_news_send(int sock, const struct ty_kept_news *n, bool translate);
/* 1: news. 0: the other end is closed. -EAGAIN: none yet. */
int ty_news_recv(int sock, struct ty_kept_news *ret);

#endif
