/* For tests: removal of directory trees. */
#ifndef TY_BASE_TREE_TESTING_H
#define TY_BASE_TREE_TESTING_H

#include <ftw.h>
#include <stdio.h>

static inline int tree_remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
    (void)st;
    (void)kind;
    (void)f;
    return remove(path);
}

/* Returns 0, or nonzero at the first failure. Symbolic links are removed, not followed. */
static inline int tree_remove(const char *dir)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else walks while a test cleans up */
    return nftw(dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
