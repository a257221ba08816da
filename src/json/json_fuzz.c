/* Any text: a parsed value prints to a fixed point in every style, and its copy is equal. */
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_style(struct ty_arena *a, const struct ty_json *v, int indent, bool sorted)
{
    ty_auto_buf once = { 0 };
    ty_auto_buf twice = { 0 };
    ty_json_pretty(&once, v, indent, sorted);
    const struct ty_json *back = ty_json_parse(a, ty_buf_str(&once), NULL, NULL);
    check(back && ty_json_eq(v, back) && ty_json_eq(back, v));
    ty_json_pretty(&twice, back, indent, sorted);
    check(ty_str_eq(ty_buf_str(&once), ty_buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_err err = { 0 };
    struct ty_str text = { (const char *)data, size };
    const struct ty_json *v = ty_json_parse(a, text, NULL, &err);
    check((v != NULL) == (err.code == 0));
    if (!v) {
        check(err.code < 0 && ty_str_starts(ty_str(err.text), TY_LIT("line ")));
        return 0;
    }
    struct ty_str once = ty_json_text(a, v);
    const struct ty_json *back = ty_json_parse(a, once, NULL, NULL);
    check(back && ty_json_eq(v, back));
    check(ty_str_eq(once, ty_json_text(a, back)));
    const struct ty_json *copy = ty_json_copy(a, v, 0);
    check(ty_json_eq(v, copy) && ty_str_eq(once, ty_json_text(a, copy)));
    check_style(a, v, 0, false);
    check_style(a, v, 3, true);
    return 0;
}
