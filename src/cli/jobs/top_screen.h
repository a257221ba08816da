/* The live table of `top` on a terminal, of this machine or of a cluster: drawn again after each
 * sample, until q, Ctrl-C or the end of the samples. */
#ifndef TY_CLI_JOBS_TOP_SCREEN_H
#define TY_CLI_JOBS_TOP_SCREEN_H

#include "base/buf.h"
#include "cli/cli.h"

struct uv_loop_s;

struct ty_top_screen {
    struct ty_cli *cli;
    struct uv_loop_s *loop;     /* the caller closes what is left there (uv_walk), and the loop */
    int64_t first_ms, every_ms; /* until the first sample, and between samples */
    struct ty_buf *text;        /* the table; shown at once if it is not empty */
    /* Takes a sample and replaces the text. May run the loop: keys and signals are served then.
     * False: it was the last one. */
    bool (*sample)(void *ctx);
    /* The user wants to stop: ends a sample that is being taken. NULL: samples never wait. */
    void (*stop)(void *ctx);
    void *ctx;
};
/* Whether the table can be drawn: standard output is a terminal that can move its cursor. */
bool ty_top_screen_can_draw(const struct ty_cli *cli);
/* Returns when it is over; the screen is cleared then, and the caller prints what is to stay.
 * Messages of samples are printed after that. True: the user stopped it, so that the last sample
 * may be incomplete; its messages are dropped. */
bool ty_top_screen_run(const struct ty_top_screen *s);

#endif
