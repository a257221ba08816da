#include "cli/view/table.h"

void ty_table_add(struct ty_table *t, const char *const *cells)
{
    size_t n = 0, lead = t->first != NULL;

    while (n + lead < TY_TABLE_COLUMNS && cells[n])
        n++;
    if (!t->n_columns)
        t->n_columns = n + lead;
    ty_room(t->arena, t->cells, t->n_cells + t->n_columns, t->cap);
    if (lead)
        t->cells[t->n_cells++] = t->first;
    for (size_t i = 0; i + lead < t->n_columns; i++)
        t->cells[t->n_cells++] = i < n ? cells[i] : "";
}

size_t ty_table_rows(const struct ty_table *t)
{
    return t->n_cells ? t->n_cells / t->n_columns - 1 : 0;
}

/* Characters, not bytes. */
static size_t text_width(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void put_clean(struct ty_buf *out, const char *s)
{
    for (; *s; s++)
        ty_buf_chr(out, (unsigned char)*s < ' ' || *s == 0x7f ? ' ' : *s);
}

void ty_table_print(const struct ty_table *t, struct ty_buf *out)
{
    size_t own[TY_TABLE_COLUMNS] = { 0 }, *wide = t->widths ? t->widths : own;

    for (size_t i = 0; i < t->n_cells; i++) {
        size_t w = text_width(t->cells[i]), c = i % t->n_columns;
        wide[c] = w > wide[c] ? w : wide[c];
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t c = i % t->n_columns;
        if (c == 0 && t->indent)
            ty_buf_cstr(out, t->indent);
        put_clean(out, t->cells[i]);
        if (c + 1 == t->n_columns)
            ty_buf_chr(out, '\n');
        else
            ty_buf_printf(out, "%*s", (int)(wide[c] - text_width(t->cells[i]) + 3), "");
    }
}

static const char *two_units(struct ty_arena *a, int64_t big, char unit, int64_t small, char part)
{
    return small ? ty_arena_printf(a, "%lld%c%lld%c", (long long)big, unit, (long long)small, part)
                 : ty_arena_printf(a, "%lld%c", (long long)big, unit);
}

const char *ty_table_age(struct ty_arena *a, int64_t s)
{
    int64_t m = s / 60, h = m / 60, d = h / 24;

    if (s < 0)
        return "0s";
    if (s < 120)
        return two_units(a, s, 's', 0, 0);
    if (m < 10)
        return two_units(a, m, 'm', s % 60, 's');
    if (m < 180)
        return two_units(a, m, 'm', 0, 0);
    if (h < 8)
        return two_units(a, h, 'h', m % 60, 'm');
    if (h < 48)
        return two_units(a, h, 'h', 0, 0);
    if (d < 8)
        return two_units(a, d, 'd', h % 24, 'h');
    if (d < 730)
        return two_units(a, d, 'd', 0, 0);
    return two_units(a, d / 365, 'y', d < 2920 ? d % 365 : 0, 'd');
}
