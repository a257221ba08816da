/* The output of `top`: use of CPU, memory and GPUs of pods, as kubectl top pod prints it. */
#ifndef TY_CLI_VIEW_TOP_VIEW_H
#define TY_CLI_VIEW_TOP_VIEW_H

#include "base/buf.h"

struct ty_top_row {
    const char *job, *node;
    int64_t milli, memory;
    int64_t gpu_percent, gpu_memory; /* percent -1: it uses no GPU */
};
struct ty_top_view {
    const struct ty_top_row *rows;
    size_t n;
    bool gpus; /* show their columns */
    bool headers;
    bool one_job; /* nodes without the name of their job */
};
/* Both append to out. */
void ty_top_view_table(struct ty_arena *a, const struct ty_top_view *v, struct ty_buf *out);
void ty_top_view_json(struct ty_arena *a, const struct ty_top_view *v, struct ty_buf *out);

#endif
