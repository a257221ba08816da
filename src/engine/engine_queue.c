/* A key is "Kind/namespace/name". */
#include "engine/engine_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static char *format_key(const struct ty_kind *kind, const char *ns, const char *name)
{
    size_t n = strlen(kind->kind) + strlen(ns) + strlen(name) + 3;
    char *key = ty_xalloc(malloc(n));
    snprintf(key, n, "%s/%s/%s", kind->kind, ns, name);
    return key;
}

static const struct ty_kind *parse_key(struct ty_str key, struct ty_str *ret_ns,
                                       struct ty_str *ret_name)
{
    struct ty_str kind = { 0 };
    struct ty_str rest = ty_str_cut(key, '/', &kind);

    *ret_name = ty_str_cut(rest, '/', ret_ns);
    return ty_kind_by_name(kind);
}

/* Takes ownership of key. */
static void add_key(struct ty_engine_queue *q, char *key)
{
    if (ty_map_get(&q->queued, ty_str(key))) {
        free(key);
        return;
    }
    ty_xroom(q->keys, q->n, q->cap);
    ty_map_put(&q->queued, ty_str(key), key);
    q->keys[q->n++] = key;
}

void ty_engine_queue_add(struct ty_engine_queue *q, const struct ty_kind *kind, const char *ns,
                         const char *name)
{
    add_key(q, format_key(kind, ns, name));
}

/* ---- delayed keys ---- */

static int64_t now_ms(const struct ty_engine_queue *q)
{
    return (int64_t)uv_now(q->timer.loop);
}

static void add_due_keys(uv_timer_t *timer);

/* The timer expires when the first of all delayed keys is due. */
static void arm_timer(struct ty_engine_queue *q)
{
    int64_t now = now_ms(q), nearest = -1;

    for (const struct ty_delayed_key *d = q->delayed; d; d = d->next)
        if (nearest < 0 || d->at_ms < nearest)
            nearest = d->at_ms;
    if (nearest < 0)
        uv_timer_stop(&q->timer);
    else
        uv_timer_start(&q->timer, add_due_keys, nearest > now ? (uint64_t)(nearest - now) : 0, 0);
}

static void add_due_keys(uv_timer_t *timer)
{
    struct ty_engine_queue *q = timer->data;
    int64_t now = now_ms(q);

    for (struct ty_delayed_key **d = &q->delayed; *d;) {
        struct ty_delayed_key *it = *d;
        if (it->at_ms > now) {
            d = &it->next;
            continue;
        }
        *d = it->next;
        add_key(q, it->key);
        free(it);
    }
    arm_timer(q);
}

void ty_engine_queue_add_after(struct ty_engine_queue *q, const struct ty_kind *kind,
                               const char *ns, const char *name, int64_t ms)
{
    char *key = format_key(kind, ns, name);
    int64_t at = now_ms(q) + (ms > 0 ? ms : 0);
    struct ty_delayed_key *d = q->delayed;

    while (d && strcmp(d->key, key) != 0)
        d = d->next;
    if (d) {
        free(key);
        if (at < d->at_ms)
            d->at_ms = at;
    } else {
        d = ty_xalloc(malloc(sizeof(*d)));
        *d = (struct ty_delayed_key){ .key = key, .at_ms = at, .next = q->delayed };
        q->delayed = d;
    }
    arm_timer(q);
}

/* ---- the queue as a whole ---- */

void ty_engine_queue_init(struct ty_engine_queue *q, uv_loop_t *loop)
{
    *q = (struct ty_engine_queue){ .n = 0 };
    uv_timer_init(loop, &q->timer);
    q->timer.data = q;
}

size_t ty_engine_queue_drain(struct ty_engine_queue *q, ty_engine_queue_fn *fn, void *ctx)
{
    size_t n = q->n;

    for (size_t i = 0; i < n; i++) {
        char *key = q->keys[i];
        struct ty_str ns, name;
        const struct ty_kind *kind = parse_key(ty_str(key), &ns, &name);
        ty_map_del(&q->queued, ty_str(key));
        if (kind)
            fn(ctx, kind, ns, name);
        free(key);
    }
    q->n -= n;
    if (n && q->n)
        memmove(q->keys, q->keys + n, q->n * sizeof(*q->keys));
    return n;
}

static void on_closed(uv_handle_t *h)
{
    struct ty_engine_queue *q = h->data;
    q->handles--;
}

void ty_engine_queue_close(struct ty_engine_queue *q)
{
    q->handles++;
    uv_close((uv_handle_t *)&q->timer, on_closed);
}

void ty_engine_queue_done(struct ty_engine_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        free(q->keys[i]);
    free(q->keys);
    ty_map_done(&q->queued);
    for (struct ty_delayed_key *d = q->delayed, *next = NULL; d; d = next) {
        next = d->next;
        free(d->key);
        free(d);
    }
}
