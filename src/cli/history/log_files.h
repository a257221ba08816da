/* The log files of a run: DIR/logs/POD/CONTAINER.ATTEMPT.RESTART.log; the first part of a rotated
 * log has the suffix ".1". They can be read while they grow and rotate. */
#ifndef TY_CLI_HISTORY_LOG_FILES_H
#define TY_CLI_HISTORY_LOG_FILES_H

#include <stdio.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "engine/log_times.h"

struct ty_log_file {
    const char *path, *container;
    int64_t attempt, restart;
};
/* "node.0.2.log" -> container, attempt, restart. False for other names, and for those with
 * control characters: a job can create files there, and messages quote names. */
bool ty_log_files_parse_name(struct ty_arena *a, const char *name, struct ty_log_file *ret);
/* Lists the logs of one pod, sorted by container, attempt and restart; none if the directory does
 * not exist. Lives with the arena. */
size_t ty_log_files_list(struct ty_arena *a, const char *dir, const char *pod,
                         struct ty_log_file **ret);

enum ty_log_part {
    TY_LOG_REST = 1,
    TY_LOG_FIRST_PART = 2, /* PATH.1 of a rotated log */
};
/* The position of a reader in a log. */
struct ty_log_cursor {
    ino_t ino; /* 0: not begun */
    off_t at;
    struct ty_buf part; /* an incomplete line */
    bool clean;   /* for a terminal: no escape sequences but colors. The text is printed up to the
                     last   end of a line, or carriage return */
    bool colored; /* colors were printed, and are to be reset at the end */
    unsigned irregular;  /* enum ty_log_part: no regular file is in their place; not printed */
    unsigned reported;   /* of these, by ty_log_files_irregular */
    bool stamps;         /* each line begins with the time at which it arrived, if that is known */
    char part_stamp[32]; /* of the incomplete line */
    struct ty_log_times_list times; /* of the file that is being read */
};
/* Moves the position to the first line that arrived at `ms` or later, at the precision of the times
 * that were recorded; to the end if there is none. Never back: ty_log_files_tail may be called
 * before. */
void ty_log_files_since(const char *path, int64_t ms, struct ty_log_cursor *place);
/* Moves the position so that at most `lines` lines are left to read. */
void ty_log_files_tail(const char *path, int64_t lines, struct ty_log_cursor *place);
/* Prints what was added since the last call. prefix NULL: byte for byte, unless it is cleaned; else
 * it is printed before each line, and an incomplete last line is held back. False: nothing new. */
bool ty_log_files_print(FILE *out, const char *path, const char *prefix,
                        struct ty_log_cursor *place);
/* After that: a message about a part that cannot be printed, each part once; NULL: none, or none
 * any more. */
const char *ty_log_files_irregular(struct ty_arena *a, const char *path,
                                   struct ty_log_cursor *place);
void ty_log_files_flush(FILE *out, const char *prefix,
                        struct ty_log_cursor *place); /* prints the incomplete last line */

#endif
