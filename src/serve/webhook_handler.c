/* If a review needs an object that is not in the cache, the object is fetched and the review runs
 * again, at most twice. The arena is freed while it waits, so only one tree is in memory, however
 * many reviews there are. */
#include "serve/webhook_handler.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/budget.h"
#include "controller/reconcile.h"
#include "serve/respond.h"
#include "serve/webhook.h"
#include "trainer/child.h"

#define ROUNDS         3
#define REVIEW_CEILING ((size_t)64 << 20)
#define REASON_MAX     200 /* bytes of the reason in the log; the client gets all of it */

struct admission_call {
    const struct ty_webhook_handler *hooks;
    struct ty_http_request *q;
    struct ty_arena *a; /* of one run; NULL between runs */
    int rounds;
    uint64_t begin;
    /* the missing object: */
    const struct ty_kind *kind;
    struct ty_str ns, name;
    const char *unread; /* why it could not be read from the API server either; NULL: it could */
    /* fetched for this run, because the cache does not store it whole */
    struct {
        const struct ty_kind *kind;
        struct ty_str ns, name, text; /* text: JSON, borrowed; empty: none */
    } whole;
    const struct ty_json *request, *response; /* of this run, for the log; may be NULL */
};

/* ---- log ---- */

static struct ty_str name_of(const struct ty_json *request)
{
    struct ty_str name = ty_json_str_at(request, "name");

    if (!name.n)
        name = ty_json_str_at(request, "object.metadata.name");
    return name.n ? name : ty_json_str_at(request, "object.metadata.generateName");
}

/* Logs only kind, namespace and name of the object, and the start of a refusal's reason: the rest
 * may be confidential. */
void ty_webhook_handler_log(const struct ty_log *log, struct ty_str path,
                            const struct ty_json *request, const struct ty_json *response)
{
    bool allowed = ty_json_true_at(response, "allowed");
    int level = allowed && ty_str_starts(path, TY_LIT("/mutate-")) ? TY_DEBUG : TY_INFO;
    int64_t code = 200;

    if (!request || !response || !ty_log_enabled(log, level))
        return;
    struct ty_str kind = ty_json_str_at(request, "kind.kind"),
                  op = ty_json_str_at(request, "operation"),
                  ns = ty_json_str_at(request, "namespace"), name = name_of(request),
                  user = ty_json_str_at(request, "userInfo.username"),
                  why = ty_str_head(ty_json_str_at(response, "status.message"), REASON_MAX);
    bool dry = ty_json_true_at(request, "dryRun");
    ty_json_int_at(response, "status.code", &code);
    if (allowed)
        ty_log(log, level, "admitted", TY_STR("kind", kind), TY_STR("namespace", ns),
               TY_STR("name", name), TY_STR("operation", op), TY_STR("user", user),
               TY_B("dryRun", dry),
               TY_I("warnings", ty_json_len(ty_json_get(response, "warnings"))));
    else
        ty_log(log, level, "refused", TY_STR("kind", kind), TY_STR("namespace", ns),
               TY_STR("name", name), TY_STR("operation", op), TY_STR("user", user),
               TY_B("dryRun", dry), TY_I("code", code), TY_STR("reason", why));
}

/* ---- objects that the cache does not have ---- */

/* An object that cannot be read is unknown, with the reason. */
static const struct ty_json *whole_of(struct admission_call *c)
{
    struct ty_err err = { 0 };
    const struct ty_json *json = ty_json_parse(c->a, c->whole.text, NULL, &err);

    if (!json) {
        c->kind = c->whole.kind;
        c->unread = ty_arena_str(c->q->arena, ty_str(err.text)).p;
    }
    return json;
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct admission_call *c = ctx;
    const struct ty_cached *o =
        ty_cache_get(ty_trainjob_controller_cache(c->hooks->controller), kind, ns, name);
    bool runtime = kind->ours && kind != &ty_kind_trainjob;
    bool snapshot = kind == &ty_kind_configmap && ty_child_is(TY_CHILD_SNAPSHOT, name);

    if (c->whole.text.n && kind == c->whole.kind && ty_str_eq(ns, c->whole.ns) &&
        ty_str_eq(name, c->whole.name))
        return whole_of(c);
    bool whole = o && !(runtime && o->partial);
    if ((whole || !runtime) && (!o || o->body || !snapshot))
        return o ? ty_cache_parse(c->a, o) : NULL;
    if (!c->unread) { /* after a failed fetch nothing more is fetched */
        c->kind = kind;
        c->ns = ty_arena_str(c->q->arena, ns);
        c->name = ty_arena_str(c->q->arena, name);
    }
    return NULL;
}

