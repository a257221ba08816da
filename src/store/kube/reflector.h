/* Reports all objects of a kind and their changes: a list, then watches from its version on, across
 * closed watches, server restarts and 410 Gone. A table of names, uids and versions shows which
 * versions are news, and after a new list what was deleted in the meantime: the caller's, in which
 * `changed` stores objects and from which it deletes them, or one of the reflector's own.
 *
 *            +---- 410, 400, 504, or silence -----+
 *            v                                    |
 *   new -> list ---> SYNCED ---> watch ---> ends: watch again from the last version
 *            | fails: FAILED, retry later      | fails: FAILED, retry later
 *            | 404: ABSENT, retry later        | 404: list
 *
 * Each state of an object is reported once: never the same resourceVersion twice (they are
 * numbers; one that is not is always reported), and never an older one, unless the server was
 * restored from a backup and a list shows it. Callbacks come from the loop, and from
 * ty_reflector_observe_write. They may free their reflector.
 */
#ifndef TY_STORE_KUBE_REFLECTOR_H
#define TY_STORE_KUBE_REFLECTOR_H

#include "store/kube/kube.h"
#include "store/kube/object_table.h"

struct ty_reflector;
#define TY_REFLECTOR_ABSENT_MS 30000 /* the kind may be installed later */

enum ty_reflector_change { TY_REFLECTOR_ADDED, TY_REFLECTOR_MODIFIED, TY_REFLECTOR_DELETED };
enum ty_reflector_state {
    TY_REFLECTOR_SYNCED, /* every object of a list was reported; follows each list */
    TY_REFLECTOR_ABSENT, /* the server does not serve the kind: all its objects were reported
                            DELETED. Reported once, and again after FAILED */
    TY_REFLECTOR_FAILED, /* list or watch failed; retried after `again_ms` */
};
struct ty_reflector_opts {
    struct ty_kube_selector which;
    int page;          /* as in ty_kube_list */
    int64_t absent_ms; /* interval of retries for a kind that is not served; 0:
                          TY_REFLECTOR_ABSENT_MS */
    /* The caller's table, which outlives the reflector. An object that `changed` does not store in
     * it is reported again by each list. NULL: the reflector's own. */
    struct ty_object_table *table;
    /* o: borrowed. DELETED: json and text may be NULL and empty, if a list showed the deletion;
     * name and uid are always set. An object that was replaced by another of the same name is
     * DELETED, then ADDED. */
    void (*changed)(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o);
    /* why: NULL if SYNCED. May be NULL. */
    void (*state)(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                  int64_t again_ms);
    void *ctx;
};

/* gives. Copies want, except kind, which outlives it. Starts at once. */
struct ty_reflector *ty_reflector_new(struct ty_kube *k, const struct ty_reflector_opts *want);
void ty_reflector_free(struct ty_reflector *f); /* takes; NULL is fine; before its client */
bool ty_reflector_synced(
    const struct ty_reflector *f); /* a list was complete; stays true, except after ABSENT */
/* Ends a back-off: the caller has reason to believe that the server works again. */
void ty_reflector_retry_now(struct ty_reflector *f);
/* Whether changes may be missing: a list or a watch failed, and nothing has arrived since. A
 * working watch is only moments behind. */
bool ty_reflector_is_stale(const struct ty_reflector *f);
/* Lists again now, unless a list is in progress: SYNCED, ABSENT or FAILED follows. Not from its own
 * callbacks. */
void ty_reflector_relist(struct ty_reflector *f);
/* The response to a write of this process: calls `changed`, so that the result is known before the
 * next pass, and the watch event of the same version is not reported again. Ignored if it is older
 * than the known version, or deleted since. If a list in progress does not have the object although
 * the list is newer than the response, the object is DELETED at its end. */
void ty_reflector_observe_write(struct ty_reflector *f, const struct ty_kube_object *o);

#endif
