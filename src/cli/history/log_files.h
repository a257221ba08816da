/* The log files of a run: DIR/logs/POD/CONTAINER.ATTEMPT.RESTART.log, the first part of a big one
 * in the same name with ".1". Read as they grow, and while they are turned over. */
#ifndef TY_CLI_HISTORY_LOG_FILES_H
#define TY_CLI_HISTORY_LOG_FILES_H

#include <stdio.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

struct ty_log_file {
    const char *path, *container;
    int64_t attempt, restart;
};
/* "node.0.2.log" -> container, attempt, restart. */
bool ty_log_files_parse_name(struct ty_arena *a, const char *name, struct ty_log_file *ret);
/* Of one pod; a folder that is not there has none. Sorted by container, attempt, restart. Lives
 * with the arena. */
size_t ty_log_files_list(struct ty_arena *a, const char *dir, const char *pod,
                         struct ty_log_file **ret);

/* A place in a log that is being read. */
struct ty_log_cursor {
    ino_t ino; /* 0: not begun */
    off_t at;
    struct ty_buf part; /* a line whose end has not come yet */
};
/* Sets the place so that `lines` lines are left to read, at most. */
void ty_log_files_tail(const char *path, int64_t lines, struct ty_log_cursor *place);
/* Prints all that is there since the last time. prefix NULL: byte for byte; else before each line,
 * and a last line without its end waits. False: nothing new. */
bool ty_log_files_print(FILE *out, const char *path, const char *prefix,
                        struct ty_log_cursor *place);
void ty_log_files_flush(FILE *out, const char *prefix,
                        struct ty_log_cursor *place); /* that last line */

#endif
