/* The destination directory, and its subdirectory .trainyard with unfinished files and a journal of
 * complete ones. Files are only appended to or renamed, so a run may be killed at any moment; the
 * next one uses only what it can verify.
 *
 *   .trainyard/lock        held by the run that uses the directory
 *   .trainyard/ID.part     the first bytes of a file; ID is derived from its name
 *   .trainyard/ID.tag      the tag of their content
 *   .trainyard/done.jsonl  {"name", "tag", "size", "mtime"} of complete files
 */
#ifndef TY_FETCH_DOWNLOAD_DIR_H
#define TY_FETCH_DOWNLOAD_DIR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_download_dir;

/* Creates the directory if necessary. -EBUSY: another run is using it. Close it with
 * ty_download_dir_close; its memory lives with the arena. */
int ty_download_dir_open(struct ty_arena *a, const char *to, struct ty_download_dir **ret,
                         struct ty_err *err);
void ty_download_dir_close(struct ty_download_dir *s);
/* Bytes for files that are not complete yet: free space plus the size of their parts. INT64_MAX:
 * unknown. */
int64_t ty_download_dir_free_bytes(const struct ty_download_dir *s);
void ty_download_dir_cleanup(
    struct ty_download_dir *s); /* all files are complete: removes leftover parts */

/* The tag of a complete file, if it is unchanged since this program wrote it; else NULL. ret_size
 * may be NULL. */
const char *ty_download_dir_tag(const struct ty_download_dir *s, const char *name,
                                int64_t *ret_size);
/* Opens a complete file for reading; -1 if there is none of this size. */
int ty_download_dir_open_file(const struct ty_download_dir *s, const char *name, int64_t size);
/* Records in the journal that a file is complete, and its tag. */
int ty_download_dir_mark_done(struct ty_download_dir *s, const char *name, const char *tag,
                              struct ty_err *err);

#endif
