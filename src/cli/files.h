/* Files, directories and standard input as texts, within ceilings. */
#ifndef TY_CLI_FILES_H
#define TY_CLI_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_files {
    struct ty_arena *arena;
    int stdin_fd;
    bool recursive;
    size_t room_bytes, room_files;                                      /* what may still be read */
    void (*text)(void *ctx, const char *file, struct ty_str text);      /* one file's contents */
    void (*trouble)(void *ctx, const char *file, const char *sentence); /* it cannot be read */
    void *ctx;
};

/* path: a file, a directory (its *.yaml, *.yml, *.json in byte order), or "-". */
void ty_files_read(struct ty_files *f, const char *path);
/* One file, or "-", whole. -EFBIG and others with a sentence that does not name the file. */
int ty_file_read(struct ty_arena *a, const char *path, int stdin_fd, struct ty_str *ret_text,
                 struct ty_err *err);

#endif
