/* Three ways to change an object: RFC 7386 merge, RFC 6902 JSON patch, Kubernetes' strategic merge.
 * None changes its inputs; results live with the arena and share what did not change. */
#ifndef TY_JSON_PATCH_H
#define TY_JSON_PATCH_H

#include "json/json.h"

struct ty_json *ty_patch_merge(struct ty_arena *a, const struct ty_json *doc,
                               const struct ty_json *patch);
/* The merge patch that turns the object `from` into `to`; an empty object when they are equal. A
 * member that is null in `to` alone cannot be told in a merge patch: it is left out. */
struct ty_json *ty_patch_merge_diff(struct ty_arena *a, const struct ty_json *from,
                                    const struct ty_json *to);
/* -EINVAL with the operation's index and the pointer in err. `test` failing is -ECANCELED. */
int ty_patch_json(struct ty_arena *a, const struct ty_json *doc, const struct ty_json *ops,
                  struct ty_json **ret_doc, struct ty_err *err);

/* What strategic merge must know of a type; answered by the schema tables (api/). */
enum ty_patch_strategy {
    TY_PATCH_REPLACE,
    TY_PATCH_MERGE,
    TY_PATCH_MERGE_BY_KEY,
    TY_PATCH_MERGE_SET
};
struct ty_patch_meta {
    enum ty_patch_strategy how; /* of the list or object at this place */
    const char *key;            /* BY_KEY: the key that tells items apart ("name") */
    bool retain_keys; /* union: a patch that names other members (than key) drops the old ones */
    const void *type; /* of the value, to ask about its members or items */
};
struct ty_patch_schema {
    /* About member `key` of an object of `type` (NULL: unknown type). */
    struct ty_patch_meta (*member)(const void *type, struct ty_str key);
    const void *(*item)(const void *type); /* type of a list's items */
    /* NULL, or: after two objects of `type` were merged into `merged` by `patch`, a last say:
     * members may be taken away or replaced, their values are shared. Ours uses it so that a
     * patched volume or variable has one source (B21). */
    void (*merged)(struct ty_arena *a, const void *type, struct ty_json *merged,
                   const struct ty_json *patch);
};

/* Order inside lists merged by key as Kubernetes orders them: new items of the patch come before
 * the remaining old ones (docs/spec/trainer.md 4.5). Directives $patch, $retainKeys,
 * $setElementOrder/…, $deleteFromPrimitiveList/… are obeyed. Values that come from the patch are
 * stamped with `origin` unless it is 0. */
int ty_patch_strategic(struct ty_arena *a, const struct ty_json *doc, const struct ty_json *patch,
                       const struct ty_patch_schema *guide, const void *type, uint16_t origin,
                       struct ty_json **ret_doc, struct ty_err *err);

#endif
