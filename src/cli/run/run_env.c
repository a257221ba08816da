#include "cli/run/run_env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

static bool has_space(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (strchr(" \t\v\f\r", s.p[i]))
            return true;
    return false;
}

/* NAME=VALUE or NAME, which stays on the way to the container what it is here. */
static int add_variable(struct ty_arena *a, struct ty_str word, struct ty_strlist *out,
                        struct ty_err *err)
{
    struct ty_str name, value = ty_str_cut(word, '=', &name);

    if (!name.n)
        return ty_fail(err, -EINVAL, "the name of the variable is missing");
    if (has_space(name))
        return ty_fail(err, -EINVAL, "the name \"%.*s\" has a space",
                       (int)(name.n < 100 ? name.n : 100), name.p);
    if (value.p) {
        ty_strlist_add(a, out, ty_arena_cstr(a, word));
        return 0;
    }
    const char *key = ty_arena_cstr(a, name);
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *own = getenv(key);
    if (!own)
        return ty_fail(err, -EINVAL, "%s is not set in your environment: write %s=VALUE", key, key);
    ty_strlist_add(a, out, ty_arena_printf(a, "%s=%s", key, own));
    return 0;
}

int ty_run_env_parse(struct ty_arena *a, const char *file, struct ty_str text,
                     struct ty_strlist *out, struct ty_err *err)
{
    struct ty_str rest = text, line;

    if (ty_str_starts(rest, TY_LIT("\xEF\xBB\xBF"))) /* a byte order mark */
        rest = (struct ty_str){ rest.p + 3, rest.n - 3 };
    for (unsigned n = 1; rest.p && rest.n; n++) {
        rest = ty_str_cut(rest, '\n', &line);
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        while (line.n && strchr(" \t", line.p[0]))
            line = (struct ty_str){ line.p + 1, line.n - 1 };
        if (!line.n || line.p[0] == '#')
            continue;
        int r = memchr(line.p, '\0', line.n) ? ty_fail(err, -EINVAL, "a byte of the line is 0")
                                             : add_variable(a, line, out, err);
        if (r < 0)
            return ty_wrap(err, "%s:%u", file, n);
    }
    return 0;
}

static int read_file(struct ty_arena *a, const char *file, struct ty_strlist *out,
                     struct ty_err *err)
{
    ty_auto_buf text = { .ceiling = TY_RUN_ENV_MAX };
    char piece[4096];
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;

    while (fd >= 0 && !text.full && (n = read(fd, piece, sizeof(piece))) > 0)
        ty_buf_put(&text, piece, (size_t)n);
    int why = fd < 0 || n < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (why)
        return ty_fail(err, -why, "--env-file %s: %s", file, strerrordesc_np(why));
    if (text.full)
        return ty_fail(err, -EFBIG, "--env-file %s: more than %zu bytes", file, TY_RUN_ENV_MAX);
    return ty_run_env_parse(a, file, ty_buf_str(&text), out, err);
}

int ty_run_env_read(struct ty_arena *a, const struct ty_strlist *files,
                    const struct ty_strlist *words, const char ***ret, struct ty_err *err)
{
    struct ty_strlist all = { 0 };
    int r = 0;

    for (size_t i = 0; i < files->n && r == 0; i++)
        r = read_file(a, files->v[i], &all, err);
    for (size_t i = 0; i < words->n && r == 0; i++) {
        r = add_variable(a, ty_str(words->v[i]), &all, err);
        if (r < 0) {
            struct ty_str name;
            ty_str_cut(ty_str(words->v[i]), '=', &name); /* the value may be a secret */
            ty_wrap(err, "--env %.*s", (int)(name.n < 100 ? name.n : 100), name.p);
        }
    }
    if (r < 0)
        return r;
    *ret = ty_new_n(a, const char *, all.n + 1);
    for (size_t i = 0; i < all.n; i++)
        (*ret)[i] = all.v[i];
    return 0;
}
