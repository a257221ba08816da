/* Writes events with low priority: a short queue, a few requests at a time. events_series.h decides
 * which events are written and which only counted. */
#include "controller/events.h"
#include "base/xalloc.h"
#include "controller/events_series.h"
#include "store/kube/kube_kinds.h"
#include "json/json.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#define AT_ONCE   4
#define TRIES     6
#define AGAIN_MS  10000
#define SOON_MS   500   /* retry interval during shutdown */
#define SERIES_MS 60000 /* interval of the check for series that have ended */

struct event_write {
    struct event_write *next;
    struct ty_events *e;
    struct ty_kube_op *op;
    char *ns, *name, *body, *patch; /* patch NULL: create */
    int tries;
    int64_t due_ms;
    bool creating; /* the request in flight is a create */
};

struct ty_events {
    struct ty_events_settings s;
    struct ty_log log;
    struct ty_events_series *series;
    struct event_write *first, *last, *in_flight;
    size_t n_waiting, n_in_flight;
    char *host;
    uv_timer_t *timer, *series_timer;
    bool finishing;
    struct ty_events_counts counts;
};

static int64_t now_of(const struct ty_events *e)
{
    if (e->s.now_ns)
        return e->s.now_ns(e->s.ctx);
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void write_free(struct event_write *j)
{
    free(j->ns);
    free(j->name);
    free(j->body);
    free(j->patch);
    free(j);
}

static void process_queue(struct ty_events *e);

/* ---- one write ---- */

static void remove_in_flight(struct event_write *j)
{
    struct event_write **at = &j->e->in_flight;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    j->next = NULL;
    j->e->n_in_flight--;
    j->op = NULL;
}

static void enqueue(struct ty_events *e, struct event_write *j)
{
    ty_append(e->first, e->last, j);
    e->n_waiting++;
}

/* Back to the front: before later writes of the same event. */
static void requeue_front(struct ty_events *e, struct event_write *j)
{
    j->next = e->first;
    e->first = j;
    if (!e->last)
        e->last = j;
    e->n_waiting++;
}

static void drop_failed(struct event_write *j, const struct ty_kube_response *answer)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    j->e->counts.failed++;
    ty_error(&j->e->log, ty_arena_cstr(a, answer->message),
             "event dropped: it could not be written", TY_S("namespace", j->ns),
             TY_S("event", j->name), TY_I("code", answer->code));
    write_free(j);
}

/* Switches between create and patch as the answer demands. The API server deletes events after an
 * hour, so the patch of one becomes a create; a create that finds the event was preceded by an
 * earlier attempt of ours. */
static bool switch_verb(struct event_write *j, int r)
{
    if (r == (j->creating ? -EEXIST : -ENOENT) && j->patch)
        j->creating = !j->creating;
    else
        return false;
    return ++j->tries < TRIES;
}

static bool schedule_retry(struct event_write *j, const struct ty_kube_response *answer)
{
    bool helps = answer->r == -EAGAIN || answer->code == 401; /* the token may be renewed */
    if (!helps || ++j->tries >= TRIES)
        return false;
    j->due_ms = (int64_t)uv_now(j->e->s.loop) + (j->e->finishing ? SOON_MS : AGAIN_MS);
    return true;
}

static void on_answer(void *ctx, const struct ty_kube_response *answer)
{
    struct event_write *j = ctx;
    struct ty_events *e = j->e;
    remove_in_flight(j);
    if (answer->r == 0) {
        e->counts.written += j->creating;
        e->counts.series += !j->creating;
        write_free(j);
    } else if (answer->r == -EEXIST && j->creating && !j->patch) {
        write_free(j); /* an earlier attempt of ours had succeeded */
    } else if (switch_verb(j, answer->r) || schedule_retry(j, answer)) {
        requeue_front(e, j);
    } else {
        drop_failed(j, answer);
    }
    process_queue(e);
}

/* The event with its series, to re-create an expired one. */
static struct ty_str event_with_series(struct ty_arena *a, const struct event_write *j)
{
    struct ty_err err = { 0 };
    struct ty_json *o = ty_json_parse(a, ty_str(j->body), NULL, &err);
    struct ty_json *p = j->patch ? ty_json_parse(a, ty_str(j->patch), NULL, &err) : NULL;
    if (!o || !p)
        return ty_str(j->body);
    ty_json_set(a, o, "series", ty_json_get(p, "series"));
    return ty_json_text(a, o);
}

static void start_write(struct ty_events *e, struct event_write *j)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_kube_request q = {
        .verb = j->creating ? TY_KUBE_CREATE : TY_KUBE_MERGE,
        .kind = &ty_kind_event_v1,
        .ns = ty_str(j->ns),
        .name = j->creating ? (struct ty_str){ 0 } : ty_str(j->name),
        .body = j->creating ? event_with_series(a, j) : ty_str(j->patch),
        .fn = on_answer,
        .ctx = j,
    };
    j->next = e->in_flight;
    e->in_flight = j;
    e->n_in_flight++;
    j->op = ty_kube_start(e->s.kube, &q);
}

/* ---- the queue ---- */

static void on_timer(uv_timer_t *timer)
{
    process_queue(timer->data);
}

/* Whether a write of the same event is in flight: a patch must not overtake its create. */
static bool is_blocked(const struct ty_events *e, const struct event_write *j)
{
    for (const struct event_write *x = e->in_flight; x; x = x->next)
        if (strcmp(x->name, j->name) == 0 && strcmp(x->ns, j->ns) == 0)
            return true;
    for (const struct event_write *x = e->first; x && x != j; x = x->next)
        if (strcmp(x->name, j->name) == 0 && strcmp(x->ns, j->ns) == 0)
            return true;
    return false;
}

