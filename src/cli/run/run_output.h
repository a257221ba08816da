/* Standard output and standard error of a run. No write blocks the loop: what a pipe or a terminal
 * does not take at once is queued. While the queue is long, the output of the containers is not
 * read, so that they wait for the reader as in any pipeline; everything else continues.
 *
 *   renderer --> cli->out, cli->err --> queue --> descriptor
 */
#ifndef TY_CLI_RUN_RUN_OUTPUT_H
#define TY_CLI_RUN_RUN_OUTPUT_H

#include <uv.h>

#include "base/buf.h"
#include "cli/cli.h"

struct ty_engine;
struct ty_run_output;

struct ty_run_output_queue {
    struct ty_run_output *o;
    int fd;
    bool own;    /* fd was opened again, and does not block */
    bool ask;    /* it could not be: poll() before each write */
    bool socket; /* send() without waiting */
    struct ty_buf text;
    size_t at; /* bytes of text that are written */
    int error; /* errno of the first failed write; all later text is dropped */
};

struct ty_run_output { /* all zero: not open */
    struct ty_cli *cli;
    struct ty_engine *engine;
    uv_timer_t timer; /* the next attempt */
    uint64_t wait_ms;
    FILE *out, *err; /* those of the command */
    struct ty_run_output_queue queues[2];
    struct ty_run_output_queue *of_err; /* the same as of standard output if both are one file */
    bool held;                          /* the engine does not read logs */
    bool lossy;                         /* text beyond the limit is dropped */
};

/* Replaces cli->out and cli->err until the close. */
void ty_run_output_open(struct ty_run_output *o, struct ty_cli *cli, uv_loop_t *loop,
                        struct ty_engine *engine);
/* The run is being stopped: containers that want to say a last word must not wait for a reader.
 * From now on output that the reader does not take is dropped; the log files have it. */
void ty_run_output_stopping(struct ty_run_output *o);
bool ty_run_output_pending(const struct ty_run_output *o);
/* Drops what is still queued and restores the streams. Returns the errno of a failed write, 0 if
 * there was none or if the reader has left. No effect if it is not open. */
int ty_run_output_close(struct ty_run_output *o);

#endif
