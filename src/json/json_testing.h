/* For tests: JSON with single quotes for the double ones, which reads better in C. */
#ifndef TY_JSON_JSON_TESTING_H
#define TY_JSON_JSON_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/json.h"

/* Lives with the arena. What cannot be read fails the test. */
static inline struct ty_json *json_of(struct ty_arena *a, const char *text)
{
    struct ty_err err = { 0 };
    char *copy = ty_arena_strndup(a, text, strlen(text));

    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    struct ty_json *v = ty_json_parse(a, ty_str(copy), NULL, &err);
    if (!v)
        fail_msg("%s: %s", err.text, copy);
    return v;
}

#endif
