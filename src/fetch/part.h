/* One unfinished file of a download directory: the bytes that have arrived and the tag of the content
 * they belong to. A part survives the process, so that a later run resumes the transfer. */
#ifndef TY_FETCH_PART_H
#define TY_FETCH_PART_H

#include "fetch/download_dir.h"

struct ty_part {
    int fd;          /* -1: closed */
    int64_t have;    /* bytes that arrived */
    int64_t size;    /* of the whole; -1 unknown */
    const char *tag; /* of the content they are of; "" unknown: they are worth nothing */
    char id[33];
};
/* For a new file as for one that was begun; part->tag lives with `a`. */
int ty_part_open(struct ty_download_dir *s, struct ty_arena *a, const char *name,
                 struct ty_part *ret, struct ty_err *err);
void ty_part_close(struct ty_part *p); /* keeps what has arrived */
/* Forgets what has arrived; from now on it is bytes of `tag` (borrowed with the part). */
int ty_part_restart(struct ty_download_dir *s, struct ty_part *p, const char *name, const char *tag,
                    int64_t size, struct ty_err *err);
int ty_part_write(struct ty_download_dir *s, struct ty_part *p, const char *name,
                  struct ty_str bytes, struct ty_err *err);
/* Puts the file in place under its name and remembers it. Closes the part. */
int ty_part_finish(struct ty_download_dir *s, struct ty_part *p, const char *name, const char *tag,
                   struct ty_err *err);
/* A copy of a file of this machine instead, into a part that was restarted: shares its blocks or is
 * a hard link where the file system can do that. `copied` hears how many bytes were added. */
int ty_part_copy(struct ty_download_dir *s, struct ty_part *p, const char *from,
                 void (*copied)(void *ctx, int64_t n), void *ctx, struct ty_err *err);

#endif
