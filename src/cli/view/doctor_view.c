#include "cli/view/doctor_view.h"

#include "base/text.h"

static const char *const colours[TY_CHECK_LEVELS] = { "\033[32m", "\033[33m", "\033[31m" };

/* Prints names and messages from the cluster without control characters. */
static void put_clean(struct ty_arena *a, struct ty_buf *out, const char *text)
{
    size_t cap = strlen(text) * 3 + 1;
    char *clean = ty_arena_alloc(a, cap, 1);

    ty_buf_put(out, clean, ty_text_clean(ty_str(text), clean, cap));
}

void ty_doctor_view_print(struct ty_arena *a, struct ty_buf *out, const struct ty_check_results *c,
                          bool colour)
{
    const char *area = "";

    for (const struct ty_check_result *one = c->first; one; one = one->next) {
        if (strcmp(area, one->area) != 0)
            ty_buf_printf(out, "%s%s\n", *area ? "\n" : "", one->area);
        area = one->area;
        ty_buf_printf(out, "%s%-4s%s  ", colour ? colours[one->level] : "",
                      ty_check_level_names[one->level], colour ? "\033[0m" : "");
        put_clean(a, out, one->what);
        if (one->fix) {
            ty_buf_cstr(out, "  -- fix: ");
            put_clean(a, out, one->fix);
        }
        ty_buf_chr(out, '\n');
    }
    ty_buf_printf(out, "\n%zu ok, %zu warning%s, %zu failed\n", c->n[TY_CHECK_LEVEL_OK],
                  c->n[TY_CHECK_LEVEL_WARN], c->n[TY_CHECK_LEVEL_WARN] == 1 ? "" : "s",
                  c->n[TY_CHECK_LEVEL_FAIL]);
}

struct ty_json *ty_doctor_view_json(struct ty_arena *a, const struct ty_check_results *c)
{
    struct ty_json *o = ty_json_object(a), *list = ty_json_array(a);

    for (const struct ty_check_result *one = c->first; one; one = one->next) {
        struct ty_json *line = ty_json_object(a);
        ty_json_set(a, line, "area", ty_json_cstr(a, one->area));
        ty_json_set(a, line, "name", ty_json_cstr(a, one->name));
        ty_json_set(a, line, "level", ty_json_cstr(a, ty_check_level_names[one->level]));
        ty_json_set(a, line, "what", ty_json_cstr(a, one->what));
        if (one->fix)
            ty_json_set(a, line, "fix", ty_json_cstr(a, one->fix));
        ty_json_push(a, list, line);
    }
    ty_json_set(a, o, "ok", ty_json_bool(a, !c->n[TY_CHECK_LEVEL_FAIL]));
    ty_json_set(a, o, "checks", list);
    return o;
}
