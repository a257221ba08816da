/* The live table as text: what it should show now, for a terminal of a given size. Pure. */
#ifndef TY_CLI_RUN_RUN_TABLE_H
#define TY_CLI_RUN_RUN_TABLE_H

#include "cli/run/run_model.h"

enum { TY_RUN_TABLE_LINES = 256 };

struct ty_run_table_opts {
    int cols, rows;
    bool colour, utf8;
    int64_t now_ms;
};
/* Lines without their ends; none is wider than cols - 1, there are at most rows - 1 of them. */
struct ty_run_table_frame {
    struct ty_buf text;
    size_t end[TY_RUN_TABLE_LINES]; /* of each line in it */
    int width[TY_RUN_TABLE_LINES];  /* columns */
    size_t n;
};
void ty_run_table_draw(const struct ty_run_model *m, const struct ty_run_table_opts *d,
                       struct ty_run_table_frame *ret);
/* The same of clean text; lines without room are counted in the last one: "... and 3 more". */
void ty_run_table_draw_text(struct ty_str text, const struct ty_run_table_opts *d,
                            struct ty_run_table_frame *ret);
void ty_run_table_frame_done(struct ty_run_table_frame *f); /* frees; may be used again */
struct ty_str ty_run_table_frame_line(const struct ty_run_table_frame *f, size_t i);

#endif
