#include "fetch/safename.h"

#include <errno.h>
#include <limits.h>

/* Control characters would garble terminals and logs; quotes are used in messages. */
static bool is_clean(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            return false;
    return true;
}

int ty_safename_check(struct ty_str name, struct ty_err *err)
{
    if (!is_clean(name))
        return ty_fail(err, -EINVAL, "a file's name holds a control character");
    if (name.n == 0 || name.n >= PATH_MAX / 2)
        return ty_fail(err, -EINVAL, "a file's name has %zu bytes", name.n);
    struct ty_str rest = name;
    for (bool first = true; rest.p; first = false) {
        struct ty_str part;
        rest = ty_str_cut(rest, '/', &part);
        if (part.n == 0 || ty_str_is(part, ".") || ty_str_is(part, ".."))
            return ty_fail(err, -EINVAL, "'%.*s' is refused: a part of it is '%.*s'", TY_ARG(name),
                           TY_ARG(part));
        if (part.n > NAME_MAX)
            return ty_fail(err, -EINVAL, "'%.*s' is refused: a part is longer than %d bytes",
                           TY_ARG(name), NAME_MAX);
        if (first && ty_str_is(part, TY_FETCH_FOLDER))
            return ty_fail(err, -EINVAL, "'%.*s' is refused: %s is this program's own folder",
                           TY_ARG(name), TY_FETCH_FOLDER);
    }
    return 0;
}
