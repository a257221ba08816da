/* The JSON tree that all other modules use as their data model. It lives with an arena. Objects
 * preserve the order of their keys; numbers preserve their exact text unless they are plain 64-bit
 * integers. */
#ifndef TY_JSON_JSON_H
#define TY_JSON_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum ty_json_type {
    TY_JSON_NULL,
    TY_JSON_BOOL,
    TY_JSON_INT,    /* a JSON number whose text is exactly the decimal form of an int64 */
    TY_JSON_NUMBER, /* any other JSON number, as text */
    TY_JSON_STRING,
    TY_JSON_ARRAY,
    TY_JSON_OBJECT,
};

struct ty_json;
struct ty_json_member {
    struct ty_str key;
    struct ty_json *value; /* never NULL */
};

/* In `line`: the value is not of the input text, but of an option; the other bits are its number.
 */
#define TY_JSON_OPTION 0x80000000u

struct ty_json {
    uint8_t type;
    uint16_t origin;    /* the source of this value, an index into the plan's origins; 0 unknown */
    uint32_t line, col; /* position in the input text, from 1; 0 unknown; TY_JSON_OPTION */
    uint32_t n, cap;    /* bytes of text, items, or members */
    union {
        bool b;
        int64_t i;
        const char *s; /* STRING, NUMBER: n bytes, not NUL-terminated */
        struct ty_json **items;
        struct ty_json_member *members;
    };
};

struct ty_json_limits {
    size_t bytes;   /* maximal length of the input; 0: TY_JSON_MAX_BYTES */
    unsigned depth; /* maximal nesting; 0: TY_JSON_MAX_DEPTH */
    size_t values;  /* maximal number of values; 0: no limit. A number takes two bytes of text and
                       forty in the tree */
    bool plain;     /* YAML without aliases, which can turn a short text into a large tree */
};
#define TY_JSON_MAX_BYTES ((size_t)32 << 20)
#define TY_JSON_MAX_DEPTH 512u

/* Parsing. Strict RFC 8259: invalid UTF-8, lone surrogates, duplicate keys and trailing text are
 * errors. Returns NULL with *err "line L, column C: …" for bad input, with code -E2BIG beyond the
 * limits for bytes and values, and with -EFBIG if the arena became full (so a tree that is returned
 * is complete). The text is borrowed: strings may point into it, so it must live as long as the
 * tree. The tree takes at most 24 bytes of the arena for each byte of text. limits may be NULL. */
struct ty_json *ty_json_parse(struct ty_arena *a, struct ty_str text,
                              const struct ty_json_limits *limits, struct ty_err *err);

/* Printing. Compact, keys in their order; as Go's encoding/json without HTML escaping. */
void ty_json_print(struct ty_buf *out, const struct ty_json *v);
/* `indent` spaces for each level, keys sorted if `sorted`; no newline at the end. */
void ty_json_pretty(struct ty_buf *out, const struct ty_json *v, int indent, bool sorted);
/* Compact text that lives with the arena, NUL-terminated. If it would take more than a quarter of
 * what an input arena has left, the arena becomes full and the text is empty. */
struct ty_str ty_json_text(struct ty_arena *a, const struct ty_json *v);

/* Constructors. String bytes and keys are borrowed: pass literals or data that lives with the
 * arena. */
struct ty_json *ty_json_null(struct ty_arena *a);
struct ty_json *ty_json_bool(struct ty_arena *a, bool b);
struct ty_json *ty_json_int(struct ty_arena *a, int64_t i);
struct ty_json *ty_json_str(struct ty_arena *a, struct ty_str s);
struct ty_json *ty_json_cstr(struct ty_arena *a, const char *s);
struct ty_json *ty_json_strf(struct ty_arena *a, const char *fmt, ...) TY_PRINTF(2, 3);
struct ty_json *ty_json_array(struct ty_arena *a);
struct ty_json *ty_json_object(struct ty_arena *a);
/* Deep copy; strings are shared with v, and also the rest of the tree once an input arena is full.
 * origin 0 preserves the origins of the nodes, any other value replaces them. */
struct ty_json *ty_json_copy(struct ty_arena *a, const struct ty_json *v, uint16_t origin);
/* A copy of this node only, with its own array; items and values of members are shared. */
struct ty_json *ty_json_shallow_copy(struct ty_arena *a, const struct ty_json *v);
void ty_json_set_origin(struct ty_json *v, uint16_t origin); /* of all nodes */

/* Accessors. They accept NULL and values of another type, and then return NULL, an empty view, 0 or
 * false. */
