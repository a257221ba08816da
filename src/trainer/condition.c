/* Conditions as every Kubernetes controller sets them, and their times. */
#include "trainer/pass.h"

#include <time.h>

struct ty_str ty_time_text(struct ty_arena *a, int64_t unix_s)
{
    struct tm tm = { 0 };
    time_t t = (time_t)unix_s;
    char *text = ty_arena_alloc(a, 32, 1);

    gmtime_r(&t, &tm);
    return (struct ty_str){ text, strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) };
}

bool ty_time_parse(struct ty_str text, int64_t *ret_unix_s)
{
    char copy[40] = { 0 };
    struct tm tm = { 0 };

    if (text.n < 20 || text.n >= sizeof(copy))
        return false;
    memcpy(copy, text.p, text.n);
    const char *rest = strptime(copy, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        return false;
    if (*rest == '.') /* fractions are cut: conditions have whole seconds */
        rest += 1 + strspn(rest + 1, "0123456789");
    int64_t offset = 0;
    unsigned h = 0, m = 0;
    char sign = 0;
    if (sscanf(rest, "%c%2u:%2u", &sign, &h, &m) == 3 && (sign == '+' || sign == '-'))
        offset = (int64_t)(h * 3600 + m * 60) * (sign == '+' ? 1 : -1);
    else if (*rest != 'Z' && *rest != 'z')
        return false;
    *ret_unix_s = (int64_t)timegm(&tm) - offset;
    return true;
}

const struct ty_json *ty_condition(const struct ty_json *status, const char *type)
{
    return ty_json_by(ty_json_get(status, "conditions"), "type", ty_str(type), NULL);
}

void ty_condition_set(struct ty_arena *a, struct ty_json *status, const char *type,
                      const char *state, struct ty_str reason, struct ty_str message,
                      struct ty_str time)
{
    struct ty_json *list = ty_json_need_array(a, status, "conditions");
    struct ty_json *c = ty_json_by(list, "type", ty_str(type), NULL);

    if (!c) {
        c = ty_json_object(a);
        ty_json_set(a, c, "type", ty_json_cstr(a, type));
        ty_json_push(a, list, c);
    }
    if (!ty_str_is(ty_json_str_at(c, "status"), state))
        ty_json_set(a, c, "lastTransitionTime", ty_json_str(a, time));
    ty_json_set(a, c, "status", ty_json_cstr(a, state));
    ty_json_set(a, c, "reason", ty_json_str(a, reason));
    ty_json_set(a, c, "message", ty_json_str(a, message));
}
