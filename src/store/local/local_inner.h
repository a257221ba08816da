/* What the files of the embedded store share: local.c finds objects and tells of them, local_text.c
 * keeps what they say, local_write.c and local_delete.c change them. */
#ifndef TY_STORE_LOCAL_LOCAL_INNER_H
#define TY_STORE_LOCAL_LOCAL_INNER_H

#include "base/map.h"
#include "store/local/local.h"
#include "store/local/managed_fields.h"

/* A whole text, shared by all that are kept as their difference from it. */
struct ty_local_base_text {
    size_t refs, n;
    char text[];
};

struct ty_local_entry {
    struct ty_stored pub; /* first: a ty_stored is its entry */
    char *strings;
    struct ty_local_base_text *base; /* its text, if there is no delta */
    char *delta;
    size_t n_delta;
    struct ty_managed_fields *applied;        /* per manager; NULL: nobody applied it */
    struct ty_local_base_text *for_children;  /* of which new children should be a delta; or NULL */
    struct ty_local_entry *parent, *children; /* the stored owner; the first that it owns */
    struct ty_local_entry *next, *prev;       /* among the children of parent */
};

struct ty_local {
    int64_t (*now)(void *ctx);
    void *now_ctx;
    struct ty_local_watcher {
        ty_stored_fn *fn;
        void *ctx;
    } watchers[TY_LOCAL_WATCHERS];
    size_t n_watchers;
    struct ty_map by_key, by_uid;
    uint64_t version;
    size_t bytes;
};

/* "Kind.group/ns/name" in a buffer of the caller's; too long a name finds nothing. */
struct ty_local_key {
    char text[640];
    size_t n;
};

struct ty_local_key ty_local_key(const struct ty_kind *kind, struct ty_str ns, struct ty_str name);
/* Or NULL. */
struct ty_local_entry *ty_local_entry(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name);
/* All watchers, after the change has been made. */
void ty_local_notify(struct ty_local *l, enum ty_stored_change what,
                     const struct ty_local_entry *e);
/* The next version of the store is e's; its text, of which meta is a part, is kept afterwards. */
void ty_local_bump_version(struct ty_local *l, struct ty_arena *a, struct ty_local_entry *e,
                           struct ty_json *meta);

/* Keeps obj as the text of e, in place of what it was. A child must have joined its parent. */
void ty_local_set_text(struct ty_local *l, struct ty_local_entry *e, const struct ty_json *obj);
/* takes e, which no map and no relative knows any more. */
void ty_local_entry_free(struct ty_local *l, struct ty_local_entry *e);

#endif
