/* For tests: rows of text, and what becomes of each. */
#ifndef TY_REPORT_MASK_SECRETS_TESTING_H
#define TY_REPORT_MASK_SECRETS_TESTING_H

#include "base/testing.h"
#include "report/mask_secrets.h"

struct mask_row {
    const char *text, *masked; /* NULL: unchanged */
};

static inline void check_row(const struct mask_row *row)
{
    const char *want = row->masked ? row->masked : row->text;
    ty_auto_buf once = { 0 }, twice = { 0 };

    ty_mask_secrets(ty_str(row->text), &once);
    if (!ty_str_is(ty_buf_str(&once), want))
        fail_msg("%s\n  became %.*s\n  not    %s", row->text, TY_ARG(ty_buf_str(&once)), want);
    ty_mask_secrets(ty_buf_str(&once), &twice);
    assert_true(ty_str_eq(ty_buf_str(&once), ty_buf_str(&twice)));
}

#endif
