/* {"trainerStatus":{"progressPercentage":…,"estimatedRemainingSeconds":…,"metrics":[…],…}} */
#include "serve/status_decode.h"

#include <errno.h>
#include <strings.h>

#include "api/schema.h"
#include "base/time.h"

#define DEPTH     64u
#define GO_ZERO_S (-62135596800) /* 0001-01-01T00:00:00Z */

/* The bytes of the first value, or everything if it has no end: the parser reports that. */
static struct ty_str first_value(struct ty_str s)
{
    size_t depth = 0, i = 0;
    bool text = false;

    for (; i < s.n; i++) {
        char c = s.p[i];
        if (text) {
            i += c == '\\';
            text = c != '"';
            continue;
        }
        text = c == '"';
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && depth && --depth == 0)
            return (struct ty_str){ s.p, i + 1 };
    }
    return s;
}

/* Go matches fields case-insensitively; the exact name is tried first. */
static void rename_fields(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v)
{
    if (s->type == TY_T_ARRAY)
        ty_each_item (it, v)
            rename_fields(a, s->items, *it);
    if (s->type != TY_T_OBJECT)
        return;
    for (const struct ty_field *f = s->fields; f->name; f++) {
        struct ty_str name = ty_str(f->name);
        ty_each_member (m, v)
            if (!ty_json_find(v, name) && m->key.n == name.n &&
                strncasecmp(m->key.p, name.p, name.n) == 0)
                m->key = name;
        if (ty_json_find(v, name))
            rename_fields(a, f->schema, ty_json_find(v, name));
    }
}

/* As metav1.Time is encoded: UTC, whole seconds; Go's zero time is null. */
static void round_time(struct ty_arena *a, struct ty_json *status)
{
    int64_t t = 0;

    if (!ty_time_parse(ty_json_str_at(status, "lastUpdatedTime"), &t))
        return;
    if (t == GO_ZERO_S)
        ty_json_del(status, TY_LIT("lastUpdatedTime"));
    else
        ty_json_set(a, status, "lastUpdatedTime", ty_json_str(a, ty_time_text(a, t)));
}

/* Both texts of a metric are sent, empty ones too: the API server reports what is wrong. */
static void fill_metrics(struct ty_arena *a, struct ty_json *status)
{
    struct ty_json *metrics = ty_json_get(status, "metrics");

    ty_each_item (it, metrics) {
        struct ty_json *full = ty_json_object(a);
        ty_json_set(a, full, "name", ty_json_str(a, ty_json_str_at(*it, "name")));
        ty_json_set(a, full, "value", ty_json_str(a, ty_json_str_at(*it, "value")));
        *it = full;
    }
}

int ty_status_decode(struct ty_arena *a, struct ty_str body, struct ty_json **ret)
{
    const struct ty_json_limits limits = { .depth = DEPTH };
    const struct ty_field *field =
        ty_schema_field(&ty_schema_TrainJobStatus, TY_LIT("trainerStatus"));
    const struct ty_field only[] = { *field, { .name = NULL } };
    const struct ty_schema payload = { .type = TY_T_OBJECT, .fields = only };
    struct ty_json *v = ty_json_parse(a, first_value(body), &limits, NULL);

    if (!v)
        return -EINVAL;
    rename_fields(a, &payload, v);
    if (ty_schema_decode(&payload, v, NULL) < 0)
        return -EINVAL;
    struct ty_json *status = ty_json_get(v, "trainerStatus");
    *ret = NULL;
    if (!ty_json_is(status, TY_JSON_OBJECT))
        return 0; /* absent or null */
    *ret = ty_schema_normalize(a, field->schema, status);
    round_time(a, *ret);
    fill_metrics(a, *ret);
    return 0;
}
