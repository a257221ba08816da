/* What the files of the shelf share. */
#ifndef TY_FETCH_DOWNLOAD_DIR_INNER_H
#define TY_FETCH_DOWNLOAD_DIR_INNER_H

#include "fetch/download_dir.h"

struct ty_download_dir_entry {
    const char *name, *tag;
    int64_t size, mtime_ns;
    size_t turn; /* its line: of two with one name the later counts */
};

struct ty_download_dir {
    struct ty_arena *arena;
    const char *to;
    int dir, own, lock, journal;        /* descriptors; -1 closed */
    struct ty_download_dir_entry *done; /* by name */
    size_t n_done;
};

int ty_download_dir_journal_read(struct ty_download_dir *s, struct ty_err *err);
/* -ENOSPC and -EDQUOT in words that say where, all else as the system says it. */
int ty_download_dir_fail(const struct ty_download_dir *s, int code, const char *name,
                         struct ty_err *err);
void ty_download_dir_close_fd(int *fd);

#endif
