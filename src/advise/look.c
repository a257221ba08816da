/* A few questions at a time, until all are answered. */
#include "advise/look.h"

#include <errno.h>
#include <stdlib.h>
#include <uv.h>

#include "store/kube.h"

#define AGENT      "trainyard/" TY_VERSION
#define AT_ONCE    32 /* each has its own time: those that wait for a connection must not lose it */
#define TIMEOUT_MS 20000
#define TRIES      3
#define TICK_MS    250

struct ty_look {
    uv_loop_t loop;
    uv_timer_t timer; /* a list may take its time: people want to see that somebody is there */
    struct ty_kube *kube;
    const char *server;
    struct ty_scene *scene;
    const struct ty_look_want *wants;
    size_t n, next, done;
    ty_look_fn *tick;
    void *tick_ctx;
};

struct question {
    struct ty_look *l;
    const struct ty_look_want *want;
    bool full; /* not all that was answered could be kept */
};

int ty_look_new(struct ty_look **ret, const struct ty_kubeconfig *config, struct ty_err *err)
{
    struct ty_look *l = calloc(1, sizeof(*l));

    if (!l)
        abort();
    uv_loop_init(&l->loop);
    uv_timer_init(&l->loop, &l->timer);
    l->timer.data = l;
    l->server = config->server;
    struct ty_kube_settings s = {
        .loop = &l->loop, .config = config, .agent = AGENT, .timeout_ms = TIMEOUT_MS
    };
    int r = ty_kube_new(&l->kube, &s, err);
    if (r < 0) {
        ty_look_free(l);
        return r;
    }
    *ret = l;
    return 0;
}

void ty_look_free(struct ty_look *l)
{
    if (!l)
        return;
    ty_kube_free(l->kube);
    uv_close((uv_handle_t *)&l->timer, NULL);
    uv_run(&l->loop, UV_RUN_DEFAULT);
    uv_loop_close(&l->loop);
    free(l);
}

static void ask_more(struct ty_look *l);

static void tell(struct ty_look *l)
{
    if (l->tick)
        l->tick(l->tick_ctx, l->done, l->n);
}

static void on_tick(uv_timer_t *timer)
{
    tell(timer->data);
}

/* Without the server's address, which a client of several would need: a scene is of one server, and
 * whoever tells what is wrong with it names it. */
static struct ty_str why(const struct ty_look *l, struct ty_str message)
{
    const size_t n = strlen(l->server), said = n + sizeof(": ") - 1;

    if (message.n > said && memcmp(message.p, l->server, n) == 0 &&
        memcmp(message.p + n, ": ", said - n) == 0)
        return (struct ty_str){ message.p + said, message.n - said };
    return message;
}

static void finish(struct question *q, const struct ty_kube_answer *answer)
{
    struct ty_look *l = q->l;
    const struct ty_look_want *w = q->want;

    if (q->full)
        ty_scene_miss(l->scene, w->kind, w->ns, w->name, -EFBIG,
                      TY_LIT("there are more objects than can be read"));
    else if (answer->r < 0)
        ty_scene_miss(l->scene, w->kind, w->ns, w->name, answer->r, why(l, answer->message));
    else if (!w->name.n)
        ty_scene_listed(l->scene, w->kind, w->ns);
    free(q);
    l->done++;
    tell(l);
    ask_more(l);
    if (l->done == l->n)
        uv_stop(&l->loop);
}

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    struct question *q = ctx;

    q->full |= ty_scene_put(q->l->scene, q->want->kind, o->ns, o->name, o->text) < 0;
}

/* A list that begins anew: what was given is given again, and replaced. */
static void on_again(void *ctx TY_UNUSED)
{
}

static void on_one(void *ctx, const struct ty_kube_answer *answer)
{
    struct question *q = ctx;

    if (answer->r == 0)
        q->full |=
            ty_scene_put(q->l->scene, q->want->kind, q->want->ns, q->want->name, answer->text) < 0;
    finish(q, answer);
}

static void on_list_end(void *ctx, const struct ty_kube_answer *answer)
{
    finish(ctx, answer);
}

static void ask_list(struct question *q)
{
    const struct ty_look_want *w = q->want;
    struct ty_kube_list list = { .which = { .kind = w->kind,
                                            .ns = w->ns,
                                            .labels = ty_str(w->labels),
                                            .fields = ty_str(w->fields),
                                            .meta = w->meta },
                                 .object = on_object,
                                 .again = on_again,
                                 .end = on_list_end,
                                 .ctx = q };

    ty_kube_list(q->l->kube, &list);
}

static void ask_one(struct question *q)
{
    const struct ty_look_want *w = q->want;
    struct ty_kube_ask ask = { .verb = TY_KUBE_GET,
                               .kind = w->kind,
                               .ns = w->ns,
                               .name = w->name,
                               .path = w->path,
                               .meta = w->meta,
                               .tries = TRIES,
                               .fn = on_one,
                               .ctx = q };

    ty_kube_start(q->l->kube, &ask);
}

static void ask_more(struct ty_look *l)
{
    while (l->next < l->n && l->next - l->done < AT_ONCE) {
        struct question *q = calloc(1, sizeof(*q));
        if (!q)
            abort();
        *q = (struct question){ .l = l, .want = &l->wants[l->next++] };
        if (q->want->name.n || q->want->path)
            ask_one(q);
        else
            ask_list(q);
    }
}

void ty_look_at(struct ty_look *l, struct ty_scene *scene, const struct ty_look_want *wants,
                size_t n, ty_look_fn *tick, void *ctx)
{
    l->scene = scene;
    l->wants = wants;
    l->n = n;
    l->next = l->done = 0;
    l->tick = tick;
    l->tick_ctx = ctx;
    if (tick)
        uv_timer_start(&l->timer, on_tick, TICK_MS, TICK_MS);
    ask_more(l);
    while (l->done < l->n)
        uv_run(&l->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&l->timer);
}
