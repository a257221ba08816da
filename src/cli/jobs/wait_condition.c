#include "cli/jobs/wait_condition.h"

#include <strings.h>

bool ty_wait_condition_parse(struct ty_arena *a, const char *word, struct ty_wait_condition *ret)
{
    struct ty_str head, rest = ty_str_cut(ty_str(word), '=', &head), type = rest;

    *ret = (struct ty_wait_condition){ .status = "True" };
    if (ty_str_is(head, "delete") && !rest.p) {
        ret->gone = true;
    } else if ((ty_str_is(head, "complete") || ty_str_is(head, "failed") ||
                ty_str_is(head, "suspended")) &&
               !rest.p) {
        ret->type = word;
    } else if (ty_str_is(head, "condition") && rest.n) {
        struct ty_str status = ty_str_cut(rest, '=', &type);
        ret->type = ty_arena_cstr(a, type);
        if (status.p)
            ret->status = ty_arena_cstr(a, status);
    }
    return ret->gone || (ret->type && ret->type[0]);
}

static bool is_same(struct ty_str a, const char *b)
{
    return a.n == strlen(b) && strncasecmp(a.p, b, a.n) == 0;
}

bool ty_wait_condition_met(const struct ty_wait_condition *c, const struct ty_json *job)
{
    ty_each_item (it, ty_json_at(job, "status.conditions"))
        if (c->type && is_same(ty_json_str_at(*it, "type"), c->type))
            return is_same(ty_json_str_at(*it, "status"), c->status);
    return false;
}
