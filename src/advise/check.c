#include "advise/check.h"

const char *const ty_level_words[TY_LEVELS] = { "ok", "warn", "fail" };

struct ty_check *ty_checks_add(struct ty_checks *c, enum ty_level level, const char *name,
                               const char *fmt, ...)
{
    struct ty_check *one = ty_new(c->arena, struct ty_check);
    va_list ap;

    va_start(ap, fmt);
    *one = (struct ty_check){
        .level = level, .area = c->area, .name = name, .what = ty_arena_vprintf(c->arena, fmt, ap)
    };
    va_end(ap);
    if (c->last)
        c->last->next = one;
    else
        c->first = one;
    c->last = one;
    c->n[level]++;
    return one;
}

void ty_check_fix(struct ty_checks *c, struct ty_check *one, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    one->fix = ty_arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
}
