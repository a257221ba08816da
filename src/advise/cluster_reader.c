/* Sends the queries, a few at a time, until all are answered. */
#include "advise/cluster_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <uv.h>

#include "base/xalloc.h"
#include "store/kube/kube.h"

#define AGENT "trainyard/" TY_VERSION
#define AT_ONCE                                                                                    \
    32 /* each has its own timeout, which must not expire while it waits for a connection */
#define TIMEOUT_MS 20000
#define TRIES      3
#define TICK_MS    250

struct ty_cluster_reader {
    uv_loop_t loop;
    uv_timer_t timer; /* shows progress during long lists */
    struct ty_kube *kube;
    const char *server;
    struct ty_cluster_snapshot *snapshot;
    const struct ty_cluster_query *wants;
    size_t n, next, done;
    ty_cluster_reader_progress_fn *tick;
    void *tick_ctx;
};

struct pending_query {
    struct ty_cluster_reader *l;
    const struct ty_cluster_query *want;
    bool snapshot_full; /* the snapshot is full */
};

int ty_cluster_reader_new(struct ty_cluster_reader **ret, const struct ty_kubeconfig *config,
                          struct ty_err *err)
{
    struct ty_cluster_reader *l = ty_xalloc(calloc(1, sizeof(*l)));
    uv_loop_init(&l->loop);
    uv_timer_init(&l->loop, &l->timer);
    l->timer.data = l;
    l->server = config->server;
    struct ty_kube_settings s = { .loop = &l->loop,
                                  .config = config,
                                  .agent = AGENT,
                                  .timeout_ms = TIMEOUT_MS,
                                  .interactive = true };
    int r = ty_kube_new(&l->kube, &s, err);
    if (r < 0) {
        ty_cluster_reader_free(l);
        return r;
    }
    *ret = l;
    return 0;
}

void ty_cluster_reader_free(struct ty_cluster_reader *l)
{
    if (!l)
        return;
    ty_kube_free(l->kube);
    uv_close((uv_handle_t *)&l->timer, NULL);
    uv_run(&l->loop, UV_RUN_DEFAULT);
    uv_loop_close(&l->loop);
    free(l);
}

static void start_queries(struct ty_cluster_reader *l);

static void report_progress(struct ty_cluster_reader *l)
{
    if (l->tick && !ty_kube_is_prompting(l->kube))
        l->tick(l->tick_ctx, l->done, l->n);
}

static void on_tick(uv_timer_t *timer)
{
    report_progress(timer->data);
}

/* Without the server's address: a snapshot is of one server, which the caller names. */
static struct ty_str strip_server(const struct ty_cluster_reader *l, struct ty_str message)
{
    const size_t n = strlen(l->server), said = n + sizeof(": ") - 1;

    if (message.n > said && memcmp(message.p, l->server, n) == 0 &&
        memcmp(message.p + n, ": ", said - n) == 0)
        return (struct ty_str){ message.p + said, message.n - said };
    return message;
}

static void finish_query(struct pending_query *q, const struct ty_kube_response *answer)
{
    struct ty_cluster_reader *l = q->l;
    const struct ty_cluster_query *w = q->want;

    if (q->snapshot_full)
        ty_cluster_snapshot_put_error(l->snapshot, w->kind, w->ns, w->name, -EFBIG,
                                      TY_LIT("there are more objects than can be read"));
    else if (answer->r < 0)
        ty_cluster_snapshot_put_error(l->snapshot, w->kind, w->ns, w->name, answer->r,
                                      strip_server(l, answer->message));
    else if (!w->name.n)
        ty_cluster_snapshot_set_listed(l->snapshot, w->kind, w->ns);
    free(q);
    l->done++;
    report_progress(l);
    start_queries(l);
    if (l->done == l->n)
        uv_stop(&l->loop);
}

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    struct pending_query *q = ctx;

    q->snapshot_full |=
        ty_cluster_snapshot_put(q->l->snapshot, q->want->kind, o->ns, o->name, o->text) < 0;
}

/* A restarted list: its objects are replaced. */
static void on_relist(void *ctx TY_UNUSED)
{
}

static void on_object_answer(void *ctx, const struct ty_kube_response *answer)
{
    struct pending_query *q = ctx;

    if (answer->r == 0)
        q->snapshot_full |= ty_cluster_snapshot_put(q->l->snapshot, q->want->kind, q->want->ns,
                                                    q->want->name, answer->text) < 0;
    finish_query(q, answer);
}

static void on_list_end(void *ctx, const struct ty_kube_response *answer)
{
    finish_query(ctx, answer);
}

static void start_list(struct pending_query *q)
{
    const struct ty_cluster_query *w = q->want;
    struct ty_kube_list list = { .which = { .kind = w->kind,
                                            .ns = w->ns,
                                            .labels = ty_str(w->labels),
                                            .fields = ty_str(w->fields),
                                            .meta = w->meta },
                                 .object = on_object,
                                 .again = on_relist,
                                 .end = on_list_end,
                                 .ctx = q };

    ty_kube_list(q->l->kube, &list);
}

static void start_get(struct pending_query *q)
{
    const struct ty_cluster_query *w = q->want;
    struct ty_kube_request ask = { .verb = TY_KUBE_GET,
                                   .kind = w->kind,
                                   .ns = w->ns,
                                   .name = w->name,
                                   .path = w->path,
                                   .meta = w->meta,
                                   .tries = TRIES,
                                   .fn = on_object_answer,
                                   .ctx = q };

    ty_kube_start(q->l->kube, &ask);
}

static void start_queries(struct ty_cluster_reader *l)
{
    while (l->next < l->n && l->next - l->done < AT_ONCE) {
        struct pending_query *q = ty_xalloc(calloc(1, sizeof(*q)));
        *q = (struct pending_query){ .l = l, .want = &l->wants[l->next++] };
        if (q->want->name.n || q->want->path)
            start_get(q);
        else
            start_list(q);
    }
}

void ty_cluster_reader_read(struct ty_cluster_reader *l, struct ty_cluster_snapshot *snapshot,
                            const struct ty_cluster_query *wants, size_t n,
                            ty_cluster_reader_progress_fn *tick, void *ctx)
{
    l->snapshot = snapshot;
    l->wants = wants;
    l->n = n;
    l->next = l->done = 0;
    l->tick = tick;
    l->tick_ctx = ctx;
    if (tick)
        uv_timer_start(&l->timer, on_tick, TICK_MS, TICK_MS);
    start_queries(l);
    while (l->done < l->n)
        uv_run(&l->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&l->timer);
}
