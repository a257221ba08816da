/* For tests: JSON with single quotes instead of double quotes, which is easier to read in C. */
#ifndef TY_JSON_JSON_TESTING_H
#define TY_JSON_JSON_TESTING_H

#include "base/testing.h"
#include "json/json.h"

/* Parses text into the arena; fails the test if it is invalid. */
static inline struct ty_json *json_read(struct ty_arena *a, const char *text)
{
    struct ty_err err = { 0 };
    struct ty_json *v = ty_json_parse(a, ty_str(text), NULL, &err);

    if (!v)
        fail_msg("%s: %s", err.text, text);
    return v;
}

static inline char *json_requote(struct ty_arena *a, const char *text, char from, char to)
{
    char *copy = ty_arena_strdup(a, text);

    for (char *p = copy; *p; p++)
        *p = *p == from ? to : *p;
    return copy;
}

/* The same from text with single quotes; and back: compact text with single quotes, "" for NULL. */
static inline struct ty_json *json_of(struct ty_arena *a, const char *text)
{
    return json_read(a, json_requote(a, text, '\'', '"'));
}

static inline const char *json_show(struct ty_arena *a, const struct ty_json *v)
{
    return v ? json_requote(a, ty_json_text(a, v).p, '"', '\'') : "";
}

#endif
