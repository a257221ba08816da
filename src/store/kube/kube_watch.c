/* Watches: a response that stays open, with one event on each line. */
#include "store/kube/kube_inner.h"

#include <errno.h>

#include "store/kube/kube_split.h"

#define LEAST_SECONDS 300 /* plus up to as much at random: watches must not all end together */
#define GRACE_MS      30000

struct watch_op {
    struct ty_kube_op op; /* first */
    void (*event)(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o);
    struct ty_kube_lines lines;
};

static const struct {
    const char *name;
    enum ty_kube_event what;
} names[] = {
    { "ADDED", TY_KUBE_ADDED },
    { "MODIFIED", TY_KUBE_MODIFIED },
    { "DELETED", TY_KUBE_DELETED },
    { "BOOKMARK", TY_KUBE_BOOKMARK },
};

/* The text of the object: from its position to the brace that ends the line. Servers write
 * "object" as the last member; if one does not, the tree is printed. */
static struct ty_str text_of(struct ty_arena *a, const struct ty_json *event,
                             const struct ty_json *object, struct ty_str line)
{
    size_t from = object->col - 1, to = line.n - 1;
    if (event->members[event->n - 1].value != object || object->line != 1 || from >= to)
        return ty_json_text(a, object);
    return ty_str_trim((struct ty_str){ line.p + from, to - from });
}

/* ERROR ends the watch; its Status is the result. */
static int on_error(struct watch_op *w, const struct ty_json *status)
{
    struct ty_kube_op *op = &w->op;
    struct ty_kube_response answer;
    ty_kube_response_status(op->k->a, status, &answer);
    ty_kube_fn *fn = op->fn;
    op->fn = NULL;
    if (fn)
        fn(op->ctx, &answer);
    if (!op->cancelled)
        ty_kube_cancel(op); /* freed when its callbacks have returned */
    return -ECANCELED;
}

static int read_line(struct watch_op *w, struct ty_str line)
{
    struct ty_arena *a = w->op.k->a;
    struct ty_err err = { 0 };
    struct ty_kube_object o;
    bool cut = false;

    const struct ty_json *json = ty_kube_parse(&w->op, line, 3, &cut, &err);
    if (!json && err.code == -EFBIG)
        return ty_fail(&w->op.error, -EFBIG, "%s", err.text);
    if (!json)
        return ty_fail(&w->op.error, -EPROTO, "an event of the watch is not JSON: %s", err.text);
    const struct ty_json *object = ty_json_get(json, "object");
    struct ty_str type = ty_json_str_at(json, "type");
    if (!ty_json_is(object, TY_JSON_OBJECT))
        return ty_fail(&w->op.error, -EPROTO, "an event of the watch has no object");
    if (ty_str_is(type, "ERROR"))
        return on_error(w, object);
    for (size_t i = 0; i < TY_COUNT(names); i++) {
        if (!ty_str_is(type, names[i].name))
            continue;
        ty_kube_object_init(object, cut ? ty_json_text(a, object) : text_of(a, json, object, line),
                            &o);
        o.cut = cut;
        w->event(w->op.ctx, names[i].what, &o);
        return w->op.cancelled ? -ECANCELED : 0;
    }
    return ty_fail(&w->op.error, -EPROTO, "an event of the watch is of an unknown type: %.*s",
                   TY_ARG(type));
}

/* A large object is freed right after its callback. */
static int on_line(void *ctx, struct ty_str line)
{
    struct watch_op *w = ctx;
    struct ty_arena *a = w->op.k->a;
    int r = read_line(w, line);

    ty_arena_reset(a);
    return r;
}

static int watch_piece(struct ty_kube_op *op, struct ty_str piece, struct ty_err *err)
{
    struct watch_op *w = (struct watch_op *)op;
    return ty_kube_lines_feed(&w->lines, piece, on_line, w, err);
}

static void watch_free(struct ty_kube_op *op)
{
    ty_kube_lines_done(&((struct watch_op *)op)->lines);
}

static const struct ty_kube_class class_watch = { .piece = watch_piece, .free = watch_free };

struct ty_kube_op *ty_kube_watch(struct ty_kube *k, const struct ty_kube_watch *watch)
{
    ty_auto_buf path = { 0 };
    char seconds[24];
    int64_t most = watch->seconds;
    if (most <= 0)
        most = LEAST_SECONDS + (int64_t)(ty_kube_random_next(&k->random) % LEAST_SECONDS);
    snprintf(seconds, sizeof(seconds), "%lld", (long long)most);
    ty_kube_selector(&path, &watch->which);
    ty_kube_query(&path, "watch", TY_LIT("1"));
    ty_kube_query(&path, "allowWatchBookmarks", TY_LIT("true"));
    ty_kube_query(&path, "resourceVersion", watch->version);
    ty_kube_query(&path, "timeoutSeconds", ty_str(seconds));
    ty_buf_chr(&path, '\0');

    struct watch_op *w = (struct watch_op *)ty_kube_op_new(k, sizeof(*w), &class_watch, "GET",
                                                           path.p, (struct ty_str){ 0 });
    w->event = watch->event;
    w->lines.part.ceiling = OBJECT_BYTES;
    w->op.reads = true;
    w->op.cut = watch->which.cut;
    w->op.unlimited = true;
    w->op.total_ms = most * 1000 + GRACE_MS;
    w->op.idle_ms = k->set.idle_ms;
    w->op.pings = true;
    w->op.accept = watch->which.meta ? TY_KUBE_META_ONE : NULL;
    w->op.fn = watch->end;
    w->op.ctx = watch->ctx;
    ty_kube_op_begin(&w->op);
    return &w->op;
}
