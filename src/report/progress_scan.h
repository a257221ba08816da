/* Scans numbers, pairs and percentages. Texts end with NUL. */
#ifndef TY_REPORT_PROGRESS_SCAN_H
#define TY_REPORT_PROGRESS_SCAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
