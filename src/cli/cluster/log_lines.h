/* The lines of one container log, as the API server sends it with timestamps: joins chunks to
 * lines, and after a broken connection drops what was passed on before. Without I/O.
 *
 * A log is resumed from the timestamp of a line, which is of the node's clock. The API drops its
 * fraction of a second, so lines are repeated; those that share a timestamp are counted. */
#ifndef TY_CLI_CLUSTER_LOG_LINES_H
#define TY_CLI_CLUSTER_LOG_LINES_H

#include "base/buf.h"

#define TY_LOG_LINES_MAX   65536 /* a longer line is passed on in pieces, as of a local run */
#define TY_LOG_LINES_STAMP 48

struct ty_log_lines_time {
    int64_t s, ns;
};

struct ty_log_lines { /* all zero, with fn: at the beginning of a log */
    /* One line, without its newline, or a piece of a long one. stamp: as the server sent it; empty
     * if the line has none. Both are borrowed for the call. */
    void (*fn)(void *ctx, struct ty_str stamp, struct ty_str text);
    void *ctx;
    /* The rest is private. */
    struct ty_buf part;                  /* what has arrived of the current line */
    char stamp[TY_LOG_LINES_STAMP];      /* of the current line */
    struct ty_log_lines_time at;         /* the same */
    bool inside, stamped, drop;          /* of the current line, once its stamp is known */
    size_t taken;                        /* bytes of the current line that were passed on */
    struct ty_log_lines_time last;       /* of the last whole line */
    uint64_t n_last;                     /* whole lines with that time; 0: none yet */
    struct ty_log_lines_time cut_at;     /* of the line that a broken connection cut */
    size_t cut;                          /* bytes of it that were passed on; 0: none */
    size_t skip;                         /* bytes of the current line that are repeated */
    char last_stamp[TY_LOG_LINES_STAMP]; /* the same as `last` */
    bool repeats;                        /* since ty_log_lines_resume: nothing new has arrived */
    uint64_t n_same;                     /* the same: lines with time `last` */
};

void ty_log_lines_add(struct ty_log_lines *l, struct ty_str chunk);
/* The connection is lost; what is added next comes from a new one. Returns the time to ask for, of
 * the last whole line that was passed on; empty: from the beginning. */
struct ty_str ty_log_lines_resume(struct ty_log_lines *l);
/* The log has ended: passes on a last line that has no newline, and starts again, for the log of
 * the next container. */
void ty_log_lines_end(struct ty_log_lines *l);
void ty_log_lines_done(struct ty_log_lines *l); /* frees, passes nothing on */

#endif
