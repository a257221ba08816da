/* Shared by the files of the embedded store: local.c holds and finds objects and notifies
 * watchers, local_write.c and local_delete.c change them. */
#ifndef TY_STORE_LOCAL_LOCAL_INNER_H
#define TY_STORE_LOCAL_LOCAL_INNER_H

#include "base/map.h"
#include "store/local/local.h"
#include "store/local/managed_fields.h"

struct ty_local_entry {
    struct ty_stored pub; /* first: a ty_stored is its entry */
    char *strings;
    char *text; /* the object as JSON, n_text bytes */
    size_t n_text, cap_text;
    struct ty_managed_fields *applied;        /* of each manager; NULL: never applied */
    struct ty_local_entry *parent, *children; /* the stored owner; the first child */
    struct ty_local_entry *next, *prev;       /* siblings */
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
};

/* "Kind.group/ns/name" in the caller's buffer; cut off if it is longer, which no key of valid names
 * is. */
struct ty_local_key {
    char text[640];
    size_t n;
};

struct ty_local_key ty_local_key(const struct ty_kind *kind, struct ty_str ns, struct ty_str name);
/* Or NULL. */
struct ty_local_entry *ty_local_entry(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name);
/* Calls all watchers, after a change. */
void ty_local_notify(struct ty_local *l, enum ty_stored_change what,
                     const struct ty_local_entry *e);
/* Gives e the next version of the store and writes it to meta; the caller stores the text
 * afterwards. */
void ty_local_bump_version(struct ty_local *l, struct ty_arena *a, struct ty_local_entry *e,
                           struct ty_json *meta);

/* Replaces the text of e by obj. */
void ty_local_set_text(struct ty_local_entry *e, const struct ty_json *obj);
/* takes e, which must be in no map and have no relatives any more. */
void ty_local_entry_free(struct ty_local_entry *e);

#endif
