#include "compare.h"

#include <ctype.h>

#include "api/kind.h"
#include "json/yaml.h"

static struct ty_json *masked_value(struct ty_arena *a, struct ty_str name)
{
    return ty_json_strf(a, "<%.*s>", TY_ARG(name));
}

/* Replaces RFC 3339 times in messages. */
static struct ty_json *without_times(struct ty_arena *a, struct ty_json *v)
{
    ty_auto_buf out = { 0 };
    struct ty_str s = ty_json_as_str(v);

    for (size_t i = 0; i < s.n; i++) {
        const char *p = s.p + i;
        if (s.n - i >= 20 && isdigit((unsigned char)p[0]) && p[4] == '-' && p[7] == '-' &&
            p[10] == 'T' && p[13] == ':' && p[19] == 'Z') {
            ty_buf_cstr(&out, "<time>");
            i += 19;
        } else {
            ty_buf_chr(&out, *p);
        }
    }
    return out.n ? ty_json_cstr(a, ty_arena_strndup(a, out.p, out.n)) : v;
}

static int base64_value(char c)
{
    static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(set, c) : NULL;
    return at ? (int)(at - set) : -1;
}

/* The first word of decoded base64, as in the recordings of key material. */
static struct ty_str first_word(struct ty_arena *a, struct ty_str s)
{
    ty_auto_buf out = { 0 };
    unsigned bits = 0;
    int have = 0;

    for (size_t i = 0; i < s.n && base64_value(s.p[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)base64_value(s.p[i]);
        have += 6;
        if (have < 8)
            continue;
        have -= 8;
        char c = (char)(bits >> have & 255);
        if (isspace((unsigned char)c))
            break;
        ty_buf_chr(&out, c);
    }
    return (struct ty_str){ ty_arena_strndup(a, out.p, out.n), out.n };
}

static struct ty_json *normal_data(struct ty_arena *a, struct ty_str key, struct ty_json *v,
                                   bool secret)
{
    struct ty_str text = ty_json_as_str(v);

    if (secret && !ty_str_starts(text, TY_LIT("<")))
        return ty_json_strf(a, "<%.*s: %.*s>", TY_ARG(key), TY_ARG(first_word(a, text)));
    if (ty_str_ends(key, TY_LIT(".sh")))
        return ty_json_cstr(a, "<script>");
    if (ty_str_is(key, "runtime") && text.n) {
        struct ty_yaml_docs docs = { 0 };
        struct ty_err err = { 0 };
        if (ty_yaml_parse(a, "runtime", text, NULL, &docs, &err) == 0 && docs.n == 1)
            return docs.v[0];
    }
    return v;
}

static void normal_member(struct ty_arena *a, struct ty_json_member *m, bool secret_data, bool data)
{
    if (data) {
        m->value = normal_data(a, m->key, m->value, secret_data);
    } else if (ty_json_is(m->value, TY_JSON_STRING)) {
        if (ty_str_is(m->key, "uid"))
            m->value = masked_value(a, m->key);
        else if (ty_str_is(m->key, "lastTransitionTime") || ty_str_is(m->key, "lastUpdatedTime") ||
                 ty_str_is(m->key, "time"))
            m->value = masked_value(a, m->key);
        else if (ty_str_is(m->key, "message"))
            m->value = without_times(a, m->value);
    }
}

static void normalize_value(struct ty_arena *a, struct ty_json *v, bool secret, bool data)
{
    if (ty_json_is(v, TY_JSON_OBJECT)) {
        bool is_secret = ty_str_is(ty_json_str_at(v, "kind"), "Secret");
        bool is_map = is_secret || ty_str_is(ty_json_str_at(v, "kind"), "ConfigMap");
        if (ty_str_is(ty_json_str_at(v, "kind"), "ClusterTrainingRuntime") ||
            ty_str_is(ty_json_str_at(v, "kind"), "TrainingRuntime")) {
            static const char *const gone[] = { "creationTimestamp", "generation",
                                                "resourceVersion", "namespace" };
            for (size_t i = 0; i < 4; i++)
                ty_json_del(ty_json_get(v, "metadata"), ty_str(gone[i]));
        }
        if (ty_str_is(ty_json_str_at(v, "how"), "delete"))
            ty_json_del(v, TY_LIT("body")); /* DeleteOptions, in the API server's form */
        ty_each_member (m, v) {
            normal_member(a, m, secret, data);
            normalize_value(a, m->value, is_secret, is_map && ty_str_is(m->key, "data"));
        }
    }
    ty_each_item (it, v)
        normalize_value(a, *it, false, false);
}

void compare_normalize(struct ty_arena *a, struct ty_json *result)
{
    normalize_value(a, result, false, false);
}

struct cmp {
    struct ty_arena *arena;
    struct ty_buf *out;
    size_t n;
};

static void add_difference(struct cmp *c, const char *path, const struct ty_json *want,
                           const struct ty_json *got)
{
    const char *w = want ? ty_json_text(c->arena, want).p : "(absent)";
    const char *g = got ? ty_json_text(c->arena, got).p : "(absent)";

    c->n++;
    ty_buf_printf(c->out, "    %s\n      recorded: %.600s\n      ours:     %.600s\n", path, w, g);
}

static void compare_values(struct cmp *c, const char *path, const struct ty_schema *s,
                           const struct ty_json *want, const struct ty_json *got);

static const struct ty_schema *member_schema(const struct ty_schema *s, struct ty_str key,
                                             const struct ty_json *parent)
{
    const struct ty_field *f = NULL;

    if (ty_str_is(key, "body"))
        return ty_str_is(ty_json_str_at(parent, "body.kind"), "JobSet") ? &ty_schema_JobSet : NULL;
    if (ty_str_is(key, "runtime"))
        return &ty_schema_TrainingRuntime;
    if (!s)
        return NULL;
    if (s->type == TY_T_MAP)
        return s->items;
    f = ty_schema_field(s, key);
    return f ? f->schema : NULL;
}

static void compare_objects(struct cmp *c, const char *path, const struct ty_schema *s,
                            const struct ty_json *want, const struct ty_json *got)
{
    ty_each_member (m, want)
        compare_values(c, ty_arena_printf(c->arena, "%s/%.*s", path, TY_ARG(m->key)),
                       member_schema(s, m->key, want), m->value, ty_json_find(got, m->key));
    ty_each_member (m, got)
        if (!ty_json_find(want, m->key))
            add_difference(c, ty_arena_printf(c->arena, "%s/%.*s", path, TY_ARG(m->key)), NULL,
                           m->value);
}

static struct ty_json *same_key(const struct ty_schema *s, const struct ty_json *list,
                                const struct ty_json *like)
{
    ty_each_item (it, list) {
        bool same = true;
        for (const char *const *k = s->list_keys; *k && same; k++) {
            const struct ty_json *x = ty_json_get(*it, *k), *y = ty_json_get(like, *k);
            same = x == y || (x && y && ty_json_eq(x, y));
        }
        if (same)
            return *it;
    }
    return NULL;
}

static void compare_lists(struct cmp *c, const char *path, const struct ty_schema *s,
                          const struct ty_json *want, const struct ty_json *got)
{
    if (s && s->type == TY_T_ARRAY && s->list_keys) {
        ty_each_item (it, want)
            compare_values(c, ty_arena_printf(c->arena, "%s/%zu", path, (size_t)(it - want->items)),
                           s->items, *it, same_key(s, got, *it));
        ty_each_item (it, got)
            if (!same_key(s, want, *it))
                add_difference(c, ty_arena_printf(c->arena, "%s/-", path), NULL, *it);
        return;
    }
    for (size_t i = 0; i < want->n || i < got->n; i++)
        compare_values(c, ty_arena_printf(c->arena, "%s/%zu", path, i),
                       s && s->type == TY_T_ARRAY ? s->items : NULL, ty_json_item(want, i),
                       ty_json_item(got, i));
}

static int by_text(const void *x, const void *y)
{
    return ty_str_cmp(*(const struct ty_str *)x, *(const struct ty_str *)y);
}

/* The parts between ", ", sorted. */
static struct ty_str *parts_of(struct ty_arena *a, struct ty_str s, size_t *ret_n)
{
    struct ty_str *v = ty_new_n(a, struct ty_str, s.n + 1);
    size_t n = 0, from = 0;

