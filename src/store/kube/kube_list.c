/* Lists, page by page; objects are delivered as they arrive. */
#include "store/kube/kube_inner.h"

#include <errno.h>

#include "base/xalloc.h"
#include "store/kube/kube_split.h"

#define PAGE        500
#define REST_BYTES  ((size_t)1 << 20)
#define MOST_ROUNDS 10 /* for a list that changes faster than it can be read */
#define MOST_PAGES                                                                                 \
    2000 /* a million objects in pages of 500; a server that never ends a list has more */
#define META_MANY "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

struct list_op {
    struct ty_kube_op op; /* first */
    void (*object)(void *ctx, const struct ty_kube_object *o);
    void (*again)(void *ctx);
    char *first; /* path and query of the first page */
    char *base;  /* the same without resourceVersion, for the others */
    struct ty_kube_split split;
    int rounds, pages;
    bool paging; /* this is not the first page */
};

static int on_item(void *ctx, struct ty_str text)
{
    struct ty_kube_op *op = ctx;
    struct list_op *l = ctx;
    struct ty_kube_object o;
    struct ty_err err = { 0 };
    bool cut = false;

    const struct ty_json *json = ty_kube_parse(op, text, 2, &cut, &err);
    if (!json && err.code == -EFBIG)
        return ty_fail(&op->error, -EFBIG, "%s", err.text);
    if (!json)
        return ty_fail(&op->error, -EPROTO, "an object of the list is not JSON: %s", err.text);
    ty_kube_object_init(json, cut ? ty_json_text(op->k->a, json) : text, &o);
    o.cut = cut;
    l->object(op->ctx, &o);
    ty_arena_reset(op->k->a);
    return op->cancelled ? -ECANCELED : 0;
}

static int list_piece(struct ty_kube_op *op, struct ty_str piece, struct ty_err *err)
{
    struct list_op *l = (struct list_op *)op;
    return ty_kube_split_feed(&l->split, piece, on_item, l, err);
}

static void set_path(struct list_op *l, const char *base, struct ty_str token)
{
    ty_auto_buf path = { 0 };
    ty_buf_printf(&path, "%s", base);
    ty_kube_query(&path, "continue", token);
    ty_buf_chr(&path, '\0');
    free(l->op.path);
    l->op.path = ty_xalloc(strdup(path.p));
}

/* Requests the next page, or the first one again; each has its own timeout. */
static bool list_go_on(struct list_op *l)
{
    ty_kube_split_reset(&l->split);
    l->op.deadline_ms = ty_kube_now(l->op.k) + l->op.timeout_ms;
    l->op.refused = false;
    ty_kube_op_begin(&l->op);
    return true;
}

static bool list_again(struct list_op *l)
{
    if (!l->again || l->rounds == MOST_ROUNDS)
        return false;
    l->rounds++;
    l->paging = false;
    l->pages = 0;
    l->again(l->op.ctx);
    if (l->op.cancelled)
        return true;
    set_path(l, l->first, (struct ty_str){ 0 });
    return list_go_on(l);
}

/* Parses what surrounds the items. */
static void read_rest(struct list_op *l, struct ty_kube_response *answer, struct ty_str *ret_token)
{
    struct ty_arena *a = l->op.k->a;
    struct ty_err err = { 0 };
    const struct ty_json *json = NULL;
    ty_arena_reset(a);
    if (ty_kube_split_whole(&l->split))
        json = ty_json_parse(a, ty_buf_str(&l->split.rest), NULL, &err);
    answer->version = ty_json_str_at(json, "metadata.resourceVersion");
    *ret_token = ty_json_str_at(json, "metadata.continue");
    if (answer->version.n)
        return;
    answer->r = -EPROTO;
    answer->message = ty_str(ty_arena_printf(a, "the server sent something that is not a list%s%s",
                                             err.text[0] ? ": " : "", err.text));
}

static bool list_next_page(struct list_op *l, struct ty_str token, struct ty_kube_response *answer)
{
    if (++l->pages == MOST_PAGES) {
        answer->r = -EFBIG;
        answer->message =
            ty_str(ty_arena_printf(l->op.k->a, "the list has more than %d pages", MOST_PAGES));
        return false;
    }
    set_path(l, l->base, token);
    l->paging = true;
    return list_go_on(l);
}

static bool list_end(struct ty_kube_op *op, struct ty_kube_response *answer)
{
    struct list_op *l = (struct list_op *)op;
    struct ty_str token = { 0 };

    if (answer->r == -EIDRM && l->paging && list_again(l))
        return true;
    if (answer->r == 0)
        read_rest(l, answer, &token);
    if (answer->r == 0 && token.n && list_next_page(l, token, answer))
        return true;
    if (op->fn)
        op->fn(op->ctx, answer);
    return false;
}

static void list_free(struct ty_kube_op *op)
{
    struct list_op *l = (struct list_op *)op;
    ty_kube_split_done(&l->split);
    free(l->first);
    free(l->base);
}

static const struct ty_kube_class class_list = {
    .piece = list_piece,
    .end = list_end,
    .free = list_free,
};

struct ty_kube_op *ty_kube_list(struct ty_kube *k, const struct ty_kube_list *list)
{
    ty_auto_buf path = { 0 };
    char page[16];
    ty_kube_selector(&path, &list->which);
    snprintf(page, sizeof(page), "%d", list->page > 0 ? list->page : PAGE);
    ty_kube_query(&path, "limit", ty_str(page));
    size_t base = path.n; /* a continue token has its own version */
    ty_kube_query(&path, "resourceVersion", list->version);
    ty_buf_chr(&path, '\0');

    struct list_op *l = (struct list_op *)ty_kube_op_new(k, sizeof(*l), &class_list, "GET", path.p,
                                                         (struct ty_str){ 0 });
    l->object = list->object;
    l->again = list->again;
    l->first = ty_xalloc(strdup(path.p));
    l->base = ty_xalloc(strndup(path.p, base));
    l->split.item.ceiling = OBJECT_BYTES;
    l->split.rest.ceiling = REST_BYTES;
    l->op.reads = true;
    l->op.cut = list->which.cut;
    l->op.accept = list->which.meta ? META_MANY : NULL;
    l->op.fn = list->end;
    l->op.ctx = list->ctx;
    ty_kube_op_begin(&l->op);
    return &l->op;
}
