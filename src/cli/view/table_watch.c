#include "cli/view/table_watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct seen_row {
    uint64_t poll; /* the last one with this row */
    char cells[];  /* without times */
};

static bool is_time(const char *heading)
{
    static const char *const times[] = { "AGE", "DURATION", "STARTED", "LAST SEEN" };

    for (size_t i = 0; i < TY_COUNT(times); i++)
        if (strcmp(heading, times[i]) == 0)
            return true;
    return false;
}

void ty_table_watch_row(struct ty_table_watch *w, struct ty_table *t, const char *key)
{
    const char *const *row = t->cells + t->n_cells - t->n_columns;
    ty_auto_buf now = { 0 };

    for (size_t i = 0; i < t->n_columns; i++)
        if (!is_time(t->cells[i]))
            ty_buf_printf(&now, "%s\n", row[i]);
    ty_buf_chr(&now, '\0');
    struct seen_row *row_seen = ty_map_get(&w->seen, ty_str(key));
    if (row_seen && strcmp(row_seen->cells, now.p) == 0) {
        row_seen->poll = w->polls;
        t->n_cells -= t->n_columns;
        return;
    }
    free(ty_map_del(&w->seen, ty_str(key))); /* it becomes the newest */
    row_seen = ty_xalloc(malloc(sizeof(*row_seen) + now.n));
    row_seen->poll = w->polls;
    memcpy(row_seen->cells, now.p, now.n);
    ty_map_put(&w->seen, ty_str(key), row_seen);
}

void ty_table_watch_deleted_row(struct ty_table_watch *w, const char *key)
{
    free(ty_map_del(&w->seen, ty_str(key)));
}

/* Forgets down to half of the limit, so that the cost of a row does not depend on it. */
static void forget_old(struct ty_table_watch *w)
{
    size_t most = w->most ? w->most : TY_TABLE_WATCH_ROWS, n = 0, at = 0;
    const struct ty_map_slot *s = NULL;

    if (w->seen.n <= most)
        return;
    size_t extra = w->seen.n - most / 2;
    struct ty_str *keys = ty_xalloc(calloc(extra, sizeof(*keys)));
    while (n < extra && (s = ty_map_next(&w->seen, &at)))
        if (((const struct seen_row *)s->value)->poll != w->polls)
            keys[n++] = (struct ty_str){ s->key, s->n };
    for (size_t i = 0; i < n; i++)
        free(ty_map_del(&w->seen, keys[i]));
    free(keys);
}

/* The table, without its heading if that stands above. */
static int print_below(struct ty_table_watch *w, const struct ty_table *t)
{
    ty_auto_buf table = { 0 }, rows = { 0 };
    struct ty_str head;

    ty_table_print(t, &table);
    struct ty_str rest = ty_str_cut(ty_buf_str(&table), '\n', &head);
    ty_buf_add(&rows, w->headed ? rest : ty_buf_str(&table));
    w->headed = true;
    return ty_cli_print_clean(w->cli, &rows);
}

int ty_table_watch_poll(struct ty_table_watch *w)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 30, NULL);
    struct ty_table t = { .arena = a, .widths = w->widths };

    w->polls++;
    int code = w->fill(w->ctx, &t);
    forget_old(w);
    if (code == TY_EXIT_OK && ty_table_rows(&t))
        code = print_below(w, &t);
    return code;
}

int ty_table_watch_run(struct ty_table_watch *w)
{
    int code = ty_table_watch_poll(w);

    while (code == TY_EXIT_OK) {
        code = w->wait(w->ctx);
        if (code == TY_EXIT_OK)
            code = ty_table_watch_poll(w);
    }
    return code;
}

void ty_table_watch_done(struct ty_table_watch *w)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&w->seen, &at)))
        free(s->value);
    ty_map_done(&w->seen);
}
