/* Snapshots for webhooks: an update of a job whose runtime is gone is judged by what it began with.
 */
#include <errno.h>
#include <stdlib.h>

#include "control/jobs_inner.h"

struct ty_fetching {
    struct ty_jobs *jobs;
    struct ty_kube_op *op;
    char *ns, *name; /* of the ConfigMap */
    void (*fn)(void *ctx);
    void *ctx;
    struct ty_fetching *next, *prev;
};

static void fetching_free(struct ty_fetching *f)
{
    if (f->prev)
        f->prev->next = f->next;
    else
        f->jobs->fetching = f->next;
    if (f->next)
        f->next->prev = f->prev;
    ty_kube_cancel(f->op);
    free(f->ns);
    free(f->name);
    free(f);
}

static void came(void *ctx, const struct ty_kube_answer *a)
{
    struct ty_fetching *f = ctx;
    ty_auto_arena *scratch = ty_arena_new((size_t)64 << 20);
    const struct ty_known *o =
        ty_world_find(f->jobs->world, &ty_kind_configmap, ty_str(f->ns), ty_str(f->name));
    const struct ty_json *data = a->r == 0 ? ty_json_get(a->json, "data") : NULL;

    f->op = NULL;
    if (o && data)
        ty_world_body(f->jobs->world, o, ty_json_text(scratch, data));
    void (*fn)(void *) = f->fn;
    void *fn_ctx = f->ctx;
    fetching_free(f);
    fn(fn_ctx); /* whatever came: without it the webhook says what it can */
}

void ty_jobs_fetch(struct ty_jobs *j, struct ty_str ns, struct ty_str name, void (*fn)(void *ctx),
                   void *ctx)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_str map = ty_str(ty_work_snapshot(a, name));
    const struct ty_known *o = ty_world_find(j->world, &ty_kind_configmap, ns, map);

    if (!o || o->body) {
        fn(ctx);
        return;
    }
    struct ty_fetching *f = calloc(1, sizeof(*f));
    if (!f)
        abort();
    *f = (struct ty_fetching){ .jobs = j, .fn = fn, .ctx = ctx, .next = j->fetching };
    f->ns = strndup(ns.p, ns.n);
    f->name = strndup(map.p, map.n);
    if (!f->ns || !f->name)
        abort();
    if (f->next)
        f->next->prev = f;
    j->fetching = f;
    j->counts.fetches++;
    f->op = ty_kube_start(j->s.kube, &(struct ty_kube_ask){ .verb = TY_KUBE_GET,
                                                            .kind = &ty_kind_configmap,
                                                            .ns = ns,
                                                            .name = map,
                                                            .timeout_ms = 5000,
                                                            .fn = came,
                                                            .ctx = f });
}

void ty_jobs_fetch_none(struct ty_jobs *j)
{
    while (j->fetching)
        fetching_free(j->fetching);
}
