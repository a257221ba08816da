/* Drives src/store/kube/kube.h for the tests of the Kubernetes client (driver.py): a command a line
 * on stdin, in JSON, and an event a line on stdout. Ends at the end of stdin, everything freed.
 *
 *   {"do":"ask","id":ID,"verb":"GET|CREATE|UPDATE|MERGE|APPLY|DELETE","kind":K,"ns":N,"name":N,...}
 *   {"do":"served","id":ID,"kind":K}          {"do":"cancel","id":ID}
 *   {"do":"list","id":ID,"kind":K,"ns":N,"page":P,"version":V,"meta":B,"labels":L}
 *   {"do":"watch","id":ID,"kind":K,"ns":N,"version":V,"seconds":S}
 *   {"do":"log","id":ID,"ns":N,"pod":P,"container":C,"follow":B,"previous":B,"timestamps":B,"tail":T}
 *   {"do":"reflect","id":ID,"kind":K,"ns":N,"page":P,"meta":B,"stop_at":N}  {"do":"unreflect",...}
 *   {"do":"wrote","id":ID,"object":O}  {"do":"hurry","id":ID}  {"do":"requests"} */
#include <errno.h>
#include <uv.h>

#include "base/map.h"
#include "store/kube/kube.h"
#include "store/kube/kube_kinds.h"
#include "store/kube/reflector.h"

struct driver {
    uv_loop_t loop;
    uv_pipe_t in;
    struct ty_arena *config_arena;
    struct ty_kubeconfig config;
    struct ty_kube *kube;
    struct ty_buf line;
    struct ty_map runs;
    char piece[65536];
};

/* What an id stands for. */
struct run {
    struct driver *d;
    char *id;
    struct ty_kube_op *op;
    struct ty_reflector *reflect;
    int64_t stop_at; /* reflect: free it in the callback of that many changes */
    size_t n, bytes;
};

static struct run *run_new(struct driver *d, const struct ty_json *c)
{
    struct run *run = calloc(1, sizeof(*run));
    struct ty_str id = ty_json_str_at(c, "id");
    run->d = d;
    run->id = strndup(id.p, id.n);
    ty_map_put(&d->runs, id, run);
    return run;
}

static void run_end(struct run *run)
{
    ty_map_del(&run->d->runs, ty_str(run->id));
    free(run->id);
    free(run);
}

/* {"id":ID,"event":WHAT, then pairs of name and text until NULL} */
static void say(const struct run *run, const char *what, const struct ty_json *more)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *v = ty_json_object(a);
    ty_json_set(a, v, "id", ty_json_cstr(a, run ? run->id : ""));
    ty_json_set(a, v, "event", ty_json_cstr(a, what));
    ty_each_member (m, more)
        ty_json_put(a, v, m->key, m->value);
    puts(ty_json_text(a, v).p);
    fflush(stdout);
}

static void say_object(struct run *run, const char *what, const struct ty_kube_object *o)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *v = ty_json_object(a);
    struct ty_err err = { 0 };
    ty_json_set(a, v, "ns", ty_json_str(a, o->ns));
    ty_json_set(a, v, "name", ty_json_str(a, o->name));
    ty_json_set(a, v, "uid", ty_json_str(a, o->uid));
    ty_json_set(a, v, "version", ty_json_str(a, o->version));
    if (o->json) { /* the text must be the tree's */
        const struct ty_json *again = ty_json_parse(a, o->text, NULL, &err);
        ty_json_set(a, v, "same", ty_json_bool(a, again && ty_json_eq(again, o->json)));
        const struct ty_json *data = ty_json_get(o->json, "data");
        ty_json_set(a, v, "data", data ? ty_json_copy(a, data, 0) : ty_json_null(a));
    }
    run->bytes += o->text.n;
    say(run, what, v);
}

