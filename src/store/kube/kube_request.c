/* Requests for one object: the path, the query and the body of each verb. */
#include "store/kube/kube_inner.h"

#include <errno.h>

#include "net/url.h"

/* Needs no escaping; true for most names. */
static bool is_plain(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i], lower = c | 0x20;
        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.')
            return false;
    }
    return true;
}

/* Names may contain characters that a path must not, such as the colon and the slash of an RBAC
 * role. */
static void put_escaped(struct ty_buf *out, struct ty_str s)
{
    if (is_plain(s)) {
        ty_buf_add(out, s);
        return;
    }
    ty_auto_arena *a = ty_arena_new_small((size_t)1 << 24, 1024);
    ty_buf_cstr(out, ty_url_encode(a, s, ""));
}

static void put_group(struct ty_buf *out, const struct ty_kind *kind)
{
    if (kind->group[0])
        ty_buf_printf(out, "/apis/%s/%s", kind->group, kind->version);
    else
        ty_buf_printf(out, "/api/%s", kind->version);
}

void ty_kube_path(struct ty_buf *out, const struct ty_kind *kind, struct ty_str ns,
                  struct ty_str name, const char *sub)
{
    put_group(out, kind);
    if (kind->namespaced && ns.n) {
        ty_buf_cstr(out, "/namespaces/");
        put_escaped(out, ns);
    }
    ty_buf_printf(out, "/%s", kind->plural);
    if (name.n) {
        ty_buf_chr(out, '/');
        put_escaped(out, name);
    }
    if (sub)
        ty_buf_printf(out, "/%s", sub);
}

void ty_kube_query(struct ty_buf *out, const char *key, struct ty_str value)
{
    if (value.n == 0)
        return;
    ty_buf_printf(out, "%c%s=", memchr(out->p, '?', out->n) ? '&' : '?', key);
    put_escaped(out, value);
}

void ty_kube_selector(struct ty_buf *out, const struct ty_kube_selector *which)
{
    ty_kube_path(out, which->kind, which->ns, (struct ty_str){ 0 }, NULL);
    ty_kube_query(out, "labelSelector", which->labels);
    ty_kube_query(out, "fieldSelector", which->fields);
}

/* Verbs */

struct verb {
    const char *method, *type;
    bool named, managed; /* needs a name; has a field manager */
};
static const struct verb verbs[] = {
    [TY_KUBE_GET] = { "GET", NULL, true, false },
    [TY_KUBE_CREATE] = { "POST", "application/json", false, true },
    [TY_KUBE_UPDATE] = { "PUT", "application/json", true, true },
    [TY_KUBE_MERGE] = { "PATCH", "application/merge-patch+json", true, true },
    [TY_KUBE_APPLY] = { "PATCH", "application/apply-patch+yaml", true, true },
    [TY_KUBE_DELETE] = { "DELETE", "application/json", true, false },
};

static struct ty_str delete_options(struct ty_arena *a, const struct ty_kube_request *ask)
{
    struct ty_json *v = ty_json_object(a), *pre = ty_json_object(a);
    ty_json_set(a, v, "kind", ty_json_cstr(a, "DeleteOptions"));
    ty_json_set(a, v, "apiVersion", ty_json_cstr(a, "v1"));
    if (ask->uid.n)
        ty_json_set(a, pre, "uid", ty_json_str(a, ask->uid));
    if (ask->version.n)
        ty_json_set(a, pre, "resourceVersion", ty_json_str(a, ask->version));
    if (ty_json_len(pre))
        ty_json_set(a, v, "preconditions", pre);
    if (ask->propagation)
        ty_json_set(a, v, "propagationPolicy", ty_json_cstr(a, ask->propagation));
    if (ask->dry_run) { /* the API server ignores the query of a deletion that has a body */
        struct ty_json *all = ty_json_array(a);
        ty_json_push(a, all, ty_json_cstr(a, "All"));
        ty_json_set(a, v, "dryRun", all);
    }
    return ty_json_text(a, v);
}

static void put_path(struct ty_buf *out, const struct ty_kube_request *ask)
{
    const struct verb *verb = &verbs[ask->verb];
    if (ask->path)
        ty_buf_cstr(out, ask->path);
    else
        ty_kube_path(out, ask->kind, ask->ns, ask->name, ask->sub);
    if (verb->managed)
        ty_kube_query(out, "fieldManager", ty_str(ask->manager));
    if (ask->verb == TY_KUBE_APPLY && ask->force)
        ty_kube_query(out, "force", TY_LIT("true"));
    if (ask->dry_run)
        ty_kube_query(out, "dryRun", TY_LIT("All"));
    ty_buf_chr(out, '\0');
}

bool ty_kube_is_dots(struct ty_str s)
{
    return ty_str_is(s, ".") || ty_str_is(s, "..");
}

/* Checks a request: without a name, a request for one object would be a request for all of them. */
static const char *find_mistake(const struct ty_kube_request *ask)
{
    if (ask->path)
        return ask->path[0] == '/' ? NULL : "a path begins with a slash";
    if (verbs[ask->verb].named && ask->name.n == 0)
        return "the object has no name";
    if (ask->kind->namespaced && ask->ns.n == 0)
        return "the object has no namespace";
    if (ty_kube_is_dots(ask->name))
        return "the object's name may not be . or ..";
    if (ask->kind->namespaced && ty_kube_is_dots(ask->ns))
        return "the object's namespace may not be . or ..";
    if (ask->verb == TY_KUBE_APPLY && (!ask->manager || !ask->manager[0]))
        return "server-side apply needs a field manager";
    return NULL;
}

static const struct ty_kube_class class_one = { 0 };

struct ty_kube_op *ty_kube_start(struct ty_kube *k, const struct ty_kube_request *ask)
{
    const struct verb *verb = &verbs[ask->verb];
    ty_auto_arena *a = ty_arena_new_small((size_t)1 << 24, 1024);
    ty_auto_buf path = { 0 };
    struct ty_str body = ask->body;

    put_path(&path, ask);
    if (ask->verb == TY_KUBE_DELETE)
        body = delete_options(a, ask);
    struct ty_kube_op *op = ty_kube_op_new(k, sizeof(*op), &class_one, verb->method, path.p, body);
    op->type = verb->type;
    op->accept = ask->meta ? TY_KUBE_META_ONE : NULL;
    op->raw = ask->raw;
    op->unlimited = ask->unlimited;
    op->fenced = ask->fenced;
    op->fn = ask->fn;
    op->ctx = ask->ctx;
    if (ask->tries)
        op->tries = ask->tries < 0 ? 0 : ask->tries;
    if (ask->timeout_ms) {
        op->timeout_ms = ask->timeout_ms;
        op->deadline_ms = ty_kube_now(k) + ask->timeout_ms;
    }
    const char *why = find_mistake(ask);
    if (why)
        ty_kube_op_fail(op, -EINVAL, "%s: %s", ask->kind ? ask->kind->kind : ask->path, why);
    else
        ty_kube_op_begin(op);
    return op;
}
