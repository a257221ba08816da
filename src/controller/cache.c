/* One allocation for each object: struct, then text and names. */
#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "controller/applied_digest.h"
#include "controller/cache.h"
#include "controller/cache_project.h"
#include "store/kube/truncate.h"

#define MANAGER      "trainer"
#define PASS_CEILING ((size_t)64 << 20)
#define CUT_LEVELS   2 /* members of metadata, spec and status are cut one by one */
#define CUT_PART     8 /* a member stays if it takes at most this fraction of the limit */

struct body {
    size_t refs, n;
    uint64_t hash;
    bool shared; /* in ty_cache.bodies; a second text with the same hash is not */
    char text[];
};

struct cache_entry {
    struct ty_cached pub; /* first */
    struct body *body;
    size_t size;
    char data[]; /* text, ns, name, uid, job, job uid, creator: each ends with NUL */
};

struct ty_cache {
    struct ty_object_table objects;
    struct ty_map bodies;     /* hash, eight bytes -> body */
    struct ty_arena *scratch; /* outside of the budget: a watch event must be stored, however full
                                 the budget is */
    struct ty_budget *budget; /* may be NULL */
    size_t bytes;
};

struct ty_cache *ty_cache_new(void)
{
    struct ty_cache *c = ty_xalloc(calloc(1, sizeof(*c)));

    c->scratch = ty_arena_new_input(PASS_CEILING, NULL);
    return c;
}

struct ty_object_table *ty_cache_objects(struct ty_cache *c)
{
    return &c->objects;
}

void ty_cache_set_budget(struct ty_cache *c, struct ty_budget *budget)
{
    c->budget = budget;
    ty_budget_charge(budget, c->bytes);
}

static void charge_bytes(struct ty_cache *c, size_t n)
{
    c->bytes += n;
    ty_budget_charge(c->budget, n);
}

static void release_bytes(struct ty_cache *c, size_t n)
{
    c->bytes -= n;
    ty_budget_release(c->budget, n);
}

/* The longest text that is stored whole. */
static size_t max_whole_bytes(const struct ty_cache *c)
{
    bool tight = c->budget && c->budget->ceiling && c->bytes > c->budget->ceiling / 2;

    return tight ? TY_CACHE_TIGHT : TY_CACHE_WHOLE;
}

static void body_unref(struct ty_cache *c, struct cache_entry *e)
{
    struct body *b = e->body;

    e->body = NULL;
    e->pub.body = NULL;
    if (!b || --b->refs > 0)
        return;
    if (b->shared)
        ty_map_del(&c->bodies, (struct ty_str){ (const char *)&b->hash, sizeof(b->hash) });
    release_bytes(c, sizeof(*b) + b->n + 1);
    free(b);
}

static void entry_free(struct ty_cache *c, struct cache_entry *e)
{
    body_unref(c, e);
    release_bytes(c, sizeof(*e) + e->size);
    free(e);
}

void ty_cache_free(struct ty_cache *c)
{
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    if (!c)
        return;
    while ((e = ty_object_table_next(&c->objects, NULL, &at)))
        entry_free(c, (struct cache_entry *)e);
    ty_object_table_done(&c->objects);
    ty_map_done(&c->bodies);
    ty_arena_free(c->scratch);
    free(c);
}

static const char *copy_text(char **at, struct ty_str s)
{
    char *p = *at;

    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = 0;
    *at = p + s.n + 1;
    return p;
}

/* The manager of the oldest managedFields entry, except status. */
static struct ty_str creator_of(const struct ty_json *obj)
{
    const struct ty_json *entries = ty_json_at(obj, "metadata.managedFields");
    struct ty_str creator = { 0 };
    int64_t first = INT64_MAX, t = 0;

    ty_each_item (it, entries) {
        if (ty_json_str_at(*it, "subresource").n == 0 &&
            ty_time_parse(ty_json_str_at(*it, "time"), &t) && t < first) {
            first = t;
            creator = ty_json_str_at(*it, "manager");
        }
    }
    return creator;
}

static struct cache_entry *entry_new(const struct ty_kind *kind, const struct ty_json *obj,
                                     struct ty_str text)
{
    const struct ty_json *meta = ty_json_get(obj, "metadata");
    struct ty_str uid = { 0 }, job = ty_cache_project_owner(obj, &uid);
    struct ty_str creator = job.n || kind->ours ? (struct ty_str){ 0 } : creator_of(obj);
    struct ty_str part[] = { text,
                             ty_json_str_at(meta, "namespace"),
                             ty_json_str_at(meta, "name"),
                             ty_json_str_at(meta, "uid"),
                             job,
                             uid,
                             creator };
    const char *at[7] = { 0 };
    size_t size = 0;

