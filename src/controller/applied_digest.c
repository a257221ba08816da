/* The digest is the sum over all leaves of a hash of the leaf's path and value: a sum, because the
 * API server sorts fields and we do not. */
#include "base/hash.h"
#include "controller/applied_digest_inner.h"

#define ROOT 0u /* the path of the whole object */
/* Enough for lists of some thousand items in opposite orders; bounds the cost of each event at a
 * tenth of a second, whatever users apply. */
#define MAX_COMPARES ((size_t)4000000)

static uint64_t hash_step(uint64_t path, char kind, struct ty_str text)
{
    return ty_hash_bytes(path + (unsigned char)kind, text.p, text.n);
}

static uint64_t hash_leaf(uint64_t path, const struct ty_json *v)
{
    if (ty_json_is(v, TY_JSON_STRING)) /* the common case: one hash less */
        return ty_hash_bytes(path + 's', v->s, v->n);
    return ty_hash_pair(path, ty_json_hash(v));
}

/* ---- empty members ---- */

static const struct ty_field *field_of(const struct ty_schema *s, struct ty_str key)
{
    return s && s->type == TY_T_OBJECT ? ty_schema_field(s, key) : NULL;
}

/* Whether {} in this member means the same as its absence. */
static bool is_omitted_empty(const struct ty_field *f)
{
    return f && (f->flags & TY_F_ALWAYS) && !(f->flags & TY_F_REQUIRED) &&
           f->schema->type == TY_T_OBJECT && !f->schema->map_atomic;
}

static bool is_empty(const struct ty_json *v)
{
    return ty_json_is(v, TY_JSON_OBJECT) && v->n == 0;
}

/* Atomic lists and maps are replaced whole, so their content is not trimmed. */
static void trim_empty(const struct ty_schema *s, struct ty_json *v)
{
    if (ty_json_is(v, TY_JSON_ARRAY) && s->list_keys) {
        ty_each_item (it, v)
            trim_empty(s->items, *it);
        return;
    }
    if (!ty_json_is(v, TY_JSON_OBJECT) || s->type != TY_T_OBJECT || s->map_atomic)
        return;
    for (size_t i = v->n; i-- > 0;) { /* backwards, because members are removed */
        struct ty_json_member m = v->members[i];
        const struct ty_field *f = field_of(s, m.key);
        if (f)
            trim_empty(f->schema, m.value);
        if (is_empty(m.value) && is_omitted_empty(f))
            ty_json_del(v, m.key);
    }
}

const struct ty_json *ty_applied_digest_normalize(struct ty_arena *a, const struct ty_schema *s,
                                                  const struct ty_json *obj)
{
    if (!s)
        return obj;
    struct ty_json *copy = ty_json_copy(a, obj, 0);
    trim_empty(s, copy);
    return copy;
}

/* ---- desired fields ---- */

/* An empty map is owned itself, and stays equal when other managers add members. */
static uint64_t hash_field(uint64_t path, const struct ty_schema *s, const struct ty_json *v)
{
    bool map = ty_json_is(v, TY_JSON_OBJECT) && !(s && s->map_atomic);
    return map ? ty_hash_pair(path, 23) : hash_leaf(path, v);
}

const struct ty_schema *ty_applied_digest_member(const struct ty_schema *s, struct ty_str key)
{
    const struct ty_field *f = field_of(s, key);

    if (f)
        return f->schema;
    return s && s->type == TY_T_MAP ? s->items : NULL;
}

/* {"containerPort":80,"protocol":"TCP"}: keys sorted, absent ones by their default. */
struct ty_str ty_applied_digest_key(struct ty_arena *a, const struct ty_schema *list,
                                    const struct ty_json *item)
{
    struct ty_json *key = ty_json_object(a);
    const char *last = "";

    for (const char *next = ""; next; last = next) {
        next = NULL;
        for (size_t i = 0; list->list_keys[i]; i++)
            if (strcmp(list->list_keys[i], last) > 0 &&
                (!next || strcmp(list->list_keys[i], next) < 0))
                next = list->list_keys[i];
        if (!next)
            break;
        const struct ty_field *f =
            list->items->fields ? ty_schema_field(list->items, ty_str(next)) : NULL;
        struct ty_json *v = ty_json_get(item, next);
        if (!v && f && f->def)
            v = ty_json_parse(a, ty_str(f->def), NULL, NULL);
        if (v)
            ty_json_set(a, key, next, v);
    }
    return ty_json_text(a, key);
}

