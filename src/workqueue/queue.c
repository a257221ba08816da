/* A hash table holds an item while it has any state; waiting items are in a list, delayed ones in a
 * heap by due time. */
#include "workqueue/queue.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <uv.h>

#define NOT_DELAYED    ((size_t)-1)
#define BACKOFF_MS     5 /* client-go's default limiter */
#define BACKOFF_MAX_MS 1000000

struct item {
    struct item *chain;       /* same bucket */
    struct item *next, *prev; /* waiting list */
    uint64_t hash;
    uint64_t added_ns, taken_ns;
    int64_t due_ms;
    size_t at; /* place in the heap, or NOT_DELAYED */
    int kind, failures;
    uint16_t n_ns, n_name;
    bool waiting, working, again; /* again: added while working */
    char text[];                  /* ns, name */
};

struct ty_queue {
    struct ty_queue_settings s;
    struct item **buckets;
    size_t n_buckets, n_items;
    struct item *first, *last;
    struct item **heap;
    size_t n_heap, cap_heap;
    struct ty_queue_kind of[TY_QUEUE_KINDS];
    int64_t now_ms;    /* without a loop */
    bool ready_called; /* ready was called, and ty_queue_next has not returned false since */
    uv_timer_t *timer;
    uv_idle_t *wake; /* calls ready from the loop */
};

const double ty_queue_bounds[] = { 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01,
                                   0.1,  1,    10,   100,  1000, 0 };

/* ---- the table ---- */

static uint64_t hash_of(struct ty_key key)
{
    uint64_t ns = ty_hash_bytes((uint64_t)(unsigned)key.kind, key.ns.p, key.ns.n);
    return ty_hash_bytes(ns, key.name.p, key.name.n);
}

static struct ty_key key_of(const struct item *it)
{
    return (struct ty_key){ it->kind, { it->text, it->n_ns }, { it->text + it->n_ns, it->n_name } };
}

static bool has_key(const struct item *it, uint64_t hash, struct ty_key key)
{
    struct ty_key k = key_of(it);
    return it->hash == hash && k.kind == key.kind && ty_str_eq(k.ns, key.ns) &&
           ty_str_eq(k.name, key.name);
}

static struct item *find_item(const struct ty_queue *q, struct ty_key key)
{
    uint64_t hash = hash_of(key);
    struct item *it = q->n_buckets ? q->buckets[hash & (q->n_buckets - 1)] : NULL;
    while (it && !has_key(it, hash, key))
        it = it->chain;
    return it;
}

static void grow_buckets(struct ty_queue *q)
{
    size_t n = q->n_buckets ? q->n_buckets * 2 : 64;
    struct item **more = ty_xalloc(calloc(n, sizeof(struct item *)));
    for (size_t i = 0; i < q->n_buckets; i++)
        for (struct item *it = q->buckets[i], *chain; it; it = chain) {
            chain = it->chain;
            it->chain = more[it->hash & (n - 1)];
            more[it->hash & (n - 1)] = it;
        }
    free(q->buckets);
    q->buckets = more;
    q->n_buckets = n;
}

/* Names of Kubernetes objects have at most 253 bytes. */
static struct item *get_or_add(struct ty_queue *q, struct ty_key key)
{
    struct item *it = find_item(q, key);
    if (it)
        return it;
    if (key.ns.n > UINT16_MAX || key.name.n > UINT16_MAX || (unsigned)key.kind >= TY_QUEUE_KINDS)
        abort();
    if (q->n_items >= q->n_buckets)
        grow_buckets(q);
    it = ty_xalloc(calloc(1, sizeof(struct item) + key.ns.n + key.name.n));
    it->hash = hash_of(key);
    it->kind = key.kind;
    it->n_ns = (uint16_t)key.ns.n;
    it->n_name = (uint16_t)key.name.n;
    it->at = NOT_DELAYED;
    if (key.ns.n)
        memcpy(it->text, key.ns.p, key.ns.n);
    if (key.name.n)
        memcpy(it->text + key.ns.n, key.name.p, key.name.n);
    struct item **bucket = &q->buckets[it->hash & (q->n_buckets - 1)];
    it->chain = *bucket;
    *bucket = it;
    q->n_items++;
    return it;
}

