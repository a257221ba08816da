#include "cli/cluster/cluster_session.h"
#include "cli/jobs/user_config.h"

#include <errno.h>
#include <stdlib.h>
#include <uv.h>

#include "base/xalloc.h"

#define AGENT      "trainyard/" TY_VERSION
#define TIMEOUT_MS 20000
#define STATUS_MAX 65536 /* of an error; a longer one is not kept */
#define TRIES      3

struct ty_cluster_session {
    struct ty_cli *cli;
    struct ty_kubeconfig config;
    uv_loop_t loop;
    struct ty_kube *kube;
    const char *ns, *where, *flags;
    size_t list_most;
    int64_t end_ms; /* of all calls, by the monotonic clock; 0: none */
    uv_timer_t timer;
    struct pending_call *call; /* that is being made */
    bool interrupted;
};

/* ---- open and close ---- */

/* Sets *ret_where and *ret_ns (NULL: the context's) from options and user configuration. */
static int choose_context(struct ty_cli *cli, const struct ty_where_opts *opts,
                          struct ty_kubeconfig_sources *ret_where, const char **ret_ns,
                          struct ty_err *err)
{
    struct ty_user_config config = { 0 };
    int r = 0;

    ret_where->kubeconfig = opts->kubeconfig;
    ret_where->context = opts->context;
    if (!opts->kubeconfig && !opts->context && !cli->kubectl)
        r = ty_user_config_read(cli->arena, &config, err);
    if (config.context)
        ret_where->context = config.context;
    *ret_ns = opts->history.ns ? opts->history.ns : config.ns;
    ty_kubeconfig_sources_env(ret_where);
    return r;
}

static void set_words(struct ty_cluster_session *s, const struct ty_where_opts *opts)
{
    struct ty_arena *a = s->cli->arena;
    const char *context = s->config.context ? s->config.context : "";

    s->where = *context ? ty_arena_printf(a, "context \"%s\"", context) : s->config.server;
    s->flags = ty_arena_printf(a, "%s%s%s%s", opts->kubeconfig ? " --kubeconfig " : "",
                               opts->kubeconfig ? opts->kubeconfig : "",
                               *context ? " --context " : "", context);
}

int ty_cluster_session_open(struct ty_cli *cli, const struct ty_where_opts *opts,
                            struct ty_cluster_session **ret)
{
    struct ty_cluster_session *s = ty_xalloc(calloc(1, sizeof(*s)));
    struct ty_kubeconfig_sources where = { 0 };
    struct ty_err err = { 0 };
    const char *ns = NULL;

    s->cli = cli;
    s->list_most = TY_CLUSTER_SESSION_LIST;
    uv_loop_init(&s->loop);
    uv_timer_init(&s->loop, &s->timer);
    s->timer.data = s;
    s->end_ms = opts->quick_ms ? ty_cli_monotonic_ms() + opts->quick_ms : 0;
    int r = choose_context(cli, opts, &where, &ns, &err);
    if (r == 0) {
        r = ty_kubeconfig_load(cli->arena, &where, &s->config, &err);
        if (r == -ENOENT && !opts->kubeconfig)
            ty_wrap(&err, "no cluster to work on");
    }
    struct ty_kube_settings set = { .loop = &s->loop,
                                    .config = &s->config,
                                    .agent = AGENT,
                                    .timeout_ms = TIMEOUT_MS,
                                    .interactive = !opts->quick_ms };
    if (r == 0)
        r = ty_kube_new(&s->kube, &set, &err);
    if (r < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        ty_cluster_session_free(s);
        return TY_EXIT_BAD;
    }
    s->ns = ns ? ns : s->config.ns;
    set_words(s, opts);
    *ret = s;
    return TY_EXIT_OK;
}

