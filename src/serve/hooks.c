/* What a review misses is asked for, and it is judged again, at most twice. */
#include "serve/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "control/work.h"
#include "serve/respond.h"
#include "serve/webhook.h"
#include "trainer/children.h"

#define ROUNDS 3

struct call {
    const struct ty_hooks *hooks;
    struct ty_request *q;
    int rounds;
    uint64_t begin;
    /* what was not known: */
    const struct ty_kind *kind;
    struct ty_str ns, name;
    const char *unread; /* why the API server could not tell it either; NULL: it could */
};

static struct ty_str keep(struct ty_arena *a, struct ty_str s)
{
    return (struct ty_str){ ty_arena_strndup(a, s.n ? s.p : "", s.n), s.n };
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct call *c = ctx;
    struct ty_arena *a = c->q->arena;
    const struct ty_known *o = ty_world_find(ty_jobs_world(c->hooks->jobs), kind, ns, name);
    bool runtime = kind->ours && kind != &ty_kind_trainjob;
    bool snapshot = kind == &ty_kind_configmap && ty_child_is(TY_CHILD_SNAPSHOT, name);

    if ((o || !runtime) && (!o || o->body || !snapshot))
        return o ? ty_world_read(a, o) : NULL;
    if (!c->unread) { /* then nothing more is asked for */
        c->kind = kind;
        c->ns = keep(a, ns);
        c->name = keep(a, name);
    }
    return NULL;
}

static const char *view_unread(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                               struct ty_str name)
{
    const struct call *c = ctx;
    bool this = kind == c->kind && ty_str_eq(ns, c->ns) && ty_str_eq(name, c->name);

    return this ? c->unread : NULL;
}

static int64_t now_s(void *ctx TY_UNUSED)
{
    return time(NULL);
}

static void got(void *ctx, int r, struct ty_str why);

static void judge(struct call *c)
{
    const struct ty_hooks *h = c->hooks;
    struct ty_view view = { .ctx = c, .get = view_get, .unread = view_unread };
    struct ty_webhook w = {
        .pipeline = h->pipeline, .settings = h->settings, .view = &view, .now_s = now_s
    };
    struct ty_json *answer = NULL;

    if (!c->unread)
        c->kind = NULL;
    int code = ty_webhook_review(&w, c->q->arena, c->q->path, c->q->body, &answer);
    if (c->kind && !c->unread && ++c->rounds < ROUNDS) {
        ty_jobs_get(h->jobs, c->kind, c->ns, c->name, got, c);
        return;
    }
    if (h->answered)
        h->answered(h->ctx, c->q->path, code, (double)(uv_hrtime() - c->begin) / 1e9);
    ty_respond_json(c->q, code, answer);
}

/* The API server of the user who waits does not wait for ever: what fails is not tried again. */
static void got(void *ctx, int r, struct ty_str why)
{
    struct call *c = ctx;

    if (r < 0 && r != -ENOENT)
        c->unread = keep(c->q->arena, why).p;
    judge(c);
}

static void begin(struct call *c)
{
    const struct ty_hooks *h = c->hooks;

    if (h->begun)
        h->begun(h->ctx, c->q->path);
    judge(c);
}

void ty_hooks_handle(void *ctx, struct ty_request *q)
{
    struct call *c = ty_new(q->arena, struct call);

    *c = (struct call){ .hooks = ctx, .q = q, .begin = uv_hrtime() };
    if (strcmp(q->method, "POST") != 0)
        ty_respond_failure(q, 405, "MethodNotAllowed", "admission reviews are posted");
    else if (q->too_big)
        ty_respond_failure(q, 413, "RequestEntityTooLarge", "the review is too large");
    else
        begin(c);
}
