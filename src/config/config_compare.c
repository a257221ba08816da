/* Describes the differences between two configurations. */
#include "config/config_inner.h"

static void put_words(struct ty_buf *b, const struct ty_strlist *w)
{
    ty_buf_chr(b, '[');
    for (size_t i = 0; i < w->n; i++)
        ty_buf_printf(b, "%s%s", i ? ", " : "", w->v[i]);
    ty_buf_chr(b, ']');
}

static void put_workers(struct ty_buf *b, const struct ty_config *c)
{
    ty_buf_chr(b, '{');
    for (size_t i = 0; i < c->n_workers; i++)
        ty_buf_printf(b, "%s%.*s: %d", i ? ", " : "", TY_ARG(c->workers[i].kind), c->workers[i].n);
    ty_buf_chr(b, '}');
}

static void put_value(struct ty_buf *b, const struct ty_config *c, const struct ty_config_row *row)
{
    const void *at = (const char *)c + row->at;
    const char *text;
    switch (row->type) {
    case TY_CONFIG_INT:
        ty_buf_printf(b, "%d", *(const int *)at);
        return;
    case TY_CONFIG_NUMBER:
        ty_buf_printf(b, "%g", *(const double *)at);
        return;
    case TY_CONFIG_BOOL:
        ty_buf_cstr(b, *(const bool *)at ? "true" : "false");
        return;
    case TY_CONFIG_TEXT:
        text = *(const char *const *)at;
        ty_buf_printf(b, "\"%s\"", text ? text : "");
        return;
    case TY_CONFIG_DURATION:
        ty_buf_printf(b, "%gs", (double)*(const int64_t *)at / 1000);
        return;
    case TY_CONFIG_WORDS:
        put_words(b, at);
        return;
    case TY_CONFIG_WORKERS:
        put_workers(b, c);
        return;
    case TY_CONFIG_PROTECTION:
        ty_buf_cstr(b, *(const bool *)at ? "finalizer" : "snapshot");
        return;
    }
}

void ty_config_compare(struct ty_arena *a, const struct ty_config *was, const struct ty_config *now,
                       struct ty_config_change *ret)
{
    struct ty_config_change c = { 0 };
    for (const struct ty_config_row *row = ty_config_rows; row->path; row++) {
        ty_auto_buf x = { 0 }, y = { 0 };
        put_value(&x, was, row);
        put_value(&y, now, row);
        if (!ty_str_eq(ty_buf_str(&x), ty_buf_str(&y)))
            ty_strlist_add(a, row->live ? &c.live : &c.restart,
                           ty_arena_printf(a, "%s: %.*s -> %.*s", row->path, TY_ARG(ty_buf_str(&x)),
                                           TY_ARG(ty_buf_str(&y))));
    }
    *ret = c;
}
