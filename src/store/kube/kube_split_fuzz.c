/* Any bytes as the response to a list: cut anywhere, it gives the same items and the same rest; and
 * if the parser accepts it as a list, the items are those of the parser. */
#include "store/kube/kube_split.h"

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct got {
    struct ty_buf all;
    size_t n;
};

static int on_part(void *ctx, struct ty_str text)
{
    struct got *g = ctx;
    ty_buf_add(&g->all, text);
    ty_buf_chr(&g->all, '\n');
    g->n++;
    return 0;
}

static void check(bool good)
{
    if (!good)
        abort();
}

static int feed(struct ty_kube_split *s, struct got *g, struct ty_str text, size_t step)
{
    struct ty_err err = { 0 };
    int r = 0;
    for (size_t at = 0; at < text.n && r == 0; at += step) {
        size_t n = text.n - at < step ? text.n - at : step;
        r = ty_kube_split_feed(s, (struct ty_str){ text.p + at, n }, on_part, g, &err);
    }
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_str text = { (const char *)data, size };
    struct ty_kube_split one = { .item.ceiling = 4096, .rest.ceiling = 4096 }, all = one;
    struct got by_one = { 0 }, at_once = { 0 };
    int r = feed(&one, &by_one, text, 1);
    check(r == feed(&all, &at_once, text, size + 1));
    check(by_one.n == at_once.n && ty_str_eq(ty_buf_str(&by_one.all), ty_buf_str(&at_once.all)));
    check(r < 0 || ty_str_eq(ty_buf_str(&one.rest), ty_buf_str(&all.rest)));

    /* The key may be written with escapes, which servers do not do and the splitter does not
     * support. */
    const struct ty_json *v = memchr(data, '\\', size) ? NULL : ty_json_parse(a, text, NULL, NULL);
    const struct ty_json *items = ty_json_get(v, "items");
    if (r == 0 && v) {
        size_t n = ty_json_is(items, TY_JSON_ARRAY) ? ty_json_len(items) : 0;
        check(n == at_once.n &&
              ty_kube_split_whole(&all) == (v->type >= TY_JSON_ARRAY || size > 0));
        check(ty_json_parse(a, ty_buf_str(&all.rest), NULL, NULL) != NULL);
    }
    ty_buf_done(&by_one.all);
    ty_buf_done(&at_once.all);
    ty_kube_split_done(&one);
    ty_kube_split_done(&all);
    return 0;
}
