/* Shared by the tests of the schema files. */
#ifndef TY_API_SCHEMA_TESTING_H
#define TY_API_SCHEMA_TESTING_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api/kind.h"
#include "api/schema_inner.h"
#include "json/json_testing.h"

TY_UNUSED static struct ty_json *parse(struct ty_arena *a, const char *text)
{
    return json_of(a, text);
}

/* The errors, one on each line, with hints after " | ". */
TY_UNUSED static const char *lines(struct ty_arena *a, const struct ty_errs *errs)
{
    ty_auto_buf out = { 0 };

    for (const struct ty_field_err *e = errs->first; e; e = e->next) {
        ty_errs_print(&out, e);
        if (e->hint)
            ty_buf_printf(&out, " | %s", e->hint);
        ty_buf_chr(&out, '\n');
    }
    return ty_arena_cstr(a, ty_buf_str(&out));
}

#endif