static void say_answer(struct run *run, const char *what, const struct ty_kube_response *answer,
                       bool with_json)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *v = ty_json_object(a);
    const char *name = answer->r == 0 ? "0" : strerrorname_np(-answer->r);
    ty_json_set(a, v, "r", ty_json_cstr(a, name));
    ty_json_set(a, v, "code", ty_json_int(a, answer->code));
    ty_json_set(a, v, "reason", ty_json_str(a, answer->reason));
    ty_json_set(a, v, "message", ty_json_str(a, answer->message));
    ty_json_set(a, v, "version", ty_json_str(a, answer->version));
    ty_json_set(a, v, "n", ty_json_int(a, (int64_t)run->n));
    if (with_json && answer->json)
        ty_json_set(a, v, "json", ty_json_copy(a, answer->json, 0));
    say(run, what, v);
}

static void on_answer(void *ctx, const struct ty_kube_response *answer)
{
    struct run *run = ctx;
    say_answer(run, "answer", answer, true);
    run_end(run);
}

/* Reading commands */

static const struct ty_kind *kind_of(const struct ty_json *c)
{
    static const struct ty_kind *const more[] = { &ty_kind_event, &ty_kind_lease,
                                                  &ty_kind_namespace, &ty_kind_crd,
                                                  &ty_kind_tokenreview };
    struct ty_str name = ty_json_str_at(c, "kind");
    for (size_t i = 0; i < TY_COUNT(more); i++)
        if (ty_str_is(name, more[i]->singular))
            return more[i];
    return ty_kind_by_name(name);
}

static struct ty_kube_selector which_of(const struct ty_json *c)
{
    return (struct ty_kube_selector){
        .kind = kind_of(c),
        .ns = ty_json_str_at(c, "ns"),
        .labels = ty_json_str_at(c, "labels"),
        .fields = ty_json_str_at(c, "fields"),
        .meta = ty_json_true_at(c, "meta"),
    };
}

static const char *text_or_null(struct ty_arena *a, const struct ty_json *c, const char *key)
{
    struct ty_str s = ty_json_str_at(c, key);
    return s.n ? ty_arena_strndup(a, s.p, s.n) : NULL;
}

static int number(const struct ty_json *c, const char *key)
{
    int64_t v = 0;
    return ty_json_int_at(c, key, &v) ? (int)v : 0;
}

static void do_ask(struct driver *d, struct ty_arena *a, const struct ty_json *c)
{
    static const char *const verbs[] = { "GET", "CREATE", "UPDATE", "MERGE", "APPLY", "DELETE" };
    struct run *run = run_new(d, c);
    struct ty_kube_request ask = {
        .kind = kind_of(c),
        .ns = ty_json_str_at(c, "ns"),
        .name = ty_json_str_at(c, "name"),
        .sub = text_or_null(a, c, "sub"),
        .path = text_or_null(a, c, "path"),
        .manager = text_or_null(a, c, "manager"),
        .propagation = text_or_null(a, c, "propagation"),
        .force = ty_json_true_at(c, "force"),
        .meta = ty_json_true_at(c, "meta"),
        .dry_run = ty_json_true_at(c, "dry_run"),
        .uid = ty_json_str_at(c, "uid"),
        .version = ty_json_str_at(c, "version"),
        .timeout_ms = number(c, "timeout_ms"),
        .tries = number(c, "tries"),
        .fn = on_answer,
        .ctx = run,
    };
    for (size_t i = 0; i < TY_COUNT(verbs); i++)
        if (ty_str_is(ty_json_str_at(c, "verb"), verbs[i]))
            ask.verb = (enum ty_kube_verb)i;
    if (ty_json_get(c, "body"))
        ask.body = ty_json_text(a, ty_json_get(c, "body"));
    run->op = ty_kube_start(d->kube, &ask);
}

static void on_list_object(void *ctx, const struct ty_kube_object *o)
{
    struct run *run = ctx;
    run->n++;
    say_object(run, "object", o);
}

static void on_list_again(void *ctx)
{
    struct run *run = ctx;
    run->n = 0;
    say(run, "again", NULL);
}

static void do_list(struct driver *d, const struct ty_json *c)
{
    struct run *run = run_new(d, c);
    struct ty_kube_list list = {
        .which = which_of(c),
        .page = number(c, "page"),
        .version = ty_json_str_at(c, "version"),
        .object = on_list_object,
        .again = ty_json_true_at(c, "no_again") ? NULL : on_list_again,
        .end = on_answer,
        .ctx = run,
    };
    run->op = ty_kube_list(d->kube, &list);
}

