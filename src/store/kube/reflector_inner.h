/* Shared by the files of the reflector: reflector.c is the loop of lists and watches,
 * reflector_notify.c reports changes. */
#ifndef TY_STORE_KUBE_REFLECTOR_INNER_H
#define TY_STORE_KUBE_REFLECTOR_INNER_H

#include "store/kube/kube_inner.h"
#include "store/kube/reflector.h"

struct ty_reflector {
    struct ty_kube *k;
    struct ty_reflector_opts want;
    char *strings;                 /* ns, labels, fields of want */
    struct ty_object_table *table; /* want.table, or own */
    struct ty_object_table own;    /* identities of the objects */
    uint32_t round;
    struct ty_kube_op *op; /* list or watch; NULL: pausing */
    uv_timer_t *timer;     /* of the pause, or of a watch's silence; on the heap, because libuv
                              closes it later */
    struct ty_kube_backoff backoff;
    char version[64]; /* watch from here; "": list first */
    uint64_t last;    /* the same as a number; kept after version was cleared */
    uint64_t most;    /* the greatest known version, including responses to writes */
    uint64_t floor;   /* the value of `most` when the list began: a list is not older, unless the
                         server was restored from a backup */
    uint64_t newer; /* the smallest known version of an object that this list has in an older state;
                       0: none */
    int64_t watch_ms; /* when the watch began */
    int64_t heard_ms; /* … and delivered the last event */
    bool heard;       /* the watch has delivered something */
    bool listed;      /* the watch began where a list has ended: the server knows the version */
    bool synced, absent;
    bool behind;      /* list or watch failed, and nothing has arrived since */
    bool busy, freed; /* a callback is running; it has freed the reflector */
};

uint64_t ty_reflector_parse_version(struct ty_str version); /* 0: not a number */
void ty_reflector_destroy(struct ty_reflector *f);          /* takes; no more callbacks */
struct ty_object_entry *ty_reflector_find(const struct ty_reflector *f, struct ty_str ns,
                                          struct ty_str name); /* NULL: it is not known */

/* Calls a callback. False: it has freed the reflector; the caller returns at once. */

bool ty_reflector_notify_state(struct ty_reflector *f, enum ty_reflector_state state,
                               const struct ty_kube_response *why, int64_t again_ms);
/* wrote: from the response to a write, which does not imply that the running list has the object.
 */
bool ty_reflector_notify_object(struct ty_reflector *f, const struct ty_kube_object *o, bool wrote);
/* o: its last state, or only its identity. */
bool ty_reflector_notify_deleted(struct ty_reflector *f, const struct ty_kube_object *o);
/* Reports objects that a list of that version did not have as DELETED, unless they are known only
 * from a later write. */
bool ty_reflector_sweep(struct ty_reflector *f, struct ty_str version);

#endif
