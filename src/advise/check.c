#include "advise/check.h"

const char *const ty_check_level_names[TY_CHECK_LEVELS] = { "ok", "warn", "fail" };

struct ty_check_result *ty_check_add(struct ty_check_results *c, enum ty_check_level level,
                                     const char *name, const char *fmt, ...)
{
    struct ty_check_result *one = ty_new(c->arena, struct ty_check_result);
    va_list ap;

    va_start(ap, fmt);
    *one = (struct ty_check_result){
        .level = level, .area = c->area, .name = name, .what = ty_arena_vprintf(c->arena, fmt, ap)
    };
    va_end(ap);
    ty_append(c->first, c->last, one);
    c->n[level]++;
    return one;
}

void ty_check_set_fix(struct ty_check_results *c, struct ty_check_result *one, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    one->fix = ty_arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
}
