/* $(VAR) in environment values, commands, arguments and subPathExpr, as Kubernetes reads it:
 *
 *   $(NAME) its value; unknown: as written        $$ a dollar that protects what follows
 *   $x, ${x}, an unclosed $(, a last $            as written
 *
 * A result is not expanded again. At EXPANDED_MAX it ends, before the piece that does not fit: a
 * few variables that name each other would fill any memory. Nothing runs with half of a text: what
 * was left out, or what stands before it, has 128 KiB or more, and execve refuses that. */
#include "engine/pod/env_expand.h"

#include "base/buf.h"

#define EXPANDED_MAX ((size_t)256 << 10)

const char *ty_env_find(const char *const *env, struct ty_str name)
{
    for (; env && *env; env++)
        if (strncmp(*env, name.p, name.n) == 0 && (*env)[name.n] == '=')
            return *env + name.n + 1;
    return NULL;
}

struct expansion {
    const char *const *env;
    struct ty_buf out, missing;
};

static void add_missing(struct expansion *e, struct ty_str name)
{
    if (e->missing.n)
        ty_buf_cstr(&e->missing, ", ");
    ty_buf_add(&e->missing, name);
}

/* text starts with "$("; returns how much of it was consumed. */
static size_t expand_reference(struct expansion *e, struct ty_str text)
{
    const char *close = memchr(text.p, ')', text.n);
    struct ty_str name;
    const char *value;

    if (!close) {
        ty_buf_put(&e->out, text.p, 2);
        return 2;
    }
    name = (struct ty_str){ text.p + 2, (size_t)(close - text.p) - 2 };
    value = ty_env_find(e->env, name);
    if (value)
        ty_buf_cstr(&e->out, value);
    else
        ty_buf_put(&e->out, text.p, name.n + 3);
    if (!value || !*value)
        add_missing(e, name);
    return name.n + 3;
}

static void expand_text(struct expansion *e, struct ty_str text)
{
    while (text.n) {
        const char *dollar = memchr(text.p, '$', text.n);
        size_t used = dollar ? (size_t)(dollar - text.p) : text.n;

        ty_buf_put(&e->out, text.p, used);
        text = (struct ty_str){ text.p + used, text.n - used };
        if (text.n < 2) { /* nothing, or a last $ */
            ty_buf_add(&e->out, text);
            return;
        }
        if (text.p[1] == '(') {
            used = expand_reference(e, text);
        } else {
            ty_buf_put(&e->out, text.p, text.p[1] == '$' ? 1 : 2);
            used = 2;
        }
        text = (struct ty_str){ text.p + used, text.n - used };
    }
}

static struct expansion expansion_of(struct ty_str text, const char *const *env)
{
    size_t most = text.n > EXPANDED_MAX ? text.n : EXPANDED_MAX; /* what was written stays whole */

    return (
        struct expansion){ .env = env, .out = { .ceiling = most }, .missing = { .ceiling = most } };
}

char *ty_env_expand(struct ty_arena *a, struct ty_str text, const char *const *env)
{
    struct expansion e = expansion_of(text, env);
    char *result;

    if (!text.n || !memchr(text.p, '$', text.n))
        return ty_arena_cstr(a, text);
    expand_text(&e, text);
    result = ty_arena_cstr(a, ty_buf_str(&e.out));
    ty_buf_done(&e.out);
    ty_buf_done(&e.missing);
    return result;
}

bool ty_env_expand_strict(struct ty_arena *a, struct ty_str text, const char *const *env,
                          const char **ret_text, const char **ret_missing)
{
    struct expansion e = expansion_of(text, env);
    bool ok;

    expand_text(&e, text);
    ok = e.missing.n == 0;
    if (ok)
        *ret_text = ty_arena_cstr(a, ty_buf_str(&e.out));
    else
        *ret_missing = ty_arena_cstr(a, ty_buf_str(&e.missing));
    ty_buf_done(&e.out);
    ty_buf_done(&e.missing);
    return ok;
}
