/* Shared by the files of the schema; callers include api/schema.h. */
#ifndef TY_API_SCHEMA_INNER_H
#define TY_API_SCHEMA_INNER_H

#include "api/schema.h"

/* The context of one validation. */
struct ty_schema_walk {
    struct ty_errs *errs;
    const struct ty_field_path *at;   /* the path of the value that is validated */
    const struct ty_field_path *body; /* the same path in "… in body" texts */
};

/* The schema of member `key` of an object or map; NULL if unknown. */
const struct ty_schema *ty_schema_member(const struct ty_schema *s, struct ty_str key);
/* Does v have the JSON type of this schema type? True for types with several representations. */
bool ty_schema_type_matches(enum ty_schema_type type, const struct ty_json *v);
/* The item of `old` that the API server considers an earlier version of `item`, which has index `i`
 * in the new list: the one with the same keys in a map list, else NULL. */
const struct ty_json *ty_schema_correlate_item(const struct ty_schema *list,
                                               const struct ty_json *item,
                                               const struct ty_json *old, size_t i);

/* Duplicates in map lists and sets, everywhere below v; returns their number. errs NULL: only
 * counts. */
size_t ty_schema_check_duplicates(struct ty_arena *a, struct ty_errs *errs,
                                  const struct ty_schema *s, const struct ty_json *v,
                                  const struct ty_field_path *at);
/* The rules of s and of everything below. old: v's earlier version, or NULL. */
void ty_schema_check_rules(struct ty_errs *errs, const struct ty_schema *s, const struct ty_json *v,
                           const struct ty_json *old, const struct ty_field_path *at);

/* The number of characters of UTF-8 text, as maxLength counts them. */
size_t ty_schema_rune_count(struct ty_str s);

/* The regular expression of TY_T_QUANTITY, and the same check in C. */
extern const char ty_schema_quantity_pattern[];
bool ty_schema_is_quantity(struct ty_str s);
/* RFC 3339 as in the API server's format date-time. */
bool ty_schema_is_date_time(struct ty_str s);
/* The same as Go's time.Parse does it, with its message: 0 or -EINVAL. */
int ty_schema_decode_time(struct ty_str s, struct ty_err *err);

/* How to write the value that v seems to mean in the type of s, or NULL. */
const char *ty_schema_hint_type(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *v);
/* The allowed value that is nearest to v, or NULL. */
const char *ty_schema_hint_enum(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *v);
/* Where an unknown field may belong. `up` are the schemas from the root down to the object that has
 * it, with their paths; the result is "did you mean …" or NULL. */
struct ty_schema_hint_scope {
    const struct ty_schema_hint_scope *up;
    const struct ty_schema *schema;
    const struct ty_field_path *at;
};
const char *ty_schema_hint_unknown(struct ty_arena *a, const struct ty_schema_hint_scope *place,
                                   struct ty_str key);

#endif
