/* The changes that one pass of the local engine wants: objects, events, the next pass. */
#ifndef TY_ENGINE_CHANGES_H
#define TY_ENGINE_CHANGES_H

#include "api/kind.h"
#include "json/errs.h"
#include "json/json.h"

enum ty_change_op { TY_CHANGE_CREATE, TY_CHANGE_UPDATE, TY_CHANGE_STATUS, TY_CHANGE_DELETE };
struct ty_change {
    enum ty_change_op op;
    const struct ty_kind *kind;
    struct ty_json *obj;    /* the whole object for CREATE and UPDATE, with .status for STATUS */
    struct ty_str ns, name; /* of it */
    struct ty_change *next;
};
struct ty_pending_event {                /* an event about the object of the pass */
    const char *type, *reason, *message; /* "Normal" or "Warning" */
    struct ty_pending_event *next;
};
struct ty_changes {
    struct ty_arena *arena;
    struct ty_change *first, *last;
    struct ty_pending_event *events, *last_event;
    int64_t requeue_ms; /* requeue after so long; -1: when something changes */
};
void ty_changes_init(struct ty_changes *c, struct ty_arena *a);
void ty_changes_add(struct ty_changes *c, enum ty_change_op op, const struct ty_kind *kind,
                    struct ty_json *obj);
void ty_changes_delete(struct ty_changes *c, const struct ty_kind *kind, struct ty_str ns,
                       struct ty_str name);
void ty_changes_event(struct ty_changes *c, const char *type, const char *reason, const char *fmt,
                      ...) TY_PRINTF(4, 5);
/* The earliest time of all calls counts. */
void ty_changes_requeue_after(struct ty_changes *c, int64_t ms);

#endif
