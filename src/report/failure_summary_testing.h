/* For tests: containers that ended, and what the summary says of them. */
#ifndef TY_REPORT_FAILURE_SUMMARY_TESTING_H
#define TY_REPORT_FAILURE_SUMMARY_TESTING_H

#include "base/testing.h"
#include "report/failure_summary.h"
#include "report/log_arrivals.h"

static inline struct ty_ended_container failed(const char *node, int code, int64_t at_ms)
{
    return (struct ty_ended_container){
        .node = node, .container = "node", .code = code, .began_ms = 1000, .ended_ms = at_ms
    };
}

static inline void prints(const struct ty_failure_summary *v, size_t running, const char *want)
{
    ty_auto_buf b = { 0 };

    ty_failure_summary_print(v, running, &b);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static inline struct ty_str traceback(const char *error)
{
    static char text[256];

    snprintf(text, sizeof(text), "Traceback (most recent call last):\n  File \"t.py\"\n%s\n",
             error);
    return ty_str(text);
}

static inline void blames(const struct ty_failure_summary *v, const char *node, int64_t rank)
{
    assert_string_equal(ty_failure_summary_node(v), node);
    assert_int_equal(ty_failure_summary_rank(v), rank);
}

#endif
