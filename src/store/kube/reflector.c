/* The list-and-watch loop. Its states are drawn in reflector.h. */
#include "store/kube/reflector_inner.h"

#include <errno.h>

#include "base/xalloc.h"

#define FIRST_MS 100
#define MOST_MS  5000  /* short, so that a recovered server is noticed soon */
#define LATER_MS 60000 /* maximal Retry-After that is honored: some proxies send a day */
#define SHORT_MS 1000  /* a watch that ends sooner without data counts as failed */

static void list_start(struct ty_reflector *f);
static void watch_start(struct ty_reflector *f);

/* Pauses */

static void on_pause_over(uv_timer_t *timer)
{
    struct ty_reflector *f = timer->data;
    if (f->version[0])
        watch_start(f);
    else
        list_start(f);
}

static void pause_for(struct ty_reflector *f, int64_t ms)
{
    uv_timer_start(f->timer, on_pause_over, (uint64_t)ms, 0);
}

static void report_failure(struct ty_reflector *f, const struct ty_kube_response *why)
{
    int64_t ms = ty_kube_backoff_next(&f->backoff);
    f->behind = true;
    if (why->retry_after_ms > ms)
        ms = why->retry_after_ms < LATER_MS ? why->retry_after_ms : LATER_MS;
    pause_for(f, ms);
    ty_reflector_notify_state(f, TY_REFLECTOR_FAILED, why, ms);
}

/* Lists */

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    struct ty_reflector *f = ctx;
    const struct ty_object_entry *e = ty_reflector_find(f, o->ns, o->name);
    uint64_t listed = ty_reflector_parse_version(o->version);

    if (e && !e->any_version && listed && listed < e->version &&
        (!f->newer || e->version < f->newer))
        f->newer = e->version;
    ty_reflector_notify_object(f, o, false);
}

static void on_again(void *ctx)
{
    struct ty_reflector *f = ctx;
    f->round++;
    f->newer = 0;
}

static void raise_version(struct ty_reflector *f, uint64_t version)
{
    if (version > f->most)
        f->most = version;
}

static void set_version(struct ty_reflector *f, struct ty_str version)
{
    f->version[0] = '\0'; /* a version that is too long costs a list later */
    if (version.n < sizeof(f->version))
        snprintf(f->version, sizeof(f->version), "%.*s", TY_ARG(version));
    f->last = ty_reflector_parse_version(version);
    raise_version(f, f->last);
}

static void kind_absent(struct ty_reflector *f, const struct ty_kube_response *why)
{
    bool before = f->absent && !f->behind;
    f->synced = f->behind = false;
    f->absent = true;
    f->round++;
    pause_for(f, f->want.absent_ms);
    if (ty_reflector_sweep(f, (struct ty_str){ 0 }) && !before)
        ty_reflector_notify_state(f, TY_REFLECTOR_ABSENT, why, f->want.absent_ms);
}

static void forget_versions(struct ty_reflector *f)
{
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    while ((e = ty_object_table_next(f->table, f->want.which.kind, &at)))
        e->any_version = true;
}

/* True: the server was restored from a backup and counts from an older version, so that its objects
 * are news although their numbers are smaller. If it has counted beyond our greatest version
 * already, an object of the list shows it: its version is smaller than the one we know, although
 * the latter is not newer than the list. The caller lists once more, because objects that looked
 * old were not reported. */
static bool goes_back(struct ty_reflector *f, struct ty_str version)
{
    uint64_t listed = ty_reflector_parse_version(version);
    if (!listed || (listed >= f->floor && !(f->newer && f->newer <= listed)))
        return false;
    f->last = f->most = listed;
    forget_versions(f);
    return true;
}

static void on_list_end(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_reflector *f = ctx;
    f->op = NULL;
    if (answer->r == -ENOENT) {
        kind_absent(f, answer);
        return;
    }
    if (answer->r < 0) {
        report_failure(f, answer);
        return;
    }
    if (goes_back(f, answer->version)) {
        pause_for(f, ty_kube_backoff_next(&f->backoff));
        return;
    }
    set_version(f, answer->version);
    f->listed = true;
    f->absent = f->behind = false;
    if (!ty_reflector_sweep(f, answer->version))
        return;
    f->synced = true;
    if (ty_reflector_notify_state(f, TY_REFLECTOR_SYNCED, NULL, 0))
        watch_start(f);
}

static void list_start(struct ty_reflector *f)
{
    f->round++;
    f->newer = 0;
    f->floor = f->most;
    struct ty_kube_list list = {
        .which = f->want.which,
        .page = f->want.page,
        .object = on_object,
        .again = on_again,
        .end = on_list_end,
        .ctx = f,
    };
    f->op = ty_kube_list(f->k, &list);
}

/* Watches */

static void note_progress(struct ty_reflector *f, struct ty_str version)
{
    if (!f->heard)
        ty_kube_backoff_reset(&f->backoff);
    f->heard = true;
    f->heard_ms = ty_kube_now(f->k);
    f->behind = false;
    set_version(f, version);
}

static void on_event(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o)
{
    struct ty_reflector *f = ctx;
    note_progress(f, o->version);
    if (what == TY_KUBE_BOOKMARK)
        return;
    if (what != TY_KUBE_DELETED) {
        ty_reflector_notify_object(f, o, false);
        return;
    }
    const struct ty_object_entry *e = ty_reflector_find(f, o->ns, o->name);
    if (e && ty_str_is(o->uid, e->uid)) /* else an earlier object of that name, reported already */
        ty_reflector_notify_deleted(f, o);
}

