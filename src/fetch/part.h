/* One unfinished file of a download directory: the bytes that have arrived and the tag of the
 * content they belong to. A part survives the process, so that a later run resumes the transfer. */
#ifndef TY_FETCH_PART_H
#define TY_FETCH_PART_H

#include "fetch/download_dir.h"

struct ty_part {
    int fd;          /* -1: closed */
    int64_t have;    /* bytes received */
    int64_t size;    /* total; -1 unknown */
    const char *tag; /* identifies the content that the bytes belong to; "" unknown: the bytes are
                        useless */
    char id[33];
};
/* Opens a new or existing part; part->tag lives with `a`. */
int ty_part_open(struct ty_download_dir *s, struct ty_arena *a, const char *name,
                 struct ty_part *ret, struct ty_err *err);
void ty_part_close(struct ty_part *p); /* keeps the bytes */
/* Discards the bytes; from now on the part is for content `tag` (borrowed with the part). */
int ty_part_restart(struct ty_download_dir *s, struct ty_part *p, const char *name, const char *tag,
                    int64_t size, struct ty_err *err);
int ty_part_write(struct ty_download_dir *s, struct ty_part *p, const char *name,
                  struct ty_str bytes, struct ty_err *err);
/* Renames the part to the final name of the file and records it in the journal. Closes the part. */
int ty_part_finish(struct ty_download_dir *s, struct ty_part *p, const char *name, const char *tag,
                   struct ty_err *err);
/* Copies a local file into a restarted part: shares its blocks (reflink) if the file system
 * supports it. `copied` is called with the number of bytes added. */
int ty_part_copy(struct ty_download_dir *s, struct ty_part *p, const char *from,
                 void (*copied)(void *ctx, int64_t n), void *ctx, struct ty_err *err);

#endif
