/* Container logs: a response of text that is passed on as it arrives. */
#include "store/kube/kube_inner.h"

#include <errno.h>

struct log_op {
    struct ty_kube_op op; /* first */
    void (*data)(void *ctx, struct ty_str chunk);
};

/* What the transport delivers at once differs: up to 16 kB over libcurl, more over HTTP/2. */
static int log_piece(struct ty_kube_op *op, struct ty_str piece, struct ty_err *err TY_UNUSED)
{
    struct log_op *l = (struct log_op *)op;
    while (piece.n && !op->cancelled) {
        size_t n = piece.n < TY_KUBE_LOG_BYTES ? piece.n : TY_KUBE_LOG_BYTES;
        l->data(op->ctx, (struct ty_str){ piece.p, n });
        piece = (struct ty_str){ piece.p + n, piece.n - n };
    }
    return op->cancelled ? -ECANCELED : 0;
}

static const struct ty_kube_class class_log = { .piece = log_piece };

static void put_number(struct ty_buf *out, const char *key, int64_t n)
{
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)n);
    ty_kube_query(out, key, ty_str(text));
}

static void put_flag(struct ty_buf *out, const char *key, bool on)
{
    if (on)
        ty_kube_query(out, key, TY_LIT("true"));
}

static void put_path(struct ty_buf *out, const struct ty_kube_log *log)
{
    ty_kube_path(out, &ty_kind_pod, log->ns, log->pod, "log");
    ty_kube_query(out, "container", log->container);
    put_flag(out, "follow", log->follow);
    put_flag(out, "previous", log->previous);
    put_flag(out, "timestamps", log->timestamps);
    if (log->since_s > 0)
        put_number(out, "sinceSeconds", log->since_s);
    ty_kube_query(out, "sinceTime", log->since_time);
    if (log->tail_lines >= 0)
        put_number(out, "tailLines", log->tail_lines);
    ty_buf_chr(out, '\0');
}

/* Without a name the path would be that of something else: ".../pods//log" is a pod named "log". */
static const char *find_mistake(const struct ty_kube_log *log)
{
    if (log->pod.n == 0)
        return "the pod has no name";
    if (log->ns.n == 0)
        return "the pod has no namespace";
    if (ty_kube_is_dots(log->pod) || ty_kube_is_dots(log->ns))
        return "name and namespace of a pod may not be . or ..";
    return NULL;
}

struct ty_kube_op *ty_kube_log(struct ty_kube *k, const struct ty_kube_log *log)
{
    ty_auto_buf path = { 0 };
    struct ty_err err = { 0 };

    put_path(&path, log);
    struct log_op *l = (struct log_op *)ty_kube_op_new(k, sizeof(*l), &class_log, "GET", path.p,
                                                       (struct ty_str){ 0 });
    l->data = log->data;
    l->op.log = true;
    l->op.idle_ms = log->follow ? 0 : l->op.timeout_ms;
    l->op.accept = "application/json, */*"; /* errors are JSON, the log is text/plain */
    l->op.fn = log->end;
    l->op.ctx = log->ctx;
    const char *why = find_mistake(log);
    if (why)
        ty_kube_op_fail(&l->op, -EINVAL, "log of a container: %s", why);
    else if (ty_kube_open_logs(k, &err) < 0)
        ty_kube_op_fail(&l->op, -EAGAIN, "%s", err.text);
    else
        ty_kube_op_begin(&l->op);
    return &l->op;
}