/* The version is useless: it has expired, or the server does not know it, which it reports, or
 * which shows in the absence of all events, even bookmarks. */
static bool must_list(const struct ty_reflector *f, const struct ty_kube_response *answer)
{
    bool mute = !f->heard && ty_kube_now(f->k) - f->watch_ms >= f->k->set.idle_ms;
    return answer->r == -EIDRM || answer->r == -ENOENT || answer->r == -EINVAL ||
           answer->code == 504 || (mute && answer->r == -EAGAIN);
}

static int64_t silence_ms(const struct ty_reflector *f)
{
    return f->k->set.idle_ms + f->k->set.idle_ms / 8; /* after the client has found a dead peer */
}

/* The peer is alive, or the client would have ended the watch. An API server sends no bookmarks for
 * a kind without any change since its own start, so silence behind a list means nothing. Elsewhere
 * bookmarks have ceased, or the version may be one that a restored server does not know: a new
 * watch shows, and then a list. */
static void on_silence(uv_timer_t *timer)
{
    struct ty_reflector *f = timer->data;
    int64_t left = f->heard_ms + silence_ms(f) - ty_kube_now(f->k);

    if (left > 0 || (f->listed && !f->heard)) {
        uv_timer_start(timer, on_silence, (uint64_t)(left > 0 ? left : silence_ms(f)), 0);
        return;
    }
    ty_kube_cancel(f->op);
    f->op = NULL;
    if (!f->heard)
        f->version[0] = '\0';
    f->listed = false;
    pause_for(f, 0);
}

static void on_watch_end(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_reflector *f = ctx;
    bool brief = !f->heard && ty_kube_now(f->k) - f->watch_ms < SHORT_MS;

    f->op = NULL;
    f->listed = f->listed && !f->heard && answer->r == 0; /* else the version is another */
    if (!brief)
        ty_kube_backoff_reset(&f->backoff);
    if (must_list(f, answer))
        f->version[0] = '\0';
    bool expected = answer->r == 0 || answer->r == -EIDRM || answer->r == -ENOENT;
    if (!expected)
        report_failure(f, answer);
    else if (brief)
        pause_for(f, ty_kube_backoff_next(&f->backoff));
    else
        pause_for(f, 0);
}

static void watch_start(struct ty_reflector *f)
{
    struct ty_kube_watch watch = {
        .which = f->want.which,
        .version = ty_str(f->version),
        .event = on_event,
        .end = on_watch_end,
        .ctx = f,
    };
    f->heard = false;
    f->watch_ms = f->heard_ms = ty_kube_now(f->k);
    f->op = ty_kube_watch(f->k, &watch);
    uv_timer_start(f->timer, on_silence, (uint64_t)silence_ms(f), 0);
}

/* The reflector */

static struct ty_str copy_to(char **at, struct ty_str s)
{
    char *from = *at;
    if (s.n)
        memcpy(from, s.p, s.n);
    *at += s.n;
    return (struct ty_str){ from, s.n };
}

struct ty_reflector *ty_reflector_new(struct ty_kube *k, const struct ty_reflector_opts *want)
{
    const struct ty_kube_selector *w = &want->which;
    struct ty_reflector *f = ty_xalloc(calloc(1, sizeof(*f)));
    char *at = ty_xalloc(malloc(w->ns.n + w->labels.n + w->fields.n + 1));
    uv_timer_t *timer = ty_xalloc(calloc(1, sizeof(*timer)));
    f->k = k;
    f->want = *want;
    if (f->want.absent_ms == 0)
        f->want.absent_ms = TY_REFLECTOR_ABSENT_MS;
    f->table = want->table ? want->table : &f->own;
    f->strings = at;
    f->want.which.ns = copy_to(&at, w->ns);
    f->want.which.labels = copy_to(&at, w->labels);
    f->want.which.fields = copy_to(&at, w->fields);
    f->backoff = (struct ty_kube_backoff){ FIRST_MS, MOST_MS, 0, ty_kube_random_next(&k->random) };
    f->timer = timer;
    uv_timer_init(k->set.loop, timer);
    timer->data = f;
    list_start(f);
    return f;
}

static void on_timer_closed(uv_handle_t *h)
{
    free(h);
}

void ty_reflector_free(struct ty_reflector *f)
{
    if (!f || f->freed)
        return;
    ty_kube_cancel(f->op);
    f->op = NULL;
    uv_close((uv_handle_t *)f->timer, on_timer_closed);
    f->freed = true;
    if (!f->busy)
        ty_reflector_destroy(f);
}

bool ty_reflector_synced(const struct ty_reflector *f)
{
    return f->synced;
}

void ty_reflector_retry_now(struct ty_reflector *f)
{
    if (!f->op && uv_is_active((uv_handle_t *)f->timer))
        pause_for(f, 0);
}

bool ty_reflector_is_stale(const struct ty_reflector *f)
{
    return f->behind;
}

void ty_reflector_relist(struct ty_reflector *f)
{
    if (f->op && !f->version[0])
        return; /* a list is in progress */
    ty_kube_cancel(f->op);
    uv_timer_stop(f->timer);
    f->version[0] = '\0';
    list_start(f);
}

void ty_reflector_observe_write(struct ty_reflector *f, const struct ty_kube_object *o)
{
    uint64_t wrote = ty_reflector_parse_version(o->version);
    /* The watch has passed this version and the object is unknown: it was deleted in the meantime.
     */
    if (!ty_reflector_find(f, o->ns, o->name) && wrote && wrote <= f->last)
        return;
    raise_version(f, wrote);
    ty_reflector_notify_object(f, o, true);
}