static struct event_write *dequeue_due(struct ty_events *e, int64_t now_ms, int64_t *ret_at_ms)
{
    struct event_write *before = NULL;
    for (struct event_write *j = e->first; j; before = j, j = j->next) {
        if (j->due_ms > now_ms) {
            *ret_at_ms = j->due_ms < *ret_at_ms ? j->due_ms : *ret_at_ms;
            continue;
        }
        if (is_blocked(e, j))
            continue;
        *(before ? &before->next : &e->first) = j->next;
        if (e->last == j)
            e->last = before;
        j->next = NULL;
        e->n_waiting--;
        return j;
    }
    return NULL;
}

static void process_queue(struct ty_events *e)
{
    int64_t now = (int64_t)uv_now(e->s.loop), at = INT64_MAX;
    struct event_write *j = NULL;
    while (e->n_in_flight < AT_ONCE && (j = dequeue_due(e, now, &at)))
        start_write(e, j);
    if (at < INT64_MAX)
        uv_timer_start(e->timer, on_timer, (uint64_t)(at - now), 0);
}

static void submit(struct ty_events *e, const struct ty_events_series_entry *said, bool patch)
{
    if (e->n_waiting >= TY_EVENTS_QUEUE) {
        e->counts.dropped++;
        ty_error(&e->log, "the queue of events is full", "event dropped",
                 TY_I("waiting", e->n_waiting));
        return;
    }
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct event_write *j = ty_xalloc(calloc(1, sizeof(*j)));
    j->e = e;
    j->ns = ty_xalloc(strdup(said->ns));
    j->name = ty_xalloc(strdup(said->name));
    j->body = ty_xalloc(strdup(said->body));
    j->patch = patch ? ty_xalloc(strdup(ty_events_series_patch(a, said).p)) : NULL;
    j->creating = !patch;
    enqueue(e, j);
    process_queue(e);
}

static void submit_due_series(struct ty_events *e, bool all)
{
    const struct ty_events_series_entry *said;
    while ((said = ty_events_series_due(e->series, now_of(e), all)))
        submit(e, said, true);
}

static void on_series_timer(uv_timer_t *timer)
{
    submit_due_series(timer->data, false);
}

/* ---- public functions ---- */

struct ty_events *ty_events_new(const struct ty_events_settings *s)
{
    struct ty_events *e = ty_xalloc(calloc(1, sizeof(*e)));
    e->s = *s;
    e->log = ty_log_named(s->log, "events");
    e->host = ty_xalloc(strdup(s->host));
    e->series = ty_events_series_new();
    e->timer = ty_xalloc(calloc(1, sizeof(uv_timer_t)));
    e->series_timer = ty_xalloc(calloc(1, sizeof(uv_timer_t)));
    uv_timer_init(s->loop, e->timer);
    uv_timer_init(s->loop, e->series_timer);
    e->timer->data = e->series_timer->data = e;
    uv_timer_start(e->series_timer, on_series_timer, SERIES_MS, SERIES_MS);
    uv_unref((uv_handle_t *)e->series_timer);
    return e;
}

void ty_events_record(struct ty_events *e, const struct ty_event *event)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    const char *instance = ty_arena_printf(a, "%s-%s", event->controller, e->host);
    const struct ty_events_series_entry *said = NULL;
    switch (ty_events_series_record(e->series, event, instance, now_of(e), &said)) {
    case TY_EVENTS_SERIES_CREATE:
        submit(e, said, false);
        return;
    case TY_EVENTS_SERIES_PATCH:
        submit(e, said, true);
        return;
    case TY_EVENTS_SERIES_COUNT:
        return;
    case TY_EVENTS_SERIES_DROP:
        e->counts.dropped++;
        ty_log(&e->log, TY_DEBUG, "too many events about one object: dropped",
               TY_STR("namespace", event->ns), TY_STR("name", event->name),
               TY_S("reason", event->reason));
        return;
    }
}

void ty_events_flush(struct ty_events *e)
{
    e->finishing = true;
    submit_due_series(e, true);
    for (struct event_write *j = e->first; j; j = j->next)
        j->due_ms = 0;
    process_queue(e);
}

bool ty_events_idle(const struct ty_events *e)
{
    return !e->first && !e->in_flight;
}

void ty_events_count(const struct ty_events *e, struct ty_events_counts *ret)
{
    *ret = e->counts;
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

static void free_all(struct event_write *j)
{
    for (struct event_write *next; j; j = next) {
        next = j->next;
        ty_kube_cancel(j->op);
        write_free(j);
    }
}

void ty_events_free(struct ty_events *e)
{
    if (!e)
        return;
    free_all(e->first);
    free_all(e->in_flight);
    uv_close((uv_handle_t *)e->timer, on_closed);
    uv_close((uv_handle_t *)e->series_timer, on_closed);
    ty_events_series_free(e->series);
    free(e->host);
    free(e);
}

#define NOTE_ERROR 950
struct ty_str ty_events_failed_note(struct ty_arena *a, struct ty_str error)
{
    struct ty_str head = ty_str_head(error, NOTE_ERROR);
    return ty_str(ty_arena_printf(a, "TrainJob resources reconciliation failed: %.*s%s",
                                  TY_ARG(head), head.n < error.n ? " ..." : ""));
}