static void close_handle(uv_handle_t *h, void *arg TY_UNUSED)
{
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

void ty_cluster_session_free(struct ty_cluster_session *s)
{
    if (!s)
        return;
    ty_kube_free(s->kube);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_walk(&s->loop, close_handle, NULL); /* the timer, and what a command left there */
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
    free(s);
}

struct uv_loop_s *ty_cluster_session_loop(struct ty_cluster_session *s)
{
    return &s->loop;
}

struct ty_kube *ty_cluster_session_kube(struct ty_cluster_session *s)
{
    return s->kube;
}

struct ty_cli *ty_cluster_session_cli(struct ty_cluster_session *s)
{
    return s->cli;
}

const char *ty_cluster_session_ns(const struct ty_cluster_session *s)
{
    return s->ns;
}

const char *ty_cluster_session_where(const struct ty_cluster_session *s)
{
    return s->where;
}

const char *ty_cluster_session_flags(const struct ty_cluster_session *s)
{
    return s->flags;
}

void ty_cluster_session_limit_lists(struct ty_cluster_session *s, size_t bytes)
{
    s->list_most = bytes;
}

/* ---- calls ---- */

struct pending_call {
    struct ty_cluster_session *s;
    struct ty_arena *a;
    struct ty_cluster_answer *ret;
    struct ty_kube_op *op;
    const char *api_version;
    bool (*keep)(void *ctx, const struct ty_json *obj); /* of a list; NULL: all */
    void *keep_ctx;
    struct ty_json **objs;
    size_t n, cap;
    size_t used; /* of the arena, before the list */
    bool done;
};

static void end_call(struct ty_cluster_session *s, int r, const char *message)
{
    struct pending_call *c = s->call;

    if (!c || c->done)
        return;
    ty_kube_cancel(c->op);
    c->ret->r = r;
    c->ret->reason = "";
    c->ret->message = message;
    c->done = true;
}

static void on_end_of_time(uv_timer_t *timer)
{
    end_call(timer->data, -ETIMEDOUT, "it does not answer in time");
}

void ty_cluster_session_interrupt(struct ty_cluster_session *s)
{
    s->interrupted = true;
    end_call(s, -EINTR, "interrupted");
}

static void run_loop(struct pending_call *c)
{
    struct ty_cluster_session *s = c->s;
    int64_t left = s->end_ms - ty_cli_monotonic_ms();

    s->call = c;
    if (s->interrupted)
        ty_cluster_session_interrupt(s);
    if (s->end_ms)
        uv_timer_start(&s->timer, on_end_of_time, left > 0 ? (uint64_t)left : 0, 0);
    while (!c->done && (uv_run(&s->loop, UV_RUN_ONCE) || !c->done))
        ;
    uv_timer_stop(&s->timer);
    s->call = NULL;
}

void ty_cluster_session_answer(struct ty_arena *a, const struct ty_kube_response *from,
                               struct ty_cluster_answer *ret)
{
    ret->r = from->r;
    ret->code = from->code;
    ret->reason = ty_arena_cstr(a, from->reason);
    ret->message = ty_arena_cstr(a, from->message);
    if (!from->text.n || (from->r < 0 && from->text.n > STATUS_MAX))
        return;
    ret->text = ty_arena_str(a, from->text);
    if (from->r < 0)
        return;
    ret->json = from->json ? ty_json_parse(a, ret->text, NULL, NULL) : NULL;
    if (ty_arena_full(a)) {
        ret->r = -EFBIG;
        ret->message = "the answer is too large";
    }
}

static void on_answer(void *ctx, const struct ty_kube_response *answer)
{
    struct pending_call *c = ctx;

    ty_cluster_session_answer(c->a, answer, c->ret);
    c->done = true;
}

static const char *verb_of(enum ty_kube_verb verb)
{
    static const char *const words[] = {
        [TY_KUBE_GET] = "get",     [TY_KUBE_CREATE] = "create", [TY_KUBE_UPDATE] = "update",
        [TY_KUBE_MERGE] = "patch", [TY_KUBE_APPLY] = "patch",   [TY_KUBE_DELETE] = "delete",
    };

    return words[verb];
}

int ty_cluster_session_call(struct ty_cluster_session *s, struct ty_arena *a,
                            const struct ty_kube_request *ask, struct ty_cluster_answer *ret)
{
    struct pending_call c = { .s = s, .a = a, .ret = ret };
    struct ty_kube_request mine = *ask;

    *ret = (struct ty_cluster_answer){ .verb = verb_of(ask->verb),
                                       .kind = ask->path ? NULL : ask->kind,
                                       .ns = ty_arena_cstr(a, ask->ns),
                                       .name = ty_arena_cstr(a, ask->name),
                                       .sub = ask->sub ? ask->sub : "" };
    mine.fn = on_answer;
    mine.ctx = &c;
    mine.manager = TY_CLUSTER_SESSION_MANAGER;
    if (!mine.tries)
        mine.tries = TRIES;
    c.op = ty_kube_start(s->kube, &mine);
    run_loop(&c);
    return ret->r;
}

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    struct pending_call *c = ctx;
    struct ty_json *v = NULL;

    if (c->keep && !c->keep(c->keep_ctx, o->json))
        return;
    v = ty_json_parse(c->a, ty_arena_str(c->a, o->text), NULL, NULL);
    if (v) {
        ty_json_set(c->a, v, "apiVersion", ty_json_cstr(c->a, c->api_version));
        ty_json_set(c->a, v, "kind", ty_json_cstr(c->a, c->ret->kind->kind));
        ty_room(c->a, c->objs, c->n, c->cap);
        c->objs[c->n++] = v;
    }
    if (!ty_arena_full(c->a) && ty_arena_used(c->a) - c->used <= c->s->list_most)
        return;
    ty_kube_cancel(c->op);
    c->ret->r = -EFBIG;
    c->ret->message =
        ty_arena_printf(c->a, "the list takes more than %zu MiB", c->s->list_most >> 20);
    c->done = true;
}

static void on_relist(void *ctx)
{
    struct pending_call *c = ctx;

    c->n = 0;
}