static uint64_t digest_value(struct ty_arena *a, const struct ty_schema *s, const struct ty_json *v,
                             uint64_t path);

static uint64_t digest_object(struct ty_arena *a, const struct ty_schema *s,
                              const struct ty_json *v, uint64_t path)
{
    uint64_t sum = 0;

    ty_each_member (m, v)
        if (m->value->type != TY_JSON_NULL &&
            !(is_empty(m->value) && is_omitted_empty(field_of(s, m->key))))
            sum += digest_value(a, ty_applied_digest_member(s, m->key), m->value,
                                hash_step(path, 'f', m->key));
    return sum;
}

static uint64_t digest_list(struct ty_arena *a, const struct ty_schema *s, const struct ty_json *v,
                            uint64_t path)
{
    uint64_t sum = 0;

    ty_each_item (it, v) {
        if (ty_arena_full(a))
            break;
        sum += s->list_set ? hash_leaf(hash_step(path, 'v', ty_json_text(a, *it)), *it)
                           : digest_value(a, s->items, *it,
                                          hash_step(path, 'k', ty_applied_digest_key(a, s, *it)));
    }
    return sum;
}

static uint64_t digest_value(struct ty_arena *a, const struct ty_schema *s, const struct ty_json *v,
                             uint64_t path)
{
    if (v->type == TY_JSON_OBJECT && v->n && !(s && s->map_atomic))
        return digest_object(a, s, v, path);
    if (v->type == TY_JSON_ARRAY && v->n && s && (s->list_keys || s->list_set))
        return digest_list(a, s, v, path);
    return hash_field(path, s, v);
}

/* The schema of metadata that the API server uses: ownerReferences by uid, each atomic; a set of
 * finalizers. */
static const char *const uid_key[] = { "uid", NULL };
static const struct ty_schema reference = { .type = TY_T_OBJECT, .map_atomic = true };
static const struct ty_schema references = { .type = TY_T_ARRAY,
                                             .items = &reference,
                                             .list_keys = uid_key };
static const struct ty_schema finalizers = { .type = TY_T_ARRAY, .list_set = true };
static const struct ty_field metadata_fields[] = {
    { .name = "ownerReferences", .schema = &references },
    { .name = "finalizers", .schema = &finalizers },
    { .name = NULL },
};
const struct ty_schema ty_applied_digest_metadata = { .type = TY_T_OBJECT,
                                                      .fields = metadata_fields };

const struct ty_schema *ty_applied_digest_root(const struct ty_schema *s, struct ty_str key)
{
    return ty_str_is(key, "metadata") ? &ty_applied_digest_metadata
                                      : ty_applied_digest_member(s, key);
}

/* Fields that identify an object have no owner. */
bool ty_applied_digest_is_name(struct ty_str key, bool meta)
{
    return meta ? ty_str_is(key, "name") || ty_str_is(key, "namespace")
                : ty_str_is(key, "apiVersion") || ty_str_is(key, "kind");
}

uint64_t ty_applied_digest_desired(struct ty_arena *a, const struct ty_schema *s,
                                   const struct ty_json *obj)
{
    uint64_t sum = 0;

    ty_each_member (m, obj) {
        uint64_t path = hash_step(ROOT, 'f', m->key);
        if (ty_applied_digest_is_name(m->key, false) || ty_str_is(m->key, "status"))
            continue;
        if (!ty_str_is(m->key, "metadata")) {
            sum += digest_value(a, ty_applied_digest_root(s, m->key), m->value, path);
            continue;
        }
        ty_each_member (mm, m->value)
            if (!ty_applied_digest_is_name(mm->key, true))
                sum +=
                    digest_value(a, ty_applied_digest_member(&ty_applied_digest_metadata, mm->key),
                                 mm->value, hash_step(path, 'f', mm->key));
    }
    return sum ? sum : 1;
}

/* ---- owned fields ---- */

