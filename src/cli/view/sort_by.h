/* get --sort-by: orders rows or objects by a field, as kubectl does. */
#ifndef TY_CLI_VIEW_SORT_BY_H
#define TY_CLI_VIEW_SORT_BY_H

#include "cli/view/table.h"
#include "json/json.h"

struct ty_sort_by {
    struct ty_arena *arena;
    const char *path; /* "metadata.name"; NULL: not sorted */
    const struct ty_sort_key **keys;
    size_t n, cap;
};

/* "{.metadata.name}", ".metadata.name" or "metadata.name". NULL: something else. */
const char *ty_sort_by_path(struct ty_arena *a, const char *word);
/* The key of the next row; obj is borrowed for the call. */
void ty_sort_by_add(struct ty_sort_by *s, const struct ty_json *obj);
/* There are rows, and none has the field. */
bool ty_sort_by_missing(const struct ty_sort_by *s);
/* Both sort as many rows as keys were added: numbers by value, other values as text, missing ones
 * first; equal keys keep their order. */
void ty_sort_by_table(struct ty_sort_by *s, struct ty_table *t);
void ty_sort_by_objs(struct ty_sort_by *s, struct ty_json **objs);

#endif
