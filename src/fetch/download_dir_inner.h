/* Shared by the files of the download directory. */
#ifndef TY_FETCH_DOWNLOAD_DIR_INNER_H
#define TY_FETCH_DOWNLOAD_DIR_INNER_H

#include "base/buf.h"
#include "fetch/download_dir.h"

struct ty_download_dir_entry {
    const char *name, *tag;
    int64_t size, mtime_ns;
    size_t turn; /* its line: of two lines with the same name the later one counts */
};

struct ty_download_dir {
    struct ty_arena *arena;
    const char *to;
    int dir, own, lock, journal;        /* descriptors; -1 closed */
    struct ty_download_dir_entry *done; /* sorted by name */
    size_t n_done;
};

int ty_download_dir_journal_read(struct ty_download_dir *s, struct ty_err *err);
/* A message that names the directory for -ENOSPC and -EDQUOT, else the system's error. */
int ty_download_dir_fail(const struct ty_download_dir *s, int code, const char *name,
                         struct ty_err *err);
void ty_download_dir_close_fd(int *fd);
/* Creates the directories of "a/b/c", but not c. *path: the last one, for messages. */
int ty_download_dir_make_parents(int at, const char *name, struct ty_buf *path);

#endif