    for (int i = 0; i < 7; i++)
        size += part[i].n + 1;
    struct cache_entry *e = ty_xalloc(malloc(sizeof(*e) + size));
    char *p = e->data;
    for (int i = 0; i < 7; i++)
        at[i] = copy_text(&p, part[i]);
    *e = (struct cache_entry){ .size = size };
    e->pub = (struct ty_cached){ .id = { .kind = kind, .ns = at[1], .name = at[2], .uid = at[3] },
                                 .text = { at[0], text.n },
                                 .job = job.n ? at[4] : NULL,
                                 .job_uid = job.n ? at[5] : NULL,
                                 .creator = creator.n ? at[6] : NULL };
    return e;
}

/* A new version of the same object inherits these marks. A smaller version comes from a server that
 * was restored from a backup: then remembered versions mean nothing. */
static void inherit_marks(struct cache_entry *e, struct cache_entry *was)
{
    if (strcmp(was->pub.id.uid, e->pub.id.uid) != 0 || e->pub.id.version < was->pub.id.version)
        return;
    e->pub.applied_digest = was->pub.applied_digest;
    e->pub.applied_version = was->pub.applied_version;
    e->pub.in_sync_digest = was->pub.in_sync_digest;
    if (was->pub.id.version != e->pub.id.version)
        return; /* another client wrote: its data may differ */
    e->body = was->body;
    e->pub.body = was->pub.body;
    was->body = NULL;
}

/* The times of the last writes, from managedFields. */
static void read_times(struct ty_cached *o, const struct ty_json *obj)
{
    const struct ty_json *entries = ty_json_at(obj, "metadata.managedFields");

    ty_each_item (it, entries) {
        bool ours = ty_str_is(ty_json_str_at(*it, "manager"), MANAGER) &&
                    ty_str_is(ty_json_str_at(*it, "operation"), "Apply");
        int64_t *last = ours ? &o->applied_s : &o->foreign_s, t = 0;
        if (ty_json_str_at(*it, "subresource").n == 0 &&
            ty_time_parse(ty_json_str_at(*it, "time"), &t) && t > *last)
            *last = t;
    }
}

static void read_numbers(struct ty_cached *o, const struct ty_json *kept)
{
    static const char *const parts[] = { "spec", "metadata.labels", "metadata.annotations" };

    if (o->id.kind != &ty_kind_trainjob && o->id.kind != &ty_kind_jobset)
        return;
    o->state = ty_trainjob_state_read(o->id.kind, kept);
    for (size_t i = 0; i < 3 && o->id.kind == &ty_kind_trainjob; i++)
        o->spec_digest = ty_hash_pair(o->spec_digest, ty_json_hash(ty_json_at(kept, parts[i])));
}

/* The text to store, cut if necessary. Lives with the scratch arena. */
static struct ty_str text_of(struct ty_cache *c, const struct ty_json *kept, bool *ret_partial)
{
    struct ty_str text = ty_json_text(c->scratch, kept);
    size_t most = max_whole_bytes(c);
    ty_auto_buf less = { .ceiling = most };

    *ret_partial = text.n > most || ty_arena_full(c->scratch);
    if (!*ret_partial)
        return text;
    if (ty_arena_full(c->scratch) || !ty_truncate_object(&less, text, CUT_LEVELS, most / CUT_PART))
        return TY_LIT("{}"); /* no such object exists */
    return ty_arena_str(c->scratch, ty_buf_str(&less));
}

const struct ty_cached *ty_cache_put(struct ty_cache *c, const struct ty_kind *kind,
                                     const struct ty_json *obj)
{
    const struct ty_json *meta = ty_json_get(obj, "metadata");
    struct ty_str ns = ty_json_str_at(meta, "namespace"), name = ty_json_str_at(meta, "name");

    ty_arena_reset(c->scratch);
    struct ty_json *kept = ty_cache_project(c->scratch, kind, obj);
    if (!kept) {
        ty_cache_delete(c, kind, ns, name, (struct ty_str){ 0 });
        return NULL;
    }
    bool partial = false;
    struct ty_str text = text_of(c, kept, &partial);
    struct cache_entry *e = entry_new(kind, obj, text);
    e->pub.partial = partial;
    ty_str_parse_u64(ty_json_str_at(meta, "resourceVersion"), &e->pub.id.version);
    e->pub.owned_digest = ty_applied_digest_live(c->scratch, kind->schema, obj, MANAGER);
    read_times(&e->pub, obj);
    read_numbers(&e->pub, kept);
    if (ty_arena_full(c->scratch))
        e->pub.owned_digest = 0; /* not known, so it is applied once more */
    ty_arena_reset(c->scratch);
    charge_bytes(c, sizeof(*e) + e->size);
    struct cache_entry *was = (struct cache_entry *)ty_object_table_put(&c->objects, &e->pub.id);
    if (was) {
        inherit_marks(e, was);
        entry_free(c, was);
    }
    return &e->pub;
}

