/* Series are keyed by everything that client-go compares, which is everything but the note. */
#include "controller/events_series.h"
#include "base/map.h"
#include "base/xalloc.h"
#include "json/json.h"
#include <stdlib.h>
#include <time.h>

#define NS ((int64_t)1000000000)

struct series_slot {
    struct ty_events_series_entry said; /* must be the first member: callers get a pointer to it */
    struct series_slot *prev, *next;    /* in order of last use, oldest first */
    char *key;
    size_t n_key;
    bool ended; /* returned by ty_events_series_due for the last time */
};

struct bucket { /* rate limit of one object */
    struct bucket *prev, *next;
    char *key;
    size_t n_key;
    double tokens;
    int64_t at_ns;
};

struct ty_events_series {
    struct ty_map entries, buckets;
    struct series_slot *oldest, *newest;
    struct bucket *first, *last;
};

/* ---- lists by last use ---- */

#define UNLINK(list_first, list_last, x)                                                           \
    do {                                                                                           \
        *((x)->prev ? &(x)->prev->next : &(list_first)) = (x)->next;                               \
        *((x)->next ? &(x)->next->prev : &(list_last)) = (x)->prev;                                \
        (x)->prev = (x)->next = NULL;                                                              \
    } while (0)
#define APPEND(list_first, list_last, x)                                                           \
    do {                                                                                           \
        (x)->prev = (list_last);                                                                   \
        (x)->next = NULL;                                                                          \
        *((list_last) ? &(list_last)->next : &(list_first)) = (x);                                 \
        (list_last) = (x);                                                                         \
    } while (0)

static void entry_free(struct ty_events_series *s, struct series_slot *e)
{
    UNLINK(s->oldest, s->newest, e);
    ty_map_del(&s->entries, (struct ty_str){ e->key, e->n_key });
    free(e->said.ns);
    free(e->said.name);
    free(e->said.body);
    free(e->key);
    free(e);
}

static void bucket_free(struct ty_events_series *s, struct bucket *b)
{
    UNLINK(s->first, s->last, b);
    ty_map_del(&s->buckets, (struct ty_str){ b->key, b->n_key });
    free(b->key);
    free(b);
}

/* ---- rate limit of one object ---- */

static bool take_token(struct ty_events_series *s, const struct ty_event *e, int64_t now_ns)
{
    ty_auto_buf key = { 0 };
    ty_buf_printf(&key, "%s%c%s%c%.*s%c%.*s%c%.*s", e->controller, 0, e->kind->kind, 0,
                  TY_ARG(e->ns), 0, TY_ARG(e->name), 0, TY_ARG(e->uid));
    struct bucket *b = ty_map_get(&s->buckets, ty_buf_str(&key));
    if (!b) {
        if (s->buckets.n >= TY_EVENTS_KEYS)
            bucket_free(s, s->first);
        b = ty_xalloc(calloc(1, sizeof(*b)));
        b->key = ty_xalloc_cstr(ty_buf_str(&key));
        b->n_key = key.n;
        b->tokens = TY_EVENTS_BURST;
        b->at_ns = now_ns;
        ty_map_put(&s->buckets, ty_buf_str(&key), b);
        APPEND(s->first, s->last, b);
    }
    int64_t passed = now_ns > b->at_ns ? now_ns - b->at_ns : 0;
    b->tokens += (double)passed / (double)(TY_EVENTS_PERIOD_S * NS);
    b->tokens = b->tokens < TY_EVENTS_BURST ? b->tokens : TY_EVENTS_BURST;
    b->at_ns = now_ns;
    UNLINK(s->first, s->last, b);
    APPEND(s->first, s->last, b);
    if (b->tokens < 1)
        return false;
    b->tokens -= 1;
    return true;
}

/* ---- one event ---- */

static struct ty_json *micro_time(struct ty_arena *a, int64_t ns)
{
    char text[32];
    time_t s = (time_t)(ns / NS);
    struct tm tm;
    gmtime_r(&s, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    return ty_json_strf(a, "%s.%06dZ", text, (int)(ns % NS / 1000));
}

static struct ty_json *regarding(struct ty_arena *a, const struct ty_event *e)
{
    struct ty_json *o = ty_json_object(a);
    ty_json_set(a, o, "kind", ty_json_cstr(a, e->kind->kind));
    if (e->ns.n)
        ty_json_set(a, o, "namespace", ty_json_str(a, e->ns));
    ty_json_set(a, o, "name", ty_json_str(a, e->name));
    if (e->uid.n)
        ty_json_set(a, o, "uid", ty_json_str(a, e->uid));
    ty_json_set(a, o, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, e->kind)));
    if (e->version.n)
        ty_json_set(a, o, "resourceVersion", ty_json_str(a, e->version));
    return o;
}

static void write_body(struct ty_events_series_entry *said, const struct ty_event *e,
                       const char *instance)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *o = ty_json_object(a), *m = ty_json_object(a);
    ty_json_set(a, o, "apiVersion", ty_json_cstr(a, "events.k8s.io/v1"));
    ty_json_set(a, o, "kind", ty_json_cstr(a, "Event"));
    ty_json_set(a, m, "name", ty_json_cstr(a, said->name));
    ty_json_set(a, m, "namespace", ty_json_cstr(a, said->ns));
    ty_json_set(a, o, "metadata", m);
    ty_json_set(a, o, "eventTime", micro_time(a, said->first_ns));
    ty_json_set(a, o, "reportingController", ty_json_cstr(a, e->controller));
    ty_json_set(a, o, "reportingInstance", ty_json_cstr(a, instance));
    ty_json_set(a, o, "action", ty_json_cstr(a, e->action));
    ty_json_set(a, o, "reason", ty_json_cstr(a, e->reason));
    ty_json_set(a, o, "regarding", regarding(a, e));
    ty_json_set(a, o, "note", ty_json_str(a, ty_str_head(e->note, TY_EVENTS_NOTE)));
    ty_json_set(a, o, "type", ty_json_cstr(a, e->type));
    said->body = ty_xalloc_cstr(ty_json_text(a, o));
}

