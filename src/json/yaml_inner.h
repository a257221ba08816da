/* Shared by the YAML files. The parser is a chain: text -> parts -> events -> tree. */
#ifndef TY_JSON_YAML_INNER_H
#define TY_JSON_YAML_INNER_H

#include "json/yaml.h"

/* A position in the input, from 1. */
struct ty_yaml_mark {
    uint32_t line, col;
};

/* "NAME:LINE:COL: …"; returns -EINVAL. */
#define TY_YAML_FAIL(err, name, at, fmt, ...)                                                      \
    ty_fail((err), -EINVAL, "%s:%u:%u: " fmt, (name), (at).line, (at).col, __VA_ARGS__)

/* yaml_text.c */

/* Checks for the characters that YAML allows: UTF-8, no NUL, no control characters. */
int ty_yaml_text_check(const char *name, struct ty_str text, struct ty_err *err);
/* A stream is split at its "---" and "..." lines, which YAML allows nowhere inside a document; so a
 * syntax error in one document cannot change how the next one is parsed. */
struct ty_yaml_part {
    struct ty_str text; /* at most one document, with its directives and "---" */
    uint32_t line;      /* of its first byte */
};
/* Removes the next part from *rest, which starts on line *line; false at the end. */
bool ty_yaml_text_next(struct ty_str *rest, uint32_t *line, struct ty_yaml_part *ret_part);
/* For messages: the text in double quotes, escaped and truncated. */
const char *ty_yaml_text_show(struct ty_arena *a, struct ty_str s);

/* yaml_number.c: numbers as go-yaml reads them and as Go's encoding/json writes them. */

/* Sets type, n and value of *v if the plain scalar s is a number; else false. 1.0 is the INT 1. */
bool ty_yaml_number_parse(struct ty_arena *a, struct ty_str s, struct ty_json *v);
/* Could any YAML parser read s as a number, a date or a time of day? */
bool ty_yaml_number_like(struct ty_str s);
/* The text of a NUMBER that is used as a key. */
struct ty_str ty_yaml_number_key(struct ty_arena *a, const struct ty_json *v);

/* yaml_scalar.c */

struct ty_yaml_scalar {
    struct ty_str text;
    struct ty_str tag; /* long form; empty: none */
    bool plain;        /* neither quoted nor a block */
};
/* Sets *v, or *ret_why to an error message (which lives with the arena). */
bool ty_yaml_scalar_parse(struct ty_arena *a, const struct ty_yaml_scalar *in, struct ty_json *v,
                          const char **ret_why);
/* Would a YAML 1.1 or 1.2 parser read the plain word s as something else than a string? */
bool ty_yaml_scalar_is_word(struct ty_str s);
/* The key for a value that is used as a key; false for null, lists and mappings. */
bool ty_yaml_scalar_key(struct ty_arena *a, const struct ty_json *v, struct ty_str *ret_key);
/* "!!str" for "tag:yaml.org,2002:str", for messages. */
const char *ty_yaml_scalar_tag(struct ty_arena *a, struct ty_str tag);

/* yaml_unquote.c: decodes what is between the quotes ('"' or '\''). The result is raw itself if
 * nothing changes, else it lives with the arena. False for invalid escapes. */
bool ty_yaml_unquote(struct ty_arena *a, struct ty_str raw, char quote, struct ty_str *ret_text);

/* yaml_build.c: builds a tree from the events of one document. */

enum ty_yaml_kind { TY_YAML_SCALAR, TY_YAML_LIST, TY_YAML_MAPPING, TY_YAML_END, TY_YAML_ALIAS };
struct ty_yaml_event {
    enum ty_yaml_kind kind;
    struct ty_yaml_scalar scalar; /* its tag also for lists and mappings */
    struct ty_str anchor;         /* of this node, or the target of an alias; empty: none */
    struct ty_yaml_mark at;
    bool flow; /* a list in [] or a mapping in {} */
};
struct ty_yaml_build;
/* gives; one for a whole stream. name and the arena are borrowed until it is freed. */
struct ty_yaml_build *ty_yaml_build_new(struct ty_arena *a, const char *name, unsigned max_depth);
void ty_yaml_build_free(struct ty_yaml_build *b);
int ty_yaml_build_add(struct ty_yaml_build *b, const struct ty_yaml_event *ev, struct ty_err *err);
/* Returns the document, or NULL if there was none; removes it and its anchors from the builder. */
struct ty_json *ty_yaml_build_take(struct ty_yaml_build *b);
/* The innermost list or mapping that has not ended: '[' or '{' in brackets, '-' or ':' in block
 * style, 0 if there is none. */
char ty_yaml_build_open(const struct ty_yaml_build *b, struct ty_yaml_mark *ret_at);

/* yaml_diag.c: the parser's message in plain words. A literal, or lives with the arena. */
const char *ty_yaml_diag_text(struct ty_arena *a, const char *message);

/* yaml_quote.c: chooses how a string is written. */

enum ty_yaml_quoting { TY_YAML_PLAIN, TY_YAML_SINGLE, TY_YAML_DOUBLE, TY_YAML_BLOCK };
/* `one_line` for keys: never BLOCK. */
enum ty_yaml_quoting ty_yaml_quote_choose(struct ty_str s, bool one_line);
void ty_yaml_quote_put(struct ty_buf *out, struct ty_str s, enum ty_yaml_quoting how);
/* "|", "|-", "|2+"… for a string whose choice is BLOCK. */
void ty_yaml_quote_header(struct ty_buf *out, struct ty_str s);
/* The lines of the block, each with `indent` spaces, after the header's line. */
void ty_yaml_quote_block(struct ty_buf *out, struct ty_str s, size_t indent);

#endif