static void on_watch_event(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o)
{
    static const char *const names[] = { "ADDED", "MODIFIED", "DELETED", "BOOKMARK" };
    say_object(ctx, names[what], o);
}

static void do_watch(struct driver *d, const struct ty_json *c)
{
    struct run *run = run_new(d, c);
    struct ty_kube_watch watch = {
        .which = which_of(c),
        .version = ty_json_str_at(c, "version"),
        .seconds = number(c, "seconds"),
        .event = on_watch_event,
        .end = on_answer,
        .ctx = run,
    };
    run->op = ty_kube_watch(d->kube, &watch);
}

static void on_log_data(void *ctx, struct ty_str chunk)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct run *run = ctx;
    struct ty_json *v = ty_json_object(a);
    run->n += chunk.n;
    ty_json_set(a, v, "text", ty_json_str(a, chunk));
    say(run, "data", v);
}

static void do_log(struct driver *d, const struct ty_json *c)
{
    struct run *run = run_new(d, c);
    int64_t tail = -1;
    struct ty_kube_log log = {
        .ns = ty_json_str_at(c, "ns"),
        .pod = ty_json_str_at(c, "pod"),
        .container = ty_json_str_at(c, "container"),
        .follow = ty_json_true_at(c, "follow"),
        .previous = ty_json_true_at(c, "previous"),
        .timestamps = ty_json_true_at(c, "timestamps"),
        .tail_lines = ty_json_int_at(c, "tail", &tail) ? tail : -1,
        .data = on_log_data,
        .end = on_answer,
        .ctx = run,
    };
    run->op = ty_kube_log(d->kube, &log);
}

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    static const char *const names[] = { "ADDED", "CHANGED", "GONE" };
    struct run *run = ctx;
    run->n++;
    say_object(run, names[what], o);
    if (run->stop_at && (int64_t)run->n == run->stop_at) {
        ty_reflector_free(run->reflect);
        run_end(run);
    }
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    static const char *const names[] = { "SYNCED", "ABSENT", "TROUBLE" };
    struct ty_kube_response fine = { 0 };
    (void)again_ms;
    say_answer(ctx, names[state], why ? why : &fine, false);
}

static void do_reflect(struct driver *d, const struct ty_json *c)
{
    struct run *run = run_new(d, c);
    struct ty_reflector_opts want = {
        .which = which_of(c),
        .page = number(c, "page"),
        .changed = on_changed,
        .state = on_state,
        .ctx = run,
    };
    run->stop_at = number(c, "stop_at");
    run->reflect = ty_reflector_new(d->kube, &want);
}

static void do_one(struct driver *d, struct ty_arena *a, const struct ty_json *c)
{
    struct ty_str what = ty_json_str_at(c, "do");
    struct run *run = ty_map_get(&d->runs, ty_json_str_at(c, "id"));

    if (ty_str_is(what, "ask")) {
        do_ask(d, a, c);
    } else if (ty_str_is(what, "list")) {
        do_list(d, c);
    } else if (ty_str_is(what, "watch")) {
        do_watch(d, c);
    } else if (ty_str_is(what, "log")) {
        do_log(d, c);
    } else if (ty_str_is(what, "reflect")) {
        do_reflect(d, c);
    } else if (ty_str_is(what, "requests")) {
        struct ty_json *v = ty_json_object(a);
        ty_json_set(a, v, "n", ty_json_int(a, (int64_t)ty_kube_requests(d->kube)));
        say(NULL, "requests", v);
    } else if (run && ty_str_is(what, "cancel")) {
        ty_kube_cancel(run->op);
        run_end(run);
    } else if (run && ty_str_is(what, "unreflect")) {
        ty_reflector_free(run->reflect);
        run_end(run);
    } else if (run && ty_str_is(what, "hurry")) {
        ty_reflector_retry_now(run->reflect);
    } else if (run && ty_str_is(what, "wrote")) {
        struct ty_kube_object o;
        const struct ty_json *v = ty_json_get(c, "object");
        ty_kube_object_init(v, ty_json_text(a, v), &o);
        ty_reflector_observe_write(run->reflect, &o);
    }
}

