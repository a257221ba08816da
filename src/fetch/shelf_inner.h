/* What the files of the shelf share. */
#ifndef TY_FETCH_SHELF_INNER_H
#define TY_FETCH_SHELF_INNER_H

#include "fetch/shelf.h"

struct ty_done_entry {
    const char *name, *tag;
    int64_t size, mtime_ns;
    size_t turn; /* its line: of two with one name the later counts */
};

struct ty_shelf {
    struct ty_arena *arena;
    const char *to;
    int dir, own, lock, journal; /* descriptors; -1 closed */
    struct ty_done_entry *done;  /* by name */
    size_t n_done;
};

int ty_journal_read(struct ty_shelf *s, struct ty_err *err);
/* -ENOSPC and -EDQUOT in words that say where, all else as the system says it. */
int ty_shelf_fail(const struct ty_shelf *s, int code, const char *name, struct ty_err *err);
void ty_close(int *fd);

#endif
