#include "fetch/patterns.h"

#include <fnmatch.h>

const char *const *ty_patterns_split(struct ty_arena *a, const char *commas)
{
    struct ty_str rest = ty_str(commas ? commas : "");
    size_t most = 2, n = 0;
    for (size_t i = 0; i < rest.n; i++)
        most += rest.p[i] == ',';
    const char **list = ty_new_n(a, const char *, most);
    while (rest.p) {
        struct ty_str one;
        rest = ty_str_cut(rest, ',', &one);
        one = ty_str_trim(one);
        if (one.n)
            list[n++] =
                ty_arena_printf(a, "%.*s%s", TY_ARG(one), one.p[one.n - 1] == '/' ? "*" : "");
    }
    return list;
}

bool ty_patterns_match(const char *const *patterns, const char *name)
{
    for (; patterns && *patterns; patterns++)
        if (fnmatch(*patterns, name, FNM_NOESCAPE) == 0)
            return true;
    return false;
}