static const char *view_unread(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                               struct ty_str name)
{
    const struct admission_call *c = ctx;
    bool this = kind == c->kind && ty_str_eq(ns, c->ns) && ty_str_eq(name, c->name);

    return this ? c->unread : NULL;
}

/* For hints: the runtimes of a kind, of the TrainJob's own namespace or of the cluster. */
struct name_list {
    struct ty_arena *a;
    struct ty_str ns;
    const char **v;
    size_t n, most;
};

static void add_name(void *ctx, const struct ty_cached *o)
{
    struct name_list *list = ctx;

    if (list->n < list->most && ty_str_is(list->ns, o->id.ns))
        list->v[list->n++] = ty_arena_strdup(list->a, o->id.name);
}

static size_t view_names(void *ctx, struct ty_arena *a, const struct ty_kind *kind,
                         struct ty_str ns, const char *ret[], size_t most)
{
    const struct admission_call *c = ctx;
    struct name_list list = { .a = a, .ns = ns, .v = ret, .most = most };

    ty_cache_each(ty_trainjob_controller_cache(c->hooks->controller), kind, add_name, &list);
    return list.n;
}

static int64_t now_s(void *ctx TY_UNUSED)
{
    return time(NULL);
}

static void on_reviewed(void *ctx, const struct ty_json *request, const struct ty_json *response)
{
    struct admission_call *c = ctx;

    c->request = request;
    c->response = response;
}

static void on_fetched(void *ctx, int r, struct ty_str text);

/* A quarter of the budget: allocations before the full arena is noticed come on top, and so do
 * other clients' bodies. */
static size_t review_ceiling(const struct ty_budget *b)
{
    size_t part = b && b->ceiling ? b->ceiling / 4 : REVIEW_CEILING;

    return part < REVIEW_CEILING ? part : REVIEW_CEILING;
}

static void run_review(struct admission_call *c)
{
    const struct ty_webhook_handler *h = c->hooks;
    struct ty_view view = { .ctx = c, .get = view_get, .unread = view_unread, .names = view_names };
    struct ty_webhook w = { .pipeline = h->pipeline,
                            .settings = h->settings,
                            .view = &view,
                            .now_s = now_s,
                            .judged = on_reviewed,
                            .ctx = c };
    ty_auto_arena *a = ty_arena_new_input(review_ceiling(h->budget), h->budget);
    struct ty_json *answer = NULL;

    c->a = a;
    c->request = c->response = NULL;
    if (!c->unread)
        c->kind = NULL;
    int code = ty_webhook_review(&w, a, c->q->path, c->q->body, &answer);
    c->a = NULL;
    c->whole.text = (struct ty_str){ 0 };
    if (c->kind && !c->unread && ++c->rounds < ROUNDS) {
        ty_trainjob_controller_get(h->controller, c->kind, c->ns, c->name, on_fetched, c);
        return;
    }
    if (h->answered)
        h->answered(h->ctx, c->q->path, code, (double)(uv_hrtime() - c->begin) / 1e9);
    if (code == 200)
        ty_webhook_handler_log(h->log, c->q->path, c->request, c->response);
    ty_respond_json(c->q, code, answer);
}

/* The API server does not wait for ever for the webhook: a failed fetch is not retried. */
static void on_fetched(void *ctx, int r, struct ty_str text)
{
    struct admission_call *c = ctx;

    if (r == 0 && text.n) {
        c->whole.kind = c->kind;
        c->whole.ns = c->ns;
        c->whole.name = c->name;
        c->whole.text = text;
    } else if (r < 0 && r != -ENOENT) {
        c->unread = ty_arena_str(c->q->arena, text).p;
    }
    run_review(c);
}

static void start_review(struct admission_call *c)
{
    const struct ty_webhook_handler *h = c->hooks;

    if (h->begun)
        h->begun(h->ctx, c->q->path);
    run_review(c);
}

void ty_webhook_handler_serve(void *ctx, struct ty_http_request *q)
{
    struct admission_call *c = ty_new(q->arena, struct admission_call);

    *c = (struct admission_call){ .hooks = ctx, .q = q, .begin = uv_hrtime() };
    if (strcmp(q->method, "POST") != 0)
        ty_respond_failure(q, 405, "MethodNotAllowed", "admission reviews are posted");
    else if (q->too_big)
        ty_respond_failure(q, 413, "RequestEntityTooLarge", "the review is too large");
    else
        start_review(c);
}