static struct cache_entry *entry_get(const struct ty_cache *c, const struct ty_kind *kind,
                                     struct ty_str ns, struct ty_str name)
{
    return (struct cache_entry *)ty_object_table_get(&c->objects, kind, ns, name);
}

bool ty_cache_delete(struct ty_cache *c, const struct ty_kind *kind, struct ty_str ns,
                     struct ty_str name, struct ty_str uid)
{
    struct cache_entry *e = entry_get(c, kind, ns, name);

    if (!e || (uid.n && !ty_str_is(uid, e->pub.id.uid)))
        return false;
    ty_object_table_del(&c->objects, kind, ns, name);
    entry_free(c, e);
    return true;
}

const struct ty_cached *ty_cache_get(const struct ty_cache *c, const struct ty_kind *kind,
                                     struct ty_str ns, struct ty_str name)
{
    return (const struct ty_cached *)ty_object_table_get(&c->objects, kind, ns, name);
}

/* A copy: the entry may be replaced while the tree is in use. */
static struct ty_json *read_text(struct ty_arena *a, struct ty_str text)
{
    struct ty_str copy = ty_arena_str(a, text);
    return ty_json_parse(a, copy, NULL, NULL);
}

struct ty_json *ty_cache_parse(struct ty_arena *a, const struct ty_cached *o)
{
    struct ty_json *obj = read_text(a, o->text);

    if (obj && o->body)
        ty_json_set(a, obj, "data", read_text(a, ty_str(o->body)));
    return obj;
}

void ty_cache_each(const struct ty_cache *c, const struct ty_kind *kind,
                   void (*fn)(void *ctx, const struct ty_cached *o), void *ctx)
{
    const struct ty_object_entry *e = NULL;
    size_t at = 0;

    while ((e = ty_object_table_next(&c->objects, kind, &at)))
        fn(ctx, (const struct ty_cached *)e);
}

static struct cache_entry *entry_of(struct ty_cache *c, const struct ty_cached *o)
{
    return entry_get(c, o->id.kind, ty_str(o->id.ns), ty_str(o->id.name));
}

void ty_cache_set_applied(struct ty_cache *c, const struct ty_cached *o, uint64_t want)
{
    struct cache_entry *e = entry_of(c, o);

    if (!e)
        return;
    e->pub.applied_digest = want;
    e->pub.applied_version = e->pub.id.version;
}

void ty_cache_set_in_sync(struct ty_cache *c, const struct ty_cached *o, uint64_t mark)
{
    struct cache_entry *e = entry_of(c, o);

    if (e)
        e->pub.in_sync_digest = mark;
}

void ty_cache_set_partial(struct ty_cache *c, const struct ty_cached *o)
{
    struct cache_entry *e = entry_of(c, o);

    if (e)
        e->pub.partial = true;
}

static struct body *body_get(struct ty_cache *c, struct ty_str text)
{
    uint64_t hash = ty_hash_bytes(0, text.p, text.n);
    struct ty_str key = { (const char *)&hash, sizeof(hash) };
    struct body *had = ty_map_get(&c->bodies, key);
    if (had && ty_str_eq((struct ty_str){ had->text, had->n }, text))
        return had;
    struct body *b = ty_xalloc(calloc(1, sizeof(*b) + text.n + 1));
    memcpy(b->text, text.p, text.n);
    b->n = text.n;
    b->hash = hash;
    b->shared = !had;
    if (b->shared)
        ty_map_put(&c->bodies, key, b);
    charge_bytes(c, sizeof(*b) + text.n + 1);
    return b;
}

bool ty_cache_set_data(struct ty_cache *c, const struct ty_cached *o, struct ty_str data)
{
    struct cache_entry *e = entry_of(c, o);
    bool fits = data.n <= max_whole_bytes(c);

    if (!e)
        return fits;
    struct body *b = data.n && fits ? body_get(c, data) : NULL;
    if (b)
        b->refs++;
    body_unref(c, e);
    e->body = b;
    e->pub.body = b ? b->text : NULL;
    return fits;
}

size_t ty_cache_count(const struct ty_cache *c, const struct ty_kind *kind)
{
    size_t at = 0, n = 0;

    while (ty_object_table_next(&c->objects, kind, &at))
        n++;
    return n;
}

size_t ty_cache_bytes(const struct ty_cache *c)
{
    return c->bytes + ty_object_table_bytes(&c->objects) + ty_map_bytes(&c->bodies);
}
