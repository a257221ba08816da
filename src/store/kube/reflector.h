/* All objects of a kind, for as long as you like: a list, then watches from there on, through
 * closed watches, restarted servers and 410. Keeps no objects: only which there are, in about a
 * hundred bytes each, so that a new list can tell what has gone meanwhile and what has not changed.
 *
 *            +---- 410, 400, 504, or silence -----+
 *            v                                    |
 *   new -> list ---> SYNCED ---> watch ---> ends: watch again from the last version
 *            | fails: TROUBLE, again later     | fails: TROUBLE, again later
 *            | 404: ABSENT, again later        | 404: list
 *
 * Each object is told once a state: never the same resourceVersion of it twice, never backwards,
 * unless the server itself goes back, restored from a backup, and a list says so.
 * Callbacks come from the loop, and from ty_reflector_observe_write. They may free the reflector
 * they belong to. */
#ifndef TY_STORE_KUBE_REFLECTOR_H
#define TY_STORE_KUBE_REFLECTOR_H

#include "store/kube/kube.h"

struct ty_reflector;
#define TY_REFLECTOR_ABSENT_MS 30000 /* it may be installed one day */

enum ty_reflector_change { TY_REFLECTOR_ADDED, TY_REFLECTOR_MODIFIED, TY_REFLECTOR_DELETED };
enum ty_reflector_state {
    TY_REFLECTOR_SYNCED, /* every object of a list has been told; comes after each list */
    TY_REFLECTOR_ABSENT, /* the server does not serve the kind: all its objects have been told GONE.
                          Told once, until it is there, and again after TROUBLE */
    TY_REFLECTOR_FAILED, /* list or watch failed; again after `again_ms` */
};
struct ty_reflector_opts {
    struct ty_kube_selector which;
    int page; /* as in ty_kube_list */
    int64_t
        absent_ms; /* when to ask again for a kind that is not served; 0: TY_REFLECTOR_ABSENT_MS */
    /* o: borrowed. GONE: json and text may be NULL and empty, when a list told us; the names and
     * the uid are always there. An object that was replaced by another of its name is GONE, then
     * ADDED.
     */
    void (*changed)(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o);
    /* why: NULL when SYNCED. May be NULL. */
    void (*state)(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                  int64_t again_ms);
    void *ctx;
};

/* gives. Copies want, except kind, which outlives it. Begins at once. */
struct ty_reflector *ty_reflector_new(struct ty_kube *k, const struct ty_reflector_opts *want);
void ty_reflector_free(struct ty_reflector *f);         /* takes; NULL is fine; before its client */
bool ty_reflector_synced(const struct ty_reflector *f); /* a list was complete; true ever after, but
                                                       for ABSENT */
size_t ty_reflector_count(const struct ty_reflector *f); /* objects that are there */
/* Do not wait for the end of a back-off: something says that it may work now. */
void ty_reflector_retry_now(struct ty_reflector *f);
/* Whether there may be news that have not reached us: a list or a watch has failed, and none has
 * told anything since. A watch that is fine is behind by moments. */
bool ty_reflector_is_stale(const struct ty_reflector *f);
/* Lists again, now: SYNCED, ABSENT or TROUBLE follow. Not from within its callbacks. */
void ty_reflector_relist(struct ty_reflector *f);
/* The answer to a write of our own: `changed` is called from here, so that it is known before the
 * next pass, and what the watch says later about the same version is not told again. Older than
 * what is known, or deleted since: ignored. What a list that is under way turns out not to have,
 * although it is younger than the answer, is GONE at its end. */
void ty_reflector_observe_write(struct ty_reflector *f, const struct ty_kube_object *o);

#endif