/* Frees an item that has no state left. */
static void drop_if_idle(struct ty_queue *q, struct item *it)
{
    if (it->waiting || it->working || it->failures || it->at != NOT_DELAYED)
        return;
    struct item **at = &q->buckets[it->hash & (q->n_buckets - 1)];
    while (*at != it)
        at = &(*at)->chain;
    *at = it->chain;
    q->n_items--;
    free(it);
}

/* ---- the heap ---- */

static void heap_set(struct ty_queue *q, size_t at, struct item *it)
{
    q->heap[at] = it;
    it->at = at;
}

static void heap_up(struct ty_queue *q, size_t at)
{
    struct item *it = q->heap[at];
    for (; at && q->heap[(at - 1) / 2]->due_ms > it->due_ms; at = (at - 1) / 2)
        heap_set(q, at, q->heap[(at - 1) / 2]);
    heap_set(q, at, it);
}

static void heap_down(struct ty_queue *q, size_t at)
{
    struct item *it = q->heap[at];
    for (size_t child; (child = 2 * at + 1) < q->n_heap; at = child) {
        if (child + 1 < q->n_heap && q->heap[child + 1]->due_ms < q->heap[child]->due_ms)
            child++;
        if (q->heap[child]->due_ms >= it->due_ms)
            break;
        heap_set(q, at, q->heap[child]);
    }
    heap_set(q, at, it);
}

static void heap_take(struct ty_queue *q, struct item *it)
{
    size_t at = it->at;
    struct item *last = q->heap[--q->n_heap];
    it->at = NOT_DELAYED;
    if (last == it)
        return;
    heap_set(q, at, last);
    heap_up(q, at);
    heap_down(q, last->at);
}

static void heap_push(struct ty_queue *q, struct item *it)
{
    ty_xroom(q->heap, q->n_heap, q->cap_heap);
    heap_set(q, q->n_heap++, it);
    heap_up(q, it->at);
}

/* ---- loop and timers ---- */

static int64_t now_of(struct ty_queue *q)
{
    if (!q->s.loop)
        return q->now_ms;
    uv_update_time(q->s.loop); /* a long loop iteration must not shorten delays */
    return (int64_t)uv_now(q->s.loop);
}

static uint64_t clock_of(const struct ty_queue *q) /* ns */
{
    return q->s.loop ? uv_hrtime() : (uint64_t)q->now_ms * 1000000;
}

