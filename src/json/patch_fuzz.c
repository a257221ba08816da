/* Input: two JSON documents, one on each line. Properties: merging a patch again
 * changes nothing; a strategic merge of a document with itself is that document; inputs are not
 * modified. */
#include "json/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first letter of a member's name selects its strategy, so that the fuzzer can reach all of
 * them. */
static struct ty_patch_meta by_letter(const void *type, struct ty_str key)
{
    static const struct {
        char letter;
        struct ty_patch_meta how;
    } rules[] = {
        { 'k', { TY_PATCH_MERGE_BY_KEY, "n", false, NULL } },
        { 'u', { TY_PATCH_MERGE_BY_KEY, "n", true, NULL } },
        { 's', { TY_PATCH_MERGE_SET, NULL, false, NULL } },
        { 'r', { TY_PATCH_REPLACE, NULL, false, NULL } },
        { 'o', { TY_PATCH_MERGE, NULL, true, NULL } },
    };
    (void)type;
    for (size_t i = 0; key.n > 0 && i < TY_COUNT(rules); i++) {
        if (key.p[0] == rules[i].letter)
            return rules[i].how;
    }
    return (struct ty_patch_meta){ .how = TY_PATCH_MERGE };
}

static const void *no_type(const void *type)
{
    return type;
}

static const struct ty_patch_schema guide = { by_letter, no_type, NULL };

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* No nulls, directives, or duplicates in lists: only such a document can be merged with itself. */
static bool is_plain(const struct ty_json *v)
{
    if (ty_json_is(v, TY_JSON_NULL))
        return false;
    ty_each_item (it, v) {
        for (struct ty_json **other = v->items; other < it; other++) {
            const struct ty_json *a = ty_json_get(*it, "n"), *b = ty_json_get(*other, "n");
            if (ty_json_eq(*it, *other) || (a && b && ty_json_eq(a, b)))
                return false;
        }
        if (!is_plain(*it))
            return false;
    }
    ty_each_member (m, v) {
        if ((m->key.n > 0 && m->key.p[0] == '$') || !is_plain(m->value))
            return false;
    }
    return true;
}

static void check_merge(struct ty_arena *a, const struct ty_json *x, const struct ty_json *y)
{
    const struct ty_json *once = ty_patch_merge(a, x, y);

    check(ty_json_eq(ty_patch_merge(a, once, y), once));
}

static void check_strategic(struct ty_arena *a, const struct ty_json *x, const struct ty_json *y)
{
    struct ty_json *got = NULL, *twice = NULL;
    struct ty_err err = { 0 };

    if (ty_json_is(x, TY_JSON_OBJECT) && is_plain(x) &&
        ty_patch_strategic(a, x, x, &guide, NULL, 3, &got, &err) == 0)
        check(ty_json_eq(got, x));
    err = (struct ty_err){ 0 };
    int r = ty_patch_strategic(a, x, y, &guide, NULL, 3, &got, &err);
    check((r < 0) == (err.text[0] != '\0'));
    if (r == 0 && is_plain(x) && is_plain(y) &&
        ty_patch_strategic(a, got, y, &guide, NULL, 3, &twice, &err) == 0)
        check(ty_json_eq(got, twice)); /* merging is idempotent */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ty_json_limits limits = { .bytes = 1 << 14 };
    struct ty_str first, second, all = { (const char *)data, size };

    if (size > limits.bytes)
        return 0;
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    second = ty_str_cut(all, '\n', &first);
    const struct ty_json *x = ty_json_parse(a, first, &limits, NULL);
    const struct ty_json *y = ty_json_parse(a, second, &limits, NULL);
    if (!x || !y)
        return 0;
    struct ty_str x_before = ty_json_text(a, x), y_before = ty_json_text(a, y);
    check_merge(a, x, y);
    check_strategic(a, x, y);
    check(ty_str_eq(ty_json_text(a, x), x_before) && ty_str_eq(ty_json_text(a, y), y_before));
    return 0;
}
