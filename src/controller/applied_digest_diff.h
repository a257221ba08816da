/* The fields that an apply would change, by path: the readable form of what applied_digest.h
 * compares. */
#ifndef TY_CONTROLLER_APPLIED_DIGEST_DIFF_H
#define TY_CONTROLLER_APPLIED_DIGEST_DIFF_H

#include "api/schema.h"

struct ty_field_path;

struct ty_field_change {
    struct ty_field_change *next;
    const char *path;          /* "spec.replicatedJobs[node].template.spec.backoffLimit" */
    const struct ty_json *was; /* NULL: it would be added */
    const struct ty_json *now; /* NULL: it would be removed */
};
struct ty_field_changes {
    struct ty_field_change *first, *last;
    size_t n;
};

/* Appends; path is copied into the arena, the values are borrowed. */
void ty_applied_digest_diff_add(struct ty_arena *a, struct ty_field_changes *list,
                                const struct ty_field_path *at, const struct ty_json *was,
                                const struct ty_json *now);

struct ty_applied_digest_diff_in {
    const struct ty_schema *schema; /* of the whole object; as in applied_digest.h, NULL is fine */
    const struct ty_json *wanted;   /* what would be applied */
    const struct ty_json *filled;   /* the same with the server's defaults in it */
    const struct ty_json *live;     /* with its managedFields */
    const char *manager;
};
/* Reports fields that are wanted and have another value, or none; and fields that only the
 * manager owns and no longer wants. Fields of other managers are ignored. Everything lives with
 * the arena. */
void ty_applied_digest_diff(struct ty_arena *a, const struct ty_applied_digest_diff_in *in,
                            struct ty_field_changes *ret);

#endif
