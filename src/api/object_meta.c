/* Checks keys and values one by one, as k8s.io/apimachinery does, with its messages and paths. */
#include "api/object_meta.h"

#include "api/name.h"

#define ERRS_MAX        16 /* reported errors of one map */
#define ANNOTATIONS_MAX ((size_t)256 << 10)

static void add_invalid(struct ty_errs *errs, const struct ty_field_path *at, struct ty_str value,
                        const char *rule, const struct ty_json *place)
{
    const char *quoted = ty_json_text(errs->arena, ty_json_str(errs->arena, value)).p;
    ty_errs_add(errs, at, TY_INVALID, quoted, "%s", rule)->at = place;
}

static void check_labels(const struct ty_json *labels, const struct ty_field_path *at,
                         struct ty_errs *errs)
{
    size_t room = errs->n + ERRS_MAX;

    ty_each_member (m, labels) {
        const char *rule = ty_name_qualified_problem(m->key);
        if (errs->n >= room)
            return;
        if (rule)
            add_invalid(errs, at, m->key, rule, m->value);
        rule = ty_name_label_value_problem(ty_json_as_str(m->value));
        if (rule)
            add_invalid(errs, at, ty_json_as_str(m->value), rule, m->value);
    }
}

/* Keys of annotations may be in upper case, also their prefix. */
static const char *annotation_problem(struct ty_arena *a, struct ty_str key)
{
    if (!ty_name_qualified_problem(key))
        return NULL;
    char *lower = ty_arena_cstr(a, key);
    for (size_t i = 0; i < key.n; i++)
        if (lower[i] >= 'A' && lower[i] <= 'Z')
            lower[i] = (char)(lower[i] - 'A' + 'a');
    return ty_name_qualified_problem((struct ty_str){ lower, key.n });
}

static void check_annotations(const struct ty_json *annotations, const struct ty_field_path *at,
                              struct ty_errs *errs)
{
    size_t room = errs->n + ERRS_MAX, bytes = 0;

    ty_each_member (m, annotations) {
        const char *rule = errs->n < room ? annotation_problem(errs->arena, m->key) : NULL;
        if (rule)
            add_invalid(errs, at, m->key, rule, m->value);
        bytes += m->key.n + ty_json_as_str(m->value).n;
    }
    if (bytes > ANNOTATIONS_MAX)
        ty_errs_add(errs, at, TY_TOO_LONG, NULL, "may not be more than %zu bytes", ANNOTATIONS_MAX)
            ->at = annotations;
}

void ty_object_meta_check(const struct ty_json *meta, const struct ty_field_path *at,
                          struct ty_errs *errs)
{
    check_labels(ty_json_get(meta, "labels"), TY_KEY(at, "labels"), errs);
    check_annotations(ty_json_get(meta, "annotations"), TY_KEY(at, "annotations"), errs);
}
