/* Any stream: a parsed value prints to text that parses to an equal value, sorted or not, with
 * comments or without. */
#include "json/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok, const char *what, struct ty_str text)
{
    if (ok)
        return;
    fprintf(stderr, "%s:\n%.*s\n", what, TY_ARG(text));
    abort();
}

static void say(void *ctx, const struct ty_json *v, struct ty_buf *out)
{
    (void)ctx;
    if (v->line % 3 > 0)
        ty_buf_printf(out, "line %u\n: x", v->line % 3);
}

static void round_trip(struct ty_arena *a, const struct ty_json *doc,
                       const struct ty_yaml_style *style)
{
    ty_auto_buf out = { 0 };
    struct ty_yaml_docs back = { 0 };
    struct ty_err err = { 0 };
    ty_yaml_print(&out, doc, style);
    struct ty_str text = ty_buf_str(&out);
    int r = ty_yaml_parse(a, "printed", text, NULL, &back, &err);
    check(r == 0, err.text, text);
    check(back.n == 1, "not one document", text);
    check(ty_json_eq(doc, back.v[0]), "another value", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    struct ty_str text = { (const char *)data, size };
    const struct ty_json_limits limits = { .bytes = 1 << 16, .depth = 40 };
    int r = ty_yaml_parse(a, "fuzz", text, &limits, &docs, &err);
    if (r < 0) {
        check(strncmp(err.text, "fuzz:", 5) == 0 && !strchr(err.text, '\n'), err.text, text);
        return 0;
    }
    for (size_t i = 0; i < docs.n; i++) {
        round_trip(a, docs.v[i], NULL);
        round_trip(a, docs.v[i], &(const struct ty_yaml_style){ .sorted = true });
        round_trip(a, docs.v[i], &(const struct ty_yaml_style){ .note = say });
    }
    return 0;
}
