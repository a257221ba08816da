#include "cli/view/sort_by.h"

#include <stdlib.h>

struct ty_sort_key {
    size_t row;
    enum { MISSING, NUMBER, TEXT } type; /* types are not compared with each other: in this order */
    int64_t value;
    const char *text;
};

const char *ty_sort_by_path(struct ty_arena *a, const char *word)
{
    struct ty_str s = ty_str_trim(ty_str(word));

    if (s.n >= 2 && s.p[0] == '{' && s.p[s.n - 1] == '}')
        s = (struct ty_str){ s.p + 1, s.n - 2 };
    if (s.n && s.p[0] == '.')
        s = (struct ty_str){ s.p + 1, s.n - 1 };
    for (size_t i = 0; i < s.n; i++)
        if (strchr("{}[]()*?@ ", s.p[i]))
            return NULL;
    return s.n ? ty_arena_cstr(a, s) : NULL;
}

void ty_sort_by_add(struct ty_sort_by *s, const struct ty_json *obj)
{
    struct ty_sort_key *k = NULL;
    const struct ty_json *v = s->path ? ty_json_at(obj, s->path) : NULL;

    if (!s->path)
        return;
    k = ty_new(s->arena, struct ty_sort_key);
    *k = (struct ty_sort_key){ .row = s->n, .text = "" };
    if (ty_json_int_at(obj, s->path, &k->value)) {
        k->type = NUMBER;
    } else if (v) {
        k->type = TEXT;
        k->text =
            ty_arena_cstr(s->arena, ty_json_is(v, TY_JSON_STRING) ? ty_json_as_str(v)
                                                                  : ty_json_text(s->arena, v));
    }
    ty_room(s->arena, s->keys, s->n, s->cap);
    s->keys[s->n++] = k;
}

bool ty_sort_by_missing(const struct ty_sort_by *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->keys[i]->type != MISSING)
            return false;
    return s->n > 0;
}

static int by_key(const void *x, const void *y)
{
    const struct ty_sort_key *a = *(const struct ty_sort_key *const *)x,
                             *b = *(const struct ty_sort_key *const *)y;
    int d = (a->type > b->type) - (a->type < b->type);

    if (!d && a->type == NUMBER)
        d = (a->value > b->value) - (a->value < b->value);
    if (!d)
        d = strcmp(a->text, b->text);
    return d ? d : (a->row > b->row) - (a->row < b->row);
}

static void sort_keys(struct ty_sort_by *s)
{
    if (s->n)
        qsort(s->keys, s->n, sizeof(*s->keys), by_key);
}

void ty_sort_by_table(struct ty_sort_by *s, struct ty_table *t)
{
    size_t width = t->n_columns;

    if (!s->path || s->n != ty_table_rows(t))
        return;
    const char **was = ty_new_n(s->arena, const char *, t->n_cells + 1);
    memcpy(was, t->cells, t->n_cells * sizeof(*was));
    sort_keys(s);
    for (size_t i = 0; i < s->n; i++)
        memcpy(t->cells + (i + 1) * width, was + (s->keys[i]->row + 1) * width,
               width * sizeof(*was));
}

void ty_sort_by_objs(struct ty_sort_by *s, struct ty_json **objs)
{
    struct ty_json **was = ty_new_n(s->arena, struct ty_json *, s->n + 1);

    if (!s->n)
        return;
    memcpy(was, objs, s->n * sizeof(*was));
    sort_keys(s);
    for (size_t i = 0; i < s->n; i++)
        objs[i] = was[s->keys[i]->row];
}
