/* What the files of the reflector share: reflector.c is the loop of lists and watches,
 * reflector_notify.c tells what is news in them. */
#ifndef TY_STORE_KUBE_REFLECTOR_INNER_H
#define TY_STORE_KUBE_REFLECTOR_INNER_H

#include "store/kube/kube_inner.h"
#include "store/kube/reflector.h"
#include "store/kube/reflector_index.h"

#define TY_REFLECTOR_OWN_WRITES 64 /* writes of our own whose events may still be under way */

struct ty_reflector {
    struct ty_kube *k;
    struct ty_reflector_opts want;
    char *strings; /* ns, labels, fields of want */
    struct ty_reflector_index known;
    uint32_t round;
    struct ty_kube_op *op; /* list or watch; NULL: a pause */
    uv_timer_t *timer;     /* of the pause; on the heap because libuv closes it later */
    struct ty_kube_backoff backoff;
    char version[64]; /* watch after this; "": list first */
    uint64_t last;    /* the same as a number, and after it was cleared */
    uint64_t most;    /* the greatest version that we have heard of, in answers to writes, too */
    uint64_t floor;   /* the same when the list began: a list is no older, unless the server was
                         restored from a backup */
    uint64_t newer;   /* the least version that we know of an object which this list has in an older
                           state; 0: none */
    int64_t watch_ms; /* when the watch began */
    bool heard;       /* the watch has said something */
    uint64_t echoes[TY_REFLECTOR_OWN_WRITES]; /* versions that ty_reflector_observe_write has told;
                                           the oldest is replaced */
    size_t next_echo;
    bool synced, absent;
    bool behind;      /* list or watch has failed, and the server has said nothing since */
    bool busy, freed; /* in a callback; it has freed us */
};

uint64_t ty_reflector_parse_version(struct ty_str version); /* 0: it is none */
void ty_reflector_destroy(struct ty_reflector *f);          /* takes; nobody is told any more */

/* Telling. False: the callback has freed us; the caller returns at once. */

bool ty_reflector_notify_state(struct ty_reflector *f, enum ty_reflector_state state,
                               const struct ty_kube_response *why, int64_t again_ms);
/* wrote: it is the answer to a write, which does not say that the running list has the object. */
bool ty_reflector_notify_object(struct ty_reflector *f, const struct ty_kube_object *o, bool wrote);
/* Takes e out of the set and says so; last: what is known of its last state, or NULL. */
bool ty_reflector_notify_deleted(struct ty_reflector *f, struct ty_reflector_entry *e,
                                 const struct ty_kube_object *last);
/* What a list of that version did not have is gone, unless we know of it only from a write that
 * came after it. */
bool ty_reflector_sweep(struct ty_reflector *f, struct ty_str version);

#endif