static void on_wake(uv_idle_t *idle)
{
    struct ty_queue *q = idle->data;
    uv_idle_stop(idle);
    if (q->first && !q->ready_called) {
        q->ready_called = true;
        q->s.ready(q->s.ctx);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct ty_queue *q = timer->data;
    ty_queue_tick(q, now_of(q));
}

static void set_timer(struct ty_queue *q)
{
    if (!q->timer)
        return;
    if (!q->n_heap) {
        uv_timer_stop(q->timer);
        return;
    }
    int64_t wait = q->heap[0]->due_ms - now_of(q);
    uv_timer_start(q->timer, on_timer, wait > 0 ? (uint64_t)wait : 0, 0);
}

static void append_waiting(struct ty_queue *q, struct item *it)
{
    q->of[it->kind].depth++;
    it->waiting = true;
    it->next = NULL;
    it->prev = q->last;
    ty_append(q->first, q->last, it);
    if (q->wake && !q->ready_called)
        uv_idle_start(q->wake, on_wake);
}

static void add_item(struct ty_queue *q, struct item *it)
{
    if (it->waiting || it->again)
        return;
    q->of[it->kind].adds++;
    it->added_ns = clock_of(q);
    if (it->working)
        it->again = true;
    else
        append_waiting(q, it);
}

/* ---- public functions ---- */

struct ty_queue *ty_queue_new(const struct ty_queue_settings *s)
{
    struct ty_queue *q = ty_xalloc(calloc(1, sizeof(*q)));
    q->s = *s;
    for (int i = 0; i < TY_QUEUE_KINDS; i++)
        q->of[i].waited.bounds = q->of[i].worked.bounds = ty_queue_bounds;
    if (s->loop) {
        q->timer = ty_xalloc(calloc(1, sizeof(uv_timer_t)));
        uv_timer_init(s->loop, q->timer);
        q->timer->data = q;
    }
    if (s->ready) {
        q->wake = ty_xalloc(calloc(1, sizeof(uv_idle_t)));
        uv_idle_init(s->loop, q->wake);
        q->wake->data = q;
    }
    return q;
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_queue_free(struct ty_queue *q)
{
    if (!q)
        return;
    if (q->timer)
        uv_close((uv_handle_t *)q->timer, on_closed);
    if (q->wake)
        uv_close((uv_handle_t *)q->wake, on_closed);
    for (size_t i = 0; i < q->n_buckets; i++)
        for (struct item *it = q->buckets[i], *chain; it; it = chain) {
            chain = it->chain;
            free(it);
        }
    free(q->buckets);
    free(q->heap);
    free(q);
}

void ty_queue_add(struct ty_queue *q, struct ty_key key)
{
    add_item(q, get_or_add(q, key));
}

void ty_queue_add_after(struct ty_queue *q, struct ty_key key, int64_t ms)
{
    struct item *it = get_or_add(q, key);
    if (ms <= 0) {
        add_item(q, it);
        return;
    }
    int64_t now = now_of(q), due = ms > INT64_MAX - now ? INT64_MAX : now + ms;
    if (it->at == NOT_DELAYED) {
        it->due_ms = due;
        heap_push(q, it);
    } else if (due < it->due_ms) { /* the earlier time wins */
        it->due_ms = due;
        heap_up(q, it->at);
    }
    set_timer(q);
}

int64_t ty_queue_retry(struct ty_queue *q, struct ty_key key)
{
    struct item *it = get_or_add(q, key);
    int64_t ms = BACKOFF_MS;
    for (int i = 0; i < it->failures && ms < BACKOFF_MAX_MS; i++)
        ms *= 2;
    ms = ms < BACKOFF_MAX_MS ? ms : BACKOFF_MAX_MS;
    it->failures += it->failures < INT32_MAX;
    q->of[it->kind].retries++;
    ty_queue_add_after(q, key, ms);
    return ms;
}

void ty_queue_forget(struct ty_queue *q, struct ty_key key)
{
    struct item *it = find_item(q, key);
    if (!it)
        return;
    it->failures = 0;
    drop_if_idle(q, it);
}

void ty_queue_retry_now(struct ty_queue *q)
{
    int64_t now = now_of(q);
    for (size_t i = 0; i < q->n_heap; i++) {
        if (!q->heap[i]->failures || q->heap[i]->due_ms <= now)
            continue;
        q->heap[i]->due_ms = now;
        heap_up(q, i); /* the items above it were already visited */
    }
    ty_queue_tick(q, now);
}

static void unlink_waiting(struct ty_queue *q, struct item *it)
{
    *(it->prev ? &it->prev->next : &q->first) = it->next;
    *(it->next ? &it->next->prev : &q->last) = it->prev;
    it->waiting = false;
    q->of[it->kind].depth--;
}

void ty_queue_drop(struct ty_queue *q, struct ty_key key)
{
    struct item *it = find_item(q, key);
    if (!it)
        return;
    if (it->waiting)
        unlink_waiting(q, it);
    if (it->at != NOT_DELAYED) {
        heap_take(q, it);
        set_timer(q);
    }
    it->again = false;
    it->failures = 0;
    drop_if_idle(q, it);
}

bool ty_queue_next(struct ty_queue *q, struct ty_key *ret_key)
{
    struct item *it = q->first;
    if (!it) {
        q->ready_called = false;
        return false;
    }
    unlink_waiting(q, it);
    it->working = true;
    it->taken_ns = clock_of(q);
    ty_histogram_observe(&q->of[it->kind].waited, (double)(it->taken_ns - it->added_ns) / 1e9);
    *ret_key = key_of(it);
    return true;
}

void ty_queue_done(struct ty_queue *q, struct ty_key key)
{
    struct item *it = find_item(q, key);
    if (!it || !it->working)
        return;
    it->working = false;
    ty_histogram_observe(&q->of[it->kind].worked, (double)(clock_of(q) - it->taken_ns) / 1e9);
    if (it->again)
        append_waiting(q, it);
    it->again = false;
    drop_if_idle(q, it);
}

int64_t ty_queue_tick(struct ty_queue *q, int64_t now_ms)
{
    q->now_ms = now_ms;
    while (q->n_heap && q->heap[0]->due_ms <= now_ms) {
        struct item *due = q->heap[0];
        heap_take(q, due);
        add_item(q, due);
    }
    set_timer(q);
    return q->n_heap ? q->heap[0]->due_ms - now_ms : -1;
}

const struct ty_queue_kind *ty_queue_kind(const struct ty_queue *q, int kind)
{
    return &q->of[kind];
}
