#include "cli/jobs/user_config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "store/file.h"
#include "json/yaml.h"

#define CONFIG_BYTES ((size_t)64 << 10)

/* NULL: neither variable names an absolute directory. */
static const char *config_path(struct ty_arena *a)
{
    const char *dir = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

    if (dir && dir[0] == '/') /* the XDG specification says to ignore relative paths */
        return ty_arena_printf(a, "%s/trainyard/config.yaml", dir);
    return home && home[0] == '/' ? ty_arena_printf(a, "%s/.config/trainyard/config.yaml", home)
                                  : NULL;
}

static int bad_field(struct ty_err *err, const char *file, struct ty_str key, const char *why)
{
    return ty_fail(err, -EINVAL, "%s: %.*s: %s", file, TY_ARG(ty_str_head(key, 40)), why);
}

static int take_field(struct ty_arena *a, struct ty_user_config *c, const struct ty_json_member *m,
                      struct ty_err *err)
{
    struct ty_str text = ty_json_as_str(m->value);
    bool where = ty_str_is(m->key, "where"), context = ty_str_is(m->key, "context"),
         ns = ty_str_is(m->key, "namespace");

    if (!where && !context && !ns)
        return bad_field(err, c->file, m->key,
                         "unknown field; there are where, context and namespace");
    if (!text.n)
        return bad_field(err, c->file, m->key, "must be a string that is not empty");
    if (context)
        c->context = ty_arena_cstr(a, text);
    else if (ns)
        c->ns = ty_arena_cstr(a, text);
    else if (ty_str_is(text, "cluster") || ty_str_is(text, "local"))
        c->cluster = ty_str_is(text, "cluster");
    else
        return bad_field(err, c->file, m->key, "must be local or cluster");
    return 0;
}

int ty_user_config_read(struct ty_arena *a, struct ty_user_config *ret, struct ty_err *err)
{
    const struct ty_json_limits limits = { .bytes = CONFIG_BYTES, .depth = 8, .plain = true };
    struct ty_user_config c = { .file = config_path(a) };
    struct ty_yaml_docs docs = { 0 };
    struct ty_str text = { 0 };
    int r = c.file ? ty_file_read(a, c.file, -1, &text, err) : -ENOENT;

    if (r == -ENOENT || r == -ENOTDIR) {
        *ret = (struct ty_user_config){ 0 };
        return 0;
    }
    if (r < 0)
        ty_wrap(err, "%s", c.file);
    if (r == 0)
        r = ty_yaml_parse(a, c.file, text, &limits, &docs, err);
    if (r == 0 && (docs.n > 1 || (docs.n == 1 && !ty_json_is(docs.v[0], TY_JSON_OBJECT))))
        r = ty_fail(err, -EINVAL, "%s: must be one mapping with where, context and namespace",
                    c.file);
    if (r == 0 && docs.n) {
        ty_each_member (m, docs.v[0])
            if (r == 0)
                r = take_field(a, &c, m, err);
    }
    if (r == 0)
        *ret = c;
    return r;
}
