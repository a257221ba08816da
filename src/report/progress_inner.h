/* What the files that read progress share. Texts end with NUL. */
#ifndef TY_REPORT_PROGRESS_INNER_H
#define TY_REPORT_PROGRESS_INNER_H

#include <ctype.h>

#include "report/progress.h"

/* ---- progress_scan.c ---- */

static inline bool ty_progress_is_alpha(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static inline bool ty_progress_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline const char *ty_progress_skip_spaces(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

/* An integer of at most 15 digits; *at is moved behind it, else it stays. */
bool ty_progress_scan_integer(const char **at, int64_t *ret);
/* "10/50", "10 of 50"; *at is moved only then. */
bool ty_progress_scan_pair(const char **at, int64_t *ret_step, int64_t *ret_total);
/* The pair after a word such as "step": "step 10/50", "Step [10/50]", "step: 10 of 50". Without a
 * total *ret_total is -1. */
bool ty_progress_scan_after(const char *text, const char *word, int64_t *ret_step,
                            int64_t *ret_total);
/* Where the number that ends before `end` begins; end itself if there is none. */
const char *ty_progress_scan_back(const char *text, const char *end);
/* The percent that ends at `sign`, and where it begins; -1 if it is none. */
int ty_progress_scan_percent(const char *text, const char *sign, const char **ret_begin);
int ty_progress_percent_of(double part); /* 0 to 100 */

/* ---- progress_metrics.c ---- */

/* In place of the one of that name; names and values that are too long, and more than there is room
 * for, are left out. */
void ty_progress_metric_add(struct ty_progress *to, const char *name, size_t name_n,
                            const char *value, size_t value_n);
/* "loss 0.31", "loss: 0.31", "loss=0.31"; names that are not known only where `any`, with "=". */
void ty_progress_metrics_scan(const char *p, bool any, struct ty_progress *to);
/* A whole line that is a dict of numbers and names at least one measure of training. */
bool ty_progress_metrics_dict(const char *text, struct ty_progress *ret);

/* ---- progress_bars.c: false if it is none of this form, then *ret is as it was ---- */

bool ty_progress_bar_tqdm(char *text,
                          struct ty_progress *ret); /* cuts the text off before the bar */
/* "45it [00:10, 4.5it/s, loss=0.3]": no total, hence no percent. */
bool ty_progress_bar_open(const char *text, struct ty_progress *ret);
/* "10/50 [=====>....] - ETA: 3s - loss: 0.31", "10/50 ━━━━━━ 3s 20ms/step - loss: 0.31" */
bool ty_progress_bar_keras(const char *text, struct ty_progress *ret);

#endif
