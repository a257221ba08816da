/* Claims: the directories that stand in for PersistentVolumeClaims, STATE/claims/NAME. A run that
 * uses one has a shared lock on it (engine/mount_points.h). */
#ifndef TY_CLI_HISTORY_CLAIMS_H
#define TY_CLI_HISTORY_CLAIMS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strlist.h"
#include "json/json.h"

struct ty_claim {
    const char *name, *path;
    int64_t created_s;
    bool in_use; /* by a run */
};
/* All of them by name; live with the arena. No directory: none. */
int ty_claims_list(struct ty_arena *a, struct ty_claim **ret, size_t *ret_n, struct ty_err *err);
int ty_claims_find(struct ty_arena *a, const char *name); /* 0, or TY_NOT_FOUND */
/* TY_NOT_FOUND: there is none of that name. -EBUSY: a run uses it. */
int ty_claims_remove(struct ty_arena *a, const char *name, struct ty_err *err);
/* Calls fn for each claim that the JobSet mounts. for_job: it was created for this JobSet by its
 * volumeClaimPolicies; with_job: and goes with it (whenDeleted: Delete). */
typedef void ty_claims_fn(void *ctx, const char *name, bool for_job, bool with_job);
void ty_claims_each(struct ty_arena *a, const struct ty_json *jobset, ty_claims_fn *fn, void *ctx);

#endif
