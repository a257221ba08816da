/* Removes trees beside its caller: a volume may have 100,000 files, and a disk may take a
 * millisecond for each directory; neither lines of output nor the start of pods wait for them. One
 * thread, which shares nothing with the caller: paths reach it through a socket. */
#ifndef TY_PROC_TREE_REMOVER_H
#define TY_PROC_TREE_REMOVER_H

#include <pthread.h>

struct ty_tree_remover {
    int to; /* -1 while there is no thread */
    pthread_t thread;
};

void ty_tree_remover_init(struct ty_tree_remover *r);
/* Copies the path. Removes the tree itself where no thread can be had, or too many wait for it.
 * depth as in tree_remove.h. */
void ty_tree_remover_add(struct ty_tree_remover *r, const char *path, unsigned depth);
/* Returns when all of them are removed. */
void ty_tree_remover_done(struct ty_tree_remover *r);

#endif