struct ty_json *ty_json_get(const struct ty_json *obj, const char *key);
struct ty_json *ty_json_find(const struct ty_json *obj, struct ty_str key);
/* By a dotted path of plain keys: ty_json_at(job, "spec.trainer.numNodes"). */
struct ty_json *ty_json_at(const struct ty_json *obj, const char *path);
struct ty_json *ty_json_item(const struct ty_json *arr, size_t i);
/* The first item of arr that is an object whose string member `key` equals `value`; or NULL.
 * *ret_index (may be NULL) is its index. */
struct ty_json *ty_json_find_item(const struct ty_json *arr, const char *key, struct ty_str value,
                                  size_t *ret_index);
static inline bool ty_json_is(const struct ty_json *v, enum ty_json_type t)
{
    return v && v->type == (uint8_t)t;
}
static inline size_t ty_json_len(const struct ty_json *v) /* of arrays and objects */
{
    return v && v->type >= TY_JSON_ARRAY ? v->n : 0;
}
static inline struct ty_str ty_json_as_str(const struct ty_json *v) /* of strings */
{
    return ty_json_is(v, TY_JSON_STRING) ? (struct ty_str){ v->s, v->n } : (struct ty_str){ "", 0 };
}
struct ty_str ty_json_str_at(const struct ty_json *obj,
                             const char *path); /* ty_json_at and ty_json_as_str */
static inline char *ty_json_cstr_at(struct ty_arena *a, const struct ty_json *obj, const char *path)
{
    return ty_arena_cstr(a, ty_json_str_at(obj, path));
}
bool ty_json_true_at(const struct ty_json *obj, const char *path); /* present and true */
/* False, with *ret_v unchanged, unless it is an integer that fits. */
bool ty_json_int_at(const struct ty_json *obj, const char *path, int64_t *ret_v);
/* Semantic equality: keys in any order, numbers by value if both are integers, else by text. */
bool ty_json_eq(const struct ty_json *a, const struct ty_json *b);
/* Hash (base/hash.h); equal for values that ty_json_eq calls equal. v may be NULL. */
uint64_t ty_json_hash(const struct ty_json *v);

/* Changes. Keys and values are borrowed and must live with the arena. */
void ty_json_set(struct ty_arena *a, struct ty_json *obj, const char *key, struct ty_json *v);
void ty_json_put(struct ty_arena *a, struct ty_json *obj, struct ty_str key, struct ty_json *v);
/* As ty_json_set for a key that does not exist, without a search for it. */
void ty_json_append(struct ty_arena *a, struct ty_json *obj, struct ty_str key, struct ty_json *v);
bool ty_json_del(struct ty_json *obj, struct ty_str key); /* true if it existed */
void ty_json_push(struct ty_arena *a, struct ty_json *arr, struct ty_json *v);
void ty_json_insert(struct ty_arena *a, struct ty_json *arr, size_t at, struct ty_json *v);
void ty_json_remove(struct ty_json *arr, size_t at);
/* Bulk changes in less than quadratic time (json_lists.c). ty_json_put_all puts every member of
 * `from`, values copied and stamped as by ty_json_copy. ty_json_upsert_all puts every item of
 * `from` in the place of the first item with the same string member `key`, else at the end. from
 * may be NULL; values of the wrong type are ignored, because the objects may not be validated yet.
 */
void ty_json_put_all(struct ty_arena *a, struct ty_json *into, const struct ty_json *from,
                     uint16_t origin);
void ty_json_upsert_all(struct ty_arena *a, struct ty_json *list, const char *key,
                        const struct ty_json *from);
/* The object or array at obj.key; an empty one is created if it is absent, and replaces a value of
 * any other type. */
struct ty_json *ty_json_ensure_object(struct ty_arena *a, struct ty_json *obj, const char *key);
struct ty_json *ty_json_ensure_array(struct ty_arena *a, struct ty_json *obj, const char *key);

/* Loops; v may be NULL; break and continue work. The list must not change inside.
 * ty_each_item (it, arr) use(*it);
 * ty_each_member (m, obj) use(m->key, m->value); */
#define ty_each_item(it, arr)                                                                      \
    for (struct ty_json **it = ty_json_is((arr), TY_JSON_ARRAY) ? (arr)->items : NULL,             \
                        **it##_end = it ? it + (arr)->n : NULL;                                    \
         it < it##_end; it++)
#define ty_each_member(m, obj)                                                                     \
    for (struct ty_json_member *m = ty_json_is((obj), TY_JSON_OBJECT) ? (obj)->members : NULL,     \
                               *m##_end = m ? m + (obj)->n : NULL;                                 \
         m < m##_end; m++)

#endif
