#include "cli/view/adopt_view.h"

#include "base/text.h"
#include "cli/view/table.h"

#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define GREEN  "\033[32m"
#define PLAIN  "\033[0m"
#define SHOWN  10 /* reasons that are printed for one object without --verbose */

static bool blocks_switch(enum ty_adopt_result r)
{
    return r >= TY_ADOPT_DIFFERS;
}

/* True if the object is printed although it does not prevent a switch. */
static bool is_notable(enum ty_adopt_result r)
{
    return r >= TY_ADOPT_KEPT;
}

static const char *colour_of(enum ty_adopt_result r)
{
    if (!blocks_switch(r))
        return GREEN;
    return r == TY_ADOPT_DIFFERS ? YELLOW : RED;
}

/* Prints text from the cluster without control characters. */
static void put_clean(struct ty_arena *a, struct ty_buf *out, const char *text)
{
    size_t n = strlen(text), cap = n * 3 + 1;
    char *clean = ty_arena_alloc(a, cap, 1);

    ty_buf_put(out, clean, ty_text_clean(ty_str(text), clean, cap));
}

static void print_reasons(struct ty_arena *a, struct ty_buf *out, const struct ty_adopt_entry *e,
                          const struct ty_adopt_view_opts *how)
{
    size_t shown = 0, left = 0;

    for (const struct ty_adopt_reason *r = e->reasons; r; r = r->next) {
        if (!how->verbose && (r->note || shown == SHOWN)) {
            left += !r->note;
            continue;
        }
        ty_buf_cstr(out, r->note ? "          note: " : "          ");
        put_clean(a, out, r->path);
        ty_buf_cstr(out, *r->path ? ": " : "");
        put_clean(a, out, r->text);
        ty_buf_chr(out, '\n');
        shown++;
    }
    if (left)
        ty_buf_printf(out, "          and %zu more (-v shows all)\n", left);
}

static void print_entry(struct ty_arena *a, struct ty_buf *out, const struct ty_adopt_entry *e,
                        const struct ty_adopt_view_opts *how)
{
    const char *on = how->colour ? colour_of(e->result) : "", *off = how->colour ? PLAIN : "";

    ty_buf_printf(out, "%s%-8s%s  %s ", on, ty_adopt_words[e->result], off, e->kind->kind);
    put_clean(a, out,
              ty_arena_printf(a, "%.*s%s%.*s: %s", TY_ARG(e->ns), e->ns.n ? "/" : "",
                              TY_ARG(e->name), e->text));
    ty_buf_chr(out, '\n');
    print_reasons(a, out, e, how);
}

static const char *count_text(struct ty_arena *a, size_t n)
{
    return ty_arena_printf(a, "%zu", n);
}

static void print_table(struct ty_arena *a, struct ty_buf *out, const struct ty_adopt *r)
{
    struct ty_table t = { .arena = a };

    ty_table_row(&t, "KIND", "FOUND", "AS IT IS", "KEPT", "NEW", "DIFFERS", "REFUSED", "FAILS",
                 "UNKNOWN");
    for (size_t k = 0; k < TY_ADOPT_KINDS; k++) {
        const size_t *n = r->count[k];
        size_t all = 0;
        for (size_t i = 0; i < TY_ADOPT_RESULTS; i++)
            all += n[i];
        size_t as_is =
            n[TY_ADOPT_SAME] + n[TY_ADOPT_RUNNING] + n[TY_ADOPT_FINISHED] + n[TY_ADOPT_OTHERS];
        ty_table_row(&t, r->kinds[k]->kind, count_text(a, all), count_text(a, as_is),
                     count_text(a, n[TY_ADOPT_KEPT]),
                     count_text(a, n[TY_ADOPT_NEW] + n[TY_ADOPT_REPLACED]),
                     count_text(a, n[TY_ADOPT_DIFFERS]), count_text(a, n[TY_ADOPT_REFUSED]),
                     count_text(a, n[TY_ADOPT_FAILS]), count_text(a, n[TY_ADOPT_UNKNOWN]));
    }
    ty_table_print(&t, out);
}

void ty_adopt_view_print(struct ty_arena *a, struct ty_buf *out, const struct ty_adopt *r,
                         const struct ty_adopt_view_opts *how)
{
    bool safe = !r->because.n, any = false;

    for (const struct ty_adopt_entry *e = r->first; e; e = e->next)
        if (how->verbose || is_notable(e->result)) {
            print_entry(a, out, e, how);
            any = true;
        }
    if (any)
        ty_buf_chr(out, '\n');
    print_table(a, out, r);
    ty_buf_printf(out, "\n%ssafe to switch: %s", how->colour ? (safe ? GREEN : RED) : "",
                  safe ? "yes" : "no, because ");
    for (size_t i = 0; i < r->because.n; i++) {
        ty_buf_cstr(out, i ? "; " : "");
        put_clean(a, out, r->because.v[i]);
    }
    ty_buf_printf(out, "%s\n", how->colour ? PLAIN : "");
}

/* ---- for programs ---- */

static struct ty_json *entry_json(struct ty_arena *a, const struct ty_adopt_entry *e)
{
    struct ty_json *o = ty_json_object(a), *list = ty_json_array(a);

    ty_json_set(a, o, "kind", ty_json_cstr(a, e->kind->kind));
    if (e->ns.n)
        ty_json_set(a, o, "namespace", ty_json_str(a, e->ns));
    ty_json_set(a, o, "name", ty_json_str(a, e->name));
    ty_json_set(a, o, "result", ty_json_cstr(a, ty_adopt_words[e->result]));
    ty_json_set(a, o, "text", ty_json_cstr(a, e->text));
    for (const struct ty_adopt_reason *r = e->reasons; r; r = r->next) {
        struct ty_json *one = ty_json_object(a);
        if (*r->path)
            ty_json_set(a, one, "path", ty_json_cstr(a, r->path));
        ty_json_set(a, one, "text", ty_json_cstr(a, r->text));
        if (r->note)
            ty_json_set(a, one, "note", ty_json_bool(a, true));
        ty_json_push(a, list, one);
    }
    if (list->n)
        ty_json_set(a, o, "reasons", list);
    return o;
}

struct ty_json *ty_adopt_view_json(struct ty_arena *a, const struct ty_adopt *r)
{
    struct ty_json *o = ty_json_object(a), *because = ty_json_array(a),
                   *summary = ty_json_object(a), *objects = ty_json_array(a);

    for (size_t i = 0; i < r->because.n; i++)
        ty_json_push(a, because, ty_json_cstr(a, r->because.v[i]));
    for (size_t k = 0; k < TY_ADOPT_KINDS; k++) {
        struct ty_json *row = ty_json_object(a);
        for (size_t i = 0; i < TY_ADOPT_RESULTS; i++)
            ty_json_set(a, row, ty_adopt_words[i], ty_json_int(a, (int64_t)r->count[k][i]));
        ty_json_set(a, summary, r->kinds[k]->kind, row);
    }
    for (const struct ty_adopt_entry *e = r->first; e; e = e->next)
        ty_json_push(a, objects, entry_json(a, e));
    ty_json_set(a, o, "safe", ty_json_bool(a, !r->because.n));
    ty_json_set(a, o, "because", because);
    ty_json_set(a, o, "summary", summary);
    ty_json_set(a, o, "objects", objects);
    return o;
}