static bool item_fits(const struct ty_json *item, const struct ty_json *key)
{
    ty_each_member (m, key) {
        const struct ty_json *v = ty_json_find(item, m->key);
        if (!v || !ty_json_eq(v, m->value))
            return false;
    }
    return key != NULL;
}

/* The value at index `at` of v, if it is what the path element denotes. */
static const struct ty_json *fits_at(const struct ty_json *v, uint32_t at, char kind,
                                     struct ty_str text, const struct ty_json *key)
{
    if (kind == 'f')
        return ty_str_eq(v->members[at].key, text) ? v->members[at].value : NULL;
    const struct ty_json *item = v->items[at];
    bool fits = kind == 'k' ? item_fits(item, key) : key && ty_json_eq(item, key);
    return fits ? item : NULL;
}

/* Searches from *hint on, because the API server sorts members and their owners alike. *left: how
 * many comparisons are still allowed. */
static const struct ty_json *find_field(struct ty_arena *a, const struct ty_json *v, char kind,
                                        struct ty_str text, uint32_t *hint, size_t *left)
{
    const struct ty_json *key = kind == 'f' ? NULL : ty_json_parse(a, text, NULL, NULL);
    uint32_t n = (uint32_t)ty_json_len(v);

    if (!v || v->type != (kind == 'f' ? TY_JSON_OBJECT : TY_JSON_ARRAY))
        return NULL;
    for (uint32_t i = 0; i < n && *left; i++, (*left)--) {
        uint32_t at = (*hint + i) % n;
        const struct ty_json *found = fits_at(v, at, kind, text, key);
        if (!found)
            continue;
        *hint = at + 1;
        return found;
    }
    return NULL;
}

const struct ty_json *ty_applied_digest_pick(struct ty_arena *a, const struct ty_json *v, char kind,
                                             struct ty_str text)
{
    uint32_t hint = 0;
    size_t left = SIZE_MAX;

    return find_field(a, v, kind, text, &hint, &left);
}

struct digest_walk {
    struct ty_arena *a;
    size_t left; /* comparisons that are still allowed */
};

static uint64_t digest_owned(struct digest_walk *w, const struct ty_schema *s,
                             const struct ty_json *fields, const struct ty_json *v, uint64_t path)
{
    uint64_t sum = 0;
    uint32_t hint = 0;

    ty_each_member (m, fields) {
        if (ty_arena_full(w->a) || !w->left)
            break;
        if (m->key.n < 2 || m->key.p[1] != ':')
            continue; /* ".": the item itself, whose key is a leaf anyway */
        struct ty_str text = { m->key.p + 2, m->key.n - 2 };
        char kind = m->key.p[0];
        const struct ty_json *inner = find_field(w->a, v, kind, text, &hint, &w->left);
        const struct ty_schema *is = kind != 'f'    ? s ? s->items : NULL
                                     : path == ROOT ? ty_applied_digest_root(s, text)
                                                    : ty_applied_digest_member(s, text);
        uint64_t at = hash_step(path, kind, text);
        if (kind == 'f' && is_empty(m->value) && is_omitted_empty(field_of(s, text)))
            continue; /* v2.3.0 applies it */
        sum += ty_json_len(m->value) ? digest_owned(w, is, m->value, inner, at)
                                     : hash_field(at, is, inner);
    }
    return sum;
}

const struct ty_json *ty_applied_digest_fields(const struct ty_json *obj, const char *manager)
{
    const struct ty_json *entries = ty_json_at(obj, "metadata.managedFields");

    ty_each_item (it, entries)
        if (ty_str_is(ty_json_str_at(*it, "manager"), manager) &&
            ty_str_is(ty_json_str_at(*it, "operation"), "Apply") &&
            ty_json_str_at(*it, "subresource").n == 0)
            return ty_json_get(*it, "fieldsV1");
    return NULL;
}

uint64_t ty_applied_digest_live(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *obj, const char *manager)
{
    const struct ty_json *fields = ty_applied_digest_fields(obj, manager);

    struct digest_walk w = { .a = a, .left = MAX_COMPARES };
    uint64_t sum = fields ? digest_owned(&w, s, fields, obj, ROOT) : 0;

    return w.left ? sum : 0;
}
