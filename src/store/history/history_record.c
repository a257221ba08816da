/* Two things are buffered until the next write: texts of deleted objects (the only copies that the
 * recorder makes), and events. Changed objects are found by their versions. */
#include "store/history/history_record.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"

/* Bytes of deleted objects and events; beyond that a write is urgent. */
#define HELD_MAX ((size_t)256 << 10)

struct gone {
    struct gone *next;
    const struct ty_kind *kind;
    uint64_t version;
    struct ty_str uid, ns, name, job, text;
    char bytes[];
};

struct event {
    struct event *next;
    const struct ty_kind *kind;
    struct ty_str name, type, reason, message, job;
    int64_t hash, count, first_ms, last_ms;
    char bytes[];
};

struct ty_history_record {
    struct ty_local *store;
    void (*changed)(void *ctx, bool urgent);
    void *ctx;
    bool told, hurried;
    uint64_t written;   /* the newest version that is in the file */
    struct ty_map jobs; /* names of TrainJobs (the value is unused), to find the job of an event */
    struct ty_map by_hash; /* 8 bytes -> buffered struct event */
    struct gone *gone, **gone_end;
    struct event *events, **events_end;
    size_t held;
};

static void notify_changed(struct ty_history_record *r)
{
    bool urgent = r->held > HELD_MAX;

    if (r->told && (!urgent || r->hurried))
        return;
    r->told = true;
    r->hurried = urgent;
    r->changed(r->ctx, urgent);
}

static bool is_recorded_kind(const struct ty_kind *kind)
{
    return kind == &ty_kind_trainjob || kind == &ty_kind_jobset || kind == &ty_kind_job ||
           kind == &ty_kind_pod;
}

/* The name of the TrainJob at the root of the owners; an object without an owner is its own root.
 */
static struct ty_str root_of(const struct ty_history_record *r, const struct ty_stored *obj)
{
    for (int depth = 0; obj->owner && depth < 8; depth++) {
        const struct ty_stored *up = ty_local_by_uid(r->store, obj->owner);
        if (!up)
            break;
        obj = up;
    }
    return ty_str(obj->name);
}

static struct ty_str copy_str(char **at, struct ty_str s)
{
    char *p = *at;

    if (s.n)
        memcpy(p, s.p, s.n);
    *at += s.n;
    return (struct ty_str){ p, s.n };
}

static void hold_gone(struct ty_history_record *r, const struct ty_stored *obj)
{
    struct ty_str job = root_of(r, obj), uid = ty_str(obj->uid), ns = ty_str(obj->ns),
                  name = ty_str(obj->name);
    struct ty_str text = ty_local_text(obj);
    size_t n = job.n + uid.n + ns.n + name.n + text.n;
    struct gone *g = ty_xalloc(malloc(sizeof(*g) + n));
    char *at = g->bytes;

    *g = (struct gone){ .kind = obj->kind, .version = obj->version };
    g->uid = copy_str(&at, uid);
    g->ns = copy_str(&at, ns);
    g->name = copy_str(&at, name);
    g->job = copy_str(&at, job);
    g->text = copy_str(&at, text);
    *r->gone_end = g;
    r->gone_end = &g->next;
    r->held += n;
}

static void on_change(void *ctx, enum ty_stored_change what, const struct ty_stored *obj)
{
    struct ty_history_record *r = ctx;

    if (!is_recorded_kind(obj->kind))
        return;
    if (obj->kind == &ty_kind_trainjob && what == TY_STORED_ADDED)
        ty_map_put(&r->jobs, ty_str(obj->name), r);
    if (what == TY_STORED_DELETED)
        hold_gone(r, obj);
    notify_changed(r);
}

struct ty_history_record *ty_history_record_new(struct ty_local *store,
                                                void (*changed)(void *ctx, bool urgent), void *ctx)
{
    struct ty_history_record *r = ty_xalloc(calloc(1, sizeof(*r)));

    r->store = store;
    r->changed = changed;
    r->ctx = ctx;
    r->gone_end = &r->gone;
    r->events_end = &r->events;
    ty_local_watch(store, on_change, r);
    return r;
}

