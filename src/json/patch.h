/* Two kinds of patches: RFC 7386 merge patch and Kubernetes' strategic merge patch. Inputs are not
 * modified; results live with the arena and share unchanged parts. */
#ifndef TY_JSON_PATCH_H
#define TY_JSON_PATCH_H

#include "json/json.h"

struct ty_json *ty_patch_merge(struct ty_arena *a, const struct ty_json *doc,
                               const struct ty_json *patch);

/* What strategic merge needs to know of a type; the schema tables (api/) provide it. */
enum ty_patch_strategy {
    TY_PATCH_REPLACE,
    TY_PATCH_MERGE,
    TY_PATCH_MERGE_BY_KEY,
    TY_PATCH_MERGE_SET
};
struct ty_patch_meta {
    enum ty_patch_strategy how; /* of the list or object at this place */
    const char *key;            /* BY_KEY: the key that identifies items ("name") */
    bool retain_keys; /* union: a patch that sets another member (than key) removes the old ones */
    const void *type; /* of the value; passed to `member` and `item` */
};
struct ty_patch_schema {
    /* Of member `key` in an object of `type` (NULL: unknown type). */
    struct ty_patch_meta (*member)(const void *type, struct ty_str key);
    const void *(*item)(const void *type); /* type of a list's items */
    /* May be NULL. Called after two objects of `type` were merged into `merged` by `patch`; it may
     * remove or replace members, whose values are shared. The schema uses it so that a patched
     * volume or variable has one source (B21). */
    void (*merged)(struct ty_arena *a, const void *type, struct ty_json *merged,
                   const struct ty_json *patch);
};

/* Lists that are merged by key are ordered as in Kubernetes: new items of the patch come before the
 * remaining old ones (docs/spec/trainer.md 4.5). The directives $patch, $retainKeys,
 * $setElementOrder/… and $deleteFromPrimitiveList/… are implemented. Values of the patch are
 * stamped with `origin` unless it is 0. */
int ty_patch_strategic(struct ty_arena *a, const struct ty_json *doc, const struct ty_json *patch,
                       const struct ty_patch_schema *guide, const void *type, uint16_t origin,
                       struct ty_json **ret_doc, struct ty_err *err);

#endif