/* "job.18c3...", or "job.UID.ONCE": names of objects have up to 253 bytes, and so have those of
 * events. */
static char *name_of(const struct ty_event *e, int64_t now_ns)
{
    ty_auto_buf b = { 0 };

    if (e->once.n)
        ty_buf_printf(&b, "%.*s.%.*s.%.*s", TY_ARG(ty_str_head(e->name, 180)),
                      TY_ARG(ty_str_head(e->uid, 36)), TY_ARG(ty_str_head(e->once, 32)));
    else
        ty_buf_printf(&b, "%.*s.%llx", TY_ARG(ty_str_head(e->name, 236)),
                      (unsigned long long)now_ns);
    return ty_xalloc_cstr(ty_buf_str(&b));
}

static struct series_slot *entry_new(struct ty_events_series *s, const struct ty_event *e,
                                     const char *instance, int64_t now_ns, struct ty_str key)
{
    if (s->entries.n >= TY_EVENTS_KEYS)
        entry_free(s, s->oldest);
    struct series_slot *x = ty_xalloc(calloc(1, sizeof(*x)));
    x->key = ty_xalloc_cstr(key);
    x->n_key = key.n;
    x->said =
        (struct ty_events_series_entry){ .ns = ty_xalloc_cstr(e->ns.n ? e->ns : TY_LIT("default")),
                                         .name = name_of(e, now_ns),
                                         .first_ns = now_ns,
                                         .last_ns = now_ns,
                                         .wrote_ns = now_ns,
                                         .count = 1,
                                         .written = 1 };
    write_body(&x->said, e, instance);
    ty_map_put(&s->entries, key, x);
    APPEND(s->oldest, s->newest, x);
    return x;
}

enum ty_events_series_action ty_events_series_record(struct ty_events_series *s,
                                                     const struct ty_event *e, const char *instance,
                                                     int64_t now_ns,
                                                     const struct ty_events_series_entry **ret)
{
    ty_auto_buf key = { 0 };
    ty_buf_printf(&key, "%s%c%s%c%s%c%s%c%s%c%.*s%c%.*s%c%.*s%c%.*s", e->type, 0, e->action, 0,
                  e->reason, 0, e->controller, 0, e->kind->kind, 0, TY_ARG(e->ns), 0,
                  TY_ARG(e->name), 0, TY_ARG(e->uid), 0, TY_ARG(e->once.n ? e->once : e->version));
    struct series_slot *x = ty_map_get(&s->entries, ty_buf_str(&key));
    if (x && e->once.n)
        return TY_EVENTS_SERIES_COUNT;
    if (x && (x->ended || now_ns - x->said.last_ns >= TY_EVENTS_FINISH_S * NS) &&
        x->said.count == x->said.written) {
        entry_free(s, x); /* expired: a new event */
        x = NULL;
    }
    if (x && x->said.count > 1) { /* the count is written when the series ends */
        x->said.count++;
        x->said.last_ns = now_ns;
        x->ended = false;
        UNLINK(s->oldest, s->newest, x);
        APPEND(s->oldest, s->newest, x);
        return TY_EVENTS_SERIES_COUNT;
    }
    if (!take_token(s, e, now_ns))
        return TY_EVENTS_SERIES_DROP;
    if (!x) {
        *ret = &entry_new(s, e, instance, now_ns, ty_buf_str(&key))->said;
        return TY_EVENTS_SERIES_CREATE;
    }
    x->said.count = x->said.written = 2;
    x->said.last_ns = x->said.wrote_ns = now_ns;
    *ret = &x->said;
    return TY_EVENTS_SERIES_PATCH;
}

const struct ty_events_series_entry *ty_events_series_due(struct ty_events_series *s,
                                                          int64_t now_ns, bool all)
{
    for (struct series_slot *x = s->oldest, *next; x; x = next) {
        next = x->next;
        bool over = now_ns - x->said.last_ns >= TY_EVENTS_FINISH_S * NS;
        bool old = now_ns - x->said.wrote_ns >= TY_EVENTS_REFRESH_S * NS;
        bool news = x->said.count > x->said.written;
        if (over && !news) {
            entry_free(s, x);
        } else if (news && (over || old || all)) {
            x->said.written = x->said.count;
            x->said.wrote_ns = now_ns;
            x->ended = over;
            return &x->said;
        }
    }
    return NULL;
}

struct ty_str ty_events_series_patch(struct ty_arena *a, const struct ty_events_series_entry *said)
{
    struct ty_json *o = ty_json_object(a), *series = ty_json_object(a);
    ty_json_set(a, series, "count", ty_json_int(a, (int64_t)said->count));
    ty_json_set(a, series, "lastObservedTime", micro_time(a, said->last_ns));
    ty_json_set(a, o, "series", series);
    return ty_json_text(a, o);
}

/* ---- public functions ---- */

struct ty_events_series *ty_events_series_new(void)
{
    return ty_xalloc(calloc(1, sizeof(struct ty_events_series)));
}

void ty_events_series_free(struct ty_events_series *s)
{
    if (!s)
        return;
    while (s->oldest)
        entry_free(s, s->oldest);
    while (s->first)
        bucket_free(s, s->first);
    ty_map_done(&s->entries);
    ty_map_done(&s->buckets);
    free(s);
}
