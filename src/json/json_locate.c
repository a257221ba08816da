#include "json/json_locate.h"
#include <strings.h>

static const struct ty_json *find_nocase(const struct ty_json *obj, struct ty_str key)
{
    ty_each_member (m, obj)
        if (m->key.n == key.n && strncasecmp(m->key.p, key.p, key.n) == 0)
            return m->value;
    return NULL;
}

/* One step of the path: ".key", "[3]", "[key]" or "[name=\"x\"]"; advances *path. */
static const struct ty_json *follow_path(const struct ty_json *at, const char **path)
{
    const char *p = *path;
    if (*p == '[') {
        struct ty_str inner = { p + 1, strcspn(p + 1, "]") };
        *path = p + 1 + inner.n;
        *path += **path == ']';
        int64_t i = 0;
        if (ty_json_is(at, TY_JSON_ARRAY) && ty_str_parse_i64(inner, &i) && i >= 0)
            return ty_json_item(at, (size_t)i);
        if (inner.n > 6 && ty_str_starts(inner, TY_LIT("name=\""))) /* in conflicts of an apply */
            return ty_json_find_item(at, "name", (struct ty_str){ inner.p + 6, inner.n - 7 }, NULL);
        return find_nocase(at, inner);
    }
    p += *p == '.';
    size_t n = strcspn(p, ".[");
    *path = p + n;
    return find_nocase(at, (struct ty_str){ p, n });
}

const struct ty_json *ty_json_locate(const struct ty_json *obj, const char *path)
{
    const struct ty_json *best = obj;
    for (const struct ty_json *at = obj; at && *path;) {
        at = follow_path(at, &path);
        if (at && at->line) /* values from defaulting have no line */
            best = at;
    }
    return best;
}
