/* Reads files, directories and standard input, within limits. */
#ifndef TY_CLI_FILES_H
#define TY_CLI_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_files {
    struct ty_arena *arena;
    int stdin_fd;
    bool recursive;
    size_t room_bytes, room_files;                                      /* limits that are left */
    void (*text)(void *ctx, const char *file, struct ty_str text);      /* one file's contents */
    void (*trouble)(void *ctx, const char *file, const char *sentence); /* it cannot be read */
    void *ctx;
};

/* path: a file, a directory (its *.yaml, *.yml, *.json in byte order), or "-". */
void ty_files_read(struct ty_files *f, const char *path);

#endif
