#include "trainer/condition.h"

#include "json/json.h"

const struct ty_json *ty_condition_find(const struct ty_json *status, const char *type)
{
    return ty_json_find_item(ty_json_get(status, "conditions"), "type", ty_str(type), NULL);
}

void ty_condition_set(struct ty_arena *a, struct ty_json *status, const char *type,
                      const char *state, struct ty_str reason, struct ty_str message,
                      struct ty_str time)
{
    struct ty_json *list = ty_json_ensure_array(a, status, "conditions");
    struct ty_json *c = ty_json_find_item(list, "type", ty_str(type), NULL);

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