    for (size_t i = 0; i <= s.n; i++)
        if (i == s.n || (s.p[i] == ',' && i + 1 < s.n && s.p[i + 1] == ' ')) {
            v[n++] = (struct ty_str){ s.p + from, i - from };
            from = i + 2;
        }
    qsort(v, n, sizeof(*v), by_text);
    *ret_n = n;
    return v;
}

/* The API server walks the properties of a schema in random order, so the order of several errors
 * in one message does not matter. */
static bool same_message(struct ty_arena *a, const char *path, const struct ty_json *want,
                         const struct ty_json *got)
{
    struct ty_str w = ty_json_as_str(want), g = ty_json_as_str(got);
    size_t before = 0, n = 0, m = 0;
    const char *wb = w.n ? memchr(w.p, '[', w.n) : NULL, *gb = g.n ? memchr(g.p, '[', g.n) : NULL;

    if (!ty_str_ends(ty_str(path), TY_LIT("/message")) || w.n != g.n || !wb || !gb ||
        wb - w.p != gb - g.p || w.p[w.n - 1] != ']' || g.p[g.n - 1] != ']')
        return false;
    before = (size_t)(wb - w.p) + 1;
    if (memcmp(w.p, g.p, before) != 0)
        return false;
    struct ty_str *x = parts_of(a, (struct ty_str){ w.p + before, w.n - before - 1 }, &n);
    struct ty_str *y = parts_of(a, (struct ty_str){ g.p + before, g.n - before - 1 }, &m);
    for (size_t i = 0; i < n && n == m; i++)
        if (!ty_str_eq(x[i], y[i]))
            return false;
    return n == m;
}

static void compare_values(struct cmp *c, const char *path, const struct ty_schema *s,
                           const struct ty_json *want, const struct ty_json *got)
{
    if (!want || !got || want->type != got->type) {
        if (want != got)
            add_difference(c, path, want, got);
    } else if (want->type == TY_JSON_OBJECT) {
        compare_objects(c, path, s, want, got);
    } else if (want->type == TY_JSON_ARRAY) {
        compare_lists(c, path, s, want, got);
    } else if (!ty_json_eq(want, got) && !same_message(c->arena, path, want, got)) {
        add_difference(c, path, want, got);
    }
}

bool compare_results(struct ty_arena *a, const struct ty_json *want, const struct ty_json *got,
                     struct ty_buf *out)
{
    struct cmp c = { .arena = a, .out = out };

    compare_values(&c, "", NULL, want, got);
    return c.n == 0;
}