/* ---- events ---- */

/* The longest TrainJob name that equals the object's name or is a prefix of it: "job-node-0-1"
 * belongs to "job". */
static struct ty_str job_of(const struct ty_history_record *r, struct ty_str name)
{
    for (size_t n = name.n; n > 0; n--)
        if ((n == name.n || name.p[n] == '-') && ty_map_get(&r->jobs, (struct ty_str){ name.p, n }))
            return (struct ty_str){ name.p, n };
    return name;
}

static uint64_t hash_str(uint64_t h, struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    return (h ^ 0xff) *
           0x100000001b3u; /* 0xff, which occurs in no UTF-8 text, separates the parts */
}

static void add_event(struct ty_history_record *r, const struct event *like)
{
    struct ty_str job = job_of(r, like->name);
    size_t n = like->name.n + like->type.n + like->reason.n + like->message.n + job.n;
    struct event *e = ty_xalloc(malloc(sizeof(*e) + n));
    char *at = e->bytes;

    *e = *like;
    e->name = copy_str(&at, like->name);
    e->type = copy_str(&at, like->type);
    e->reason = copy_str(&at, like->reason);
    e->message = copy_str(&at, like->message);
    e->job = copy_str(&at, job);
    *r->events_end = e;
    r->events_end = &e->next;
    r->held += sizeof(*e) + n;
    ty_map_put(&r->by_hash, (struct ty_str){ (const char *)&e->hash, sizeof(e->hash) }, e);
}

void ty_history_record_event(struct ty_history_record *r, const struct ty_kind *kind,
                             const char *name, const char *type, const char *reason,
                             const char *message, int64_t time_ms)
{
    struct event e = { .kind = kind,
                       .name = ty_str(name),
                       .type = ty_str(type),
                       .reason = ty_str(reason),
                       .message = ty_str(message),
                       .count = 1,
                       .first_ms = time_ms,
                       .last_ms = time_ms };
    uint64_t h = hash_str(hash_str(0xcbf29ce484222325u, ty_str(kind->kind)), e.name);

    h = hash_str(hash_str(hash_str(h, e.type), e.reason), e.message);
    memcpy(&e.hash, &h, sizeof(h));
    struct event *same =
        ty_map_get(&r->by_hash, (struct ty_str){ (const char *)&e.hash, sizeof(e.hash) });
    if (same) {
        same->count++;
        same->last_ms = time_ms;
    } else {
        add_event(r, &e);
    }
    notify_changed(r);
}

/* ---- writing ---- */

static int put_object(struct ty_history_db *d, int64_t run, const struct gone *o, bool gone,
                      struct ty_err *err)
{
    sqlite3_stmt *s = ty_history_db_stmt(d, TY_SQL_OBJECT_PUT, err);

    if (!s)
        return -EIO;
    sqlite3_bind_int64(s, 1, run);
    ty_history_db_bind(s, 2, o->uid);
    ty_history_db_bind(s, 3, ty_str(o->kind->kind));
    ty_history_db_bind(s, 4, o->ns);
    ty_history_db_bind(s, 5, o->name);
    ty_history_db_bind(s, 6, o->job);
    sqlite3_bind_int64(s, 7, (int64_t)o->version);
    sqlite3_bind_int(s, 8, gone);
    ty_history_db_bind(s, 9, o->text);
    return ty_history_db_step(d, s, err);
}

/* Everything newer than the last write, by the store's versions. */
struct writing {
    struct ty_history_record *r;
    struct ty_history_db *d;
    int64_t run;
    uint64_t newest;
    int ret;
    struct ty_err *err;
};

