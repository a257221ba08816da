/* A frame of lines at the bottom of the terminal, drawn again in place when something has changed,
 * and lines above it that stay. */
#ifndef TY_CLI_RUN_RUN_SCREEN_H
#define TY_CLI_RUN_RUN_SCREEN_H

#include <uv.h>

#include "cli/cli.h"
#include "cli/run/run_table.h"

struct ty_run_screen;

struct ty_run_screen_spec {
    struct ty_cli *cli; /* its output is the terminal */
    void (*draw)(void *ctx, const struct ty_run_table_opts *d, struct ty_run_table_frame *ret);
    void *ctx;
    bool keys; /* what is typed can be read at once, without Enter */
};
/* Hides the cursor and what is typed until ty_run_screen_close; also if a signal ends the process.
 * Lives with the arena of the cli; the caller runs the loop, and once more after the close. */
struct ty_run_screen *ty_run_screen_open(const struct ty_run_screen_spec *spec, uv_loop_t *loop);
void ty_run_screen_close(struct ty_run_screen *s);   /* erases the frame; NULL is fine */
void ty_run_screen_changed(struct ty_run_screen *s); /* draws soon; NULL is fine */
/* A line above the frame; hue is an escape sequence for `who`, or NULL. s NULL is fine. */
void ty_run_screen_above(struct ty_run_screen *s, const char *hue, const char *who,
                         struct ty_str text);
/* Drops the rest if a stopped terminal (Ctrl-S) does not take it within a second. */
void ty_run_screen_write(int fd, struct ty_str s);

#endif