int ty_cluster_session_list(struct ty_cluster_session *s, struct ty_arena *a,
                            const struct ty_kube_selector *which, struct ty_json ***ret,
                            size_t *ret_n, struct ty_cluster_answer *answer)
{
    return ty_cluster_session_list_if(s, a, which, NULL, NULL, ret, ret_n, answer);
}

int ty_cluster_session_list_if(struct ty_cluster_session *s, struct ty_arena *a,
                               const struct ty_kube_selector *which,
                               bool (*keep)(void *ctx, const struct ty_json *obj), void *ctx,
                               struct ty_json ***ret, size_t *ret_n,
                               struct ty_cluster_answer *answer)
{
    struct pending_call c = { .s = s,
                              .a = a,
                              .ret = answer,
                              .api_version = ty_kind_api_version(a, which->kind),
                              .keep = keep,
                              .keep_ctx = ctx,
                              .used = ty_arena_used(a) };
    struct ty_kube_list list = {
        .which = *which, .object = on_object, .again = on_relist, .end = on_answer, .ctx = &c
    };

    *answer = (struct ty_cluster_answer){ .verb = "list",
                                          .kind = which->kind,
                                          .ns = ty_arena_cstr(a, which->ns),
                                          .name = "",
                                          .sub = "",
                                          .reason = "",
                                          .message = "" };
    c.op = ty_kube_list(s->kube, &list);
    run_loop(&c);
    *ret = c.objs;
    *ret_n = c.n;
    return answer->r;
}

/* ---- errors ---- */

/* "trainjobs.trainer.kubeflow.org/status" */
static const char *resource_of(struct ty_arena *a, const struct ty_cluster_answer *w)
{
    return ty_arena_printf(a, "%s%s%s%s%s", w->kind->plural, *w->kind->group ? "." : "",
                           w->kind->group, *w->sub ? "/" : "", w->sub);
}

static const char *forbidden_text(const struct ty_cluster_session *s, struct ty_arena *a,
                                  const char *doing, const struct ty_cluster_answer *w)
{
    const char *resource = resource_of(a, w), *scope = "", *flag = "";

    if (w->kind->namespaced && *w->ns) {
        scope = ty_arena_printf(a, " in namespace \"%s\"", w->ns);
        flag = ty_arena_printf(a, " -n %s", w->ns);
    } else if (w->kind->namespaced) {
        scope = " in all namespaces";
        flag = " -A";
    }
    return ty_arena_printf(a,
                           "cannot %s: you may not %s %s%s of %s; to check: kubectl%s auth can-i "
                           "%s %s%s",
                           doing, w->verb, resource, scope, s->where, s->flags, w->verb, resource,
                           flag);
}

/* A create in a namespace that does not exist; reads there find nothing instead. */
static bool is_no_namespace(const struct ty_cluster_answer *w)
{
    if (w->code != 404 || !w->text.n)
        return false;
    ty_auto_arena *a = ty_arena_new_input((size_t)STATUS_MAX * 64, NULL);
    return ty_str_is(ty_json_str_at(ty_json_parse(a, w->text, NULL, NULL), "details.kind"),
                     "namespaces");
}

bool ty_cluster_session_is_absent(const struct ty_cluster_answer *w)
{
    return w->code == 404 && w->kind && *w->kind->group && !is_no_namespace(w) &&
           (!*w->name || strstr(w->message, "could not find the requested resource") ||
            strstr(w->message, "page not found"));
}

const char *ty_cluster_session_error_text(const struct ty_cluster_session *s, struct ty_arena *a,
                                          const char *doing, const struct ty_cluster_answer *why)
{
    if (why->code == 403 && why->kind)
        return forbidden_text(s, a, doing, why);
    if (why->code == 401)
        return ty_arena_printf(a, "cannot %s: the cluster of %s does not accept %s", doing,
                               s->where, ty_kubeconfig_identity(a, &s->config));
    if (is_no_namespace(why))
        return ty_arena_printf(a, "cannot %s: namespace \"%s\" not found in the cluster of %s",
                               doing, why->ns, s->where);
    if (ty_cluster_session_is_absent(why))
        return ty_arena_printf(a,
                               "cannot %s: the cluster of %s has no %s; is it installed there? "
                               "Try: trainyard doctor%s",
                               doing, s->where, resource_of(a, why), s->flags);
    bool large = why->r == -EFBIG && strcmp(why->verb, "list") == 0;
    return ty_arena_printf(a, "cannot %s in the cluster of %s: %s%s", doing, s->where, why->message,
                           large ? "; name an object, or choose a namespace with -n" : "");
}

int ty_cluster_session_error(struct ty_cluster_session *s, const char *doing,
                             const struct ty_cluster_answer *why)
{
    ty_cli_msg(s->cli, TY_MSG_ERROR, "%s",
               ty_cluster_session_error_text(s, s->cli->arena, doing, why));
    return TY_EXIT_BAD;
}