static void on_command(struct driver *d, struct ty_str line)
{
    ty_auto_arena *a = ty_arena_new((size_t)256 << 20);
    struct ty_err err = { 0 };
    const struct ty_json *c = ty_json_parse(a, line, NULL, &err);
    if (!c)
        fprintf(stderr, "kubeclient: %s\n", err.text);
    else
        do_one(d, a, c);
}

static void on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *buf)
{
    struct driver *d = h->data;
    (void)hint;
    *buf = uv_buf_init(d->piece, sizeof(d->piece));
}

static void finish(struct driver *d)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;
    while ((s = ty_map_next(&d->runs, &at))) {
        struct run *run = s->value;
        ty_reflector_free(run->reflect);
        free(run->id);
        free(run);
    }
    ty_map_done(&d->runs);
    ty_kube_free(d->kube);
    uv_close((uv_handle_t *)&d->in, NULL);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    struct driver *d = s->data;
    if (n < 0) {
        finish(d);
        return;
    }
    ty_buf_put(&d->line, buf->base, (size_t)n);
    char *nl = NULL;
    while (d->line.n && (nl = memchr(d->line.p, '\n', d->line.n))) {
        size_t used = (size_t)(nl - d->line.p) + 1;
        on_command(d, (struct ty_str){ d->line.p, used - 1 });
        memmove(d->line.p, nl + 1, d->line.n - used);
        d->line.n -= used;
    }
}

static int options(int argc, char **argv, struct ty_kubeconfig_sources *where,
                   struct ty_kube_settings *s)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        struct ty_str o = ty_str(argv[i]);
        int64_t v = 0;
        ty_str_parse_i64(ty_str(argv[i + 1]), &v);
        if (ty_str_is(o, "--kubeconfig"))
            where->kubeconfig = argv[i + 1];
        else if (ty_str_is(o, "--pod-dir"))
            where->pod_dir = argv[i + 1];
        else if (ty_str_is(o, "--idle-ms"))
            s->idle_ms = v;
        else if (ty_str_is(o, "--dead-ms"))
            s->dead_ms = v;
        else if (ty_str_is(o, "--timeout-ms"))
            s->timeout_ms = v;
        else if (ty_str_is(o, "--qps"))
            s->qps = (double)v;
        else if (ty_str_is(o, "--burst"))
            s->burst = (int)v;
        else if (ty_str_is(o, "--http1"))
            s->http1 = v != 0;
        else
            return -EINVAL;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct driver *d = calloc(1, sizeof(*d));
    struct ty_err err = { 0 };
    struct ty_kubeconfig_sources where = { 0 };
    struct ty_kube_settings set = { .loop = &d->loop, .config = &d->config, .agent = "kubeclient" };
    d->config_arena = ty_arena_new((size_t)64 << 20);
    int r = options(argc, argv, &where, &set);
    ty_kubeconfig_sources_env(&where);
    uv_loop_init(&d->loop);
    if (r == 0)
        r = ty_kubeconfig_load(d->config_arena, &where, &d->config, &err);
    if (r == 0)
        r = ty_kube_new(&d->kube, &set, &err);
    if (r == 0) {
        uv_pipe_init(&d->loop, &d->in, 0);
        uv_pipe_open(&d->in, 0);
        d->in.data = d;
        uv_read_start((uv_stream_t *)&d->in, on_alloc, on_read);
    } else {
        fprintf(stderr, "kubeclient: %s\n", err.text);
    }
    uv_run(&d->loop, UV_RUN_DEFAULT);
    int left = uv_loop_close(&d->loop);
    if (left < 0)
        fprintf(stderr, "kubeclient: handles are left open\n");
    ty_buf_done(&d->line);
    ty_arena_free(d->config_arena);
    free(d);
    return r < 0 || left < 0 ? 1 : 0;
}
