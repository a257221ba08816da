/* For tests: JSON with single quotes instead of double quotes, which is easier to read in C, and
 * documents that are too long for C in testdata/ beside the test. */
#ifndef TY_JSON_JSON_TESTING_H
#define TY_JSON_JSON_TESTING_H

#include <stdio.h>

#include "base/testing.h"
#include "json/json.h"
#include "json/yaml.h"

/* Parses text into the arena; fails the test if it is invalid. */
static inline struct ty_json *json_read(struct ty_arena *a, const char *text)
{
    struct ty_err err = { 0 };
    struct ty_json *v = ty_json_parse(a, ty_str(text), NULL, &err);

    if (!v)
        fail_msg("%s: %s", err.text, text);
    return v;
}

/* The same for a file, YAML if it is named so; tests run in the root of the source tree. */
static inline struct ty_json *json_file(struct ty_arena *a, const char *path)
{
    struct ty_err err = { 0 };
    struct ty_yaml_docs docs = { 0 };
    ty_auto_buf text = { 0 };
    FILE *f = fopen(path, "re");

    if (!f)
        fail_msg("%s cannot be opened", path);
    for (char part[4096]; !feof(f);)
        ty_buf_put(&text, part, fread(part, 1, sizeof(part), f));
    (void)fclose(f);
    const char *kept = ty_arena_cstr(a, ty_buf_str(&text));
    if (!ty_str_ends(ty_str(path), TY_LIT(".yaml")))
        return json_read(a, kept);
    if (ty_yaml_parse(a, path, ty_str(kept), NULL, &docs, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(docs.n, 1);
    return docs.v[0];
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
