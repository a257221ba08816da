/* The destination folder, and in it .trainyard: what has arrived of unfinished files, and a journal
 * of the finished ones. All of it is only ever appended to or renamed, so a run may be killed at
 * any moment; the next one believes no more than it can check.
 *
 *   .trainyard/lock        held by the run that fills the folder
 *   .trainyard/ID.part     the first bytes of a file; ID comes from its name
 *   .trainyard/ID.tag      which content they are of
 *   .trainyard/done.jsonl  {"name", "tag", "size", "mtime"} of what is in place
 */
#ifndef TY_FETCH_DOWNLOAD_DIR_H
#define TY_FETCH_DOWNLOAD_DIR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_download_dir;

/* Makes the folder if need be. -EBUSY: another run is filling it. The shelf is closed by
 * ty_download_dir_close, its memory lives with the arena. */
int ty_download_dir_open(struct ty_arena *a, const char *to, struct ty_download_dir **ret,
                         struct ty_err *err);
void ty_download_dir_close(struct ty_download_dir *s);
/* Bytes for files that are still to come: free ones, and those that parts of files have taken.
 * INT64_MAX: unknown. */
int64_t ty_download_dir_free_bytes(const struct ty_download_dir *s);
void ty_download_dir_cleanup(
    struct ty_download_dir *s); /* all is in place: parts of other files may go */

/* The tag of the file in place, if it is as this program left it; else NULL. ret_size may be NULL.
 */
const char *ty_download_dir_tag(const struct ty_download_dir *s, const char *name,
                                int64_t *ret_size);
/* Opens the file in place for reading; -1 if there is none of this size. */
int ty_download_dir_open_file(const struct ty_download_dir *s, const char *name, int64_t size);
/* Remembers that it is in place and what it is. */
int ty_download_dir_mark_done(struct ty_download_dir *s, const char *name, const char *tag,
                              struct ty_err *err);

#endif