static void put_newer(void *ctx, const struct ty_stored *obj)
{
    struct writing *w = ctx;

    if (w->ret < 0 || obj->version <= w->r->written || !is_recorded_kind(obj->kind))
        return;
    struct gone o = { .kind = obj->kind,
                      .version = obj->version,
                      .uid = ty_str(obj->uid),
                      .ns = ty_str(obj->ns),
                      .name = ty_str(obj->name),
                      .job = root_of(w->r, obj),
                      .text = ty_local_text(obj) };
    w->newest = obj->version > w->newest ? obj->version : w->newest;
    w->ret = put_object(w->d, w->run, &o, false, w->err);
}

static int put_event(struct ty_history_db *d, int64_t run, const struct event *e,
                     struct ty_err *err)
{
    sqlite3_stmt *s = ty_history_db_stmt(d, TY_SQL_EVENT_PUT, err);

    if (!s)
        return -EIO;
    sqlite3_bind_int64(s, 1, run);
    sqlite3_bind_int64(s, 2, e->hash);
    ty_history_db_bind(s, 3, e->job);
    ty_history_db_bind(s, 4, ty_str(e->kind->kind));
    ty_history_db_bind(s, 5, e->name);
    ty_history_db_bind(s, 6, e->type);
    ty_history_db_bind(s, 7, e->reason);
    ty_history_db_bind(s, 8, e->message);
    sqlite3_bind_int64(s, 9, e->count);
    sqlite3_bind_int64(s, 10, e->first_ms);
    sqlite3_bind_int64(s, 11, e->last_ms);
    return ty_history_db_step(d, s, err);
}

static int put_all(struct ty_history_record *r, struct ty_history_db *d, int64_t run,
                   uint64_t *ret_newest, struct ty_err *err)
{
    struct writing w = { .r = r, .d = d, .run = run, .newest = r->written, .err = err };

    ty_local_each(r->store, NULL, put_newer, &w);
    for (const struct gone *g = r->gone; g && w.ret == 0; g = g->next)
        w.ret = put_object(d, run, g, true, err);
    for (const struct event *e = r->events; e && w.ret == 0; e = e->next)
        w.ret = put_event(d, run, e, err);
    *ret_newest = w.newest;
    return w.ret;
}

static void clear_pending(struct ty_history_record *r)
{
    for (struct gone *g = r->gone, *next = NULL; g; g = next) {
        next = g->next;
        free(g);
    }
    for (struct event *e = r->events, *next = NULL; e; e = next) {
        next = e->next;
        free(e);
    }
    ty_map_done(&r->by_hash);
    r->by_hash = (struct ty_map){ 0 };
    r->gone = NULL;
    r->gone_end = &r->gone;
    r->events = NULL;
    r->events_end = &r->events;
    r->held = 0;
    r->told = r->hurried = false;
}

void ty_history_record_free(struct ty_history_record *r)
{
    if (!r)
        return;
    ty_local_unwatch(r->store, on_change, r);
    clear_pending(r);
    ty_map_done(&r->jobs);
    free(r);
}

int ty_history_record_write(struct ty_history_record *r, struct ty_history_db *d,
                            struct ty_history_db_run *run, struct ty_err *err)
{
    int64_t id = run->id;
    uint64_t newest = r->written;
    int ret = ty_history_db_exec(d, TY_SQL_BEGIN, err);

    if (ret < 0)
        return ret;
    if (!run->id)
        ret = ty_history_db_begin_run(d, run, err);
    if (ret == 0)
        ret = put_all(r, d, run->id, &newest, err);
    if (ret == 0 && run->ended_ms)
        ret = ty_history_db_end_run(d, run->id, run->ended_ms, run->how, err);
    if (ret == 0)
        ret = ty_history_db_exec(d, TY_SQL_COMMIT, err);
    if (ret == 0) {
        clear_pending(r);
        r->written = newest;
        return 0;
    }
    run->id = id;
    ty_history_db_exec(d, TY_SQL_ROLLBACK, NULL);
    return ret;
}
