/* Which runtime a TrainJob means. */
#ifndef TY_TRAINER_RUNTIME_RESOLVE_H
#define TY_TRAINER_RUNTIME_RESOLVE_H

#include "trainer/plan.h"

struct ty_yaml_docs;

#define TY_RUNTIME_NAMES 256 /* among which the one that was meant is looked for */

/* By runtimeRef's group and kind; NULL: not a kind we support. */
const struct ty_kind *ty_runtime_kind(const struct ty_trainjob *job);
/* "unsupported runtime: Kind.group" */
char *ty_runtime_unsupported(struct ty_arena *a, const struct ty_trainjob *job);
/* Which of these names was probably meant, and what there is; NULL: there is nothing. */
const char *ty_runtime_hint(struct ty_arena *a, struct ty_str typed, const char *const *names,
                            size_t n);
/* The same of what the job's runtimeRef could have named. */
const char *ty_runtime_suggestions(struct ty_arena *a, const struct ty_trainjob *job,
                                   const struct ty_view *view);
/* The runtime as it is now, or NULL. */
const struct ty_json *ty_runtime_live(const struct ty_trainjob *job, const struct ty_view *view);
/* When there is none: why that is not certain, as a sentence; NULL: it is. The same of the job's
 * snapshot. */
const char *ty_runtime_read_error(struct ty_arena *a, const struct ty_trainjob *job,
                                  const struct ty_view *view);
const char *ty_runtime_snapshot_read_error(struct ty_arena *a, const struct ty_trainjob *job,
                                           const struct ty_view *view);
/* The text of a snapshot. Anybody may write a ConfigMap: aliases, which no operator writes, are not
 * taken, because with them a megabyte means any number of gigabytes. */
int ty_runtime_snapshot_parse(struct ty_arena *a, struct ty_str text, struct ty_yaml_docs *ret,
                              struct ty_err *err);
/* The runtime as it was when the job began: 0, TY_NOT_FOUND, or -errno for a snapshot that is not
 * ours or not readable. */
int ty_runtime_snapshot_load(struct ty_arena *a, const struct ty_trainjob *job,
                             const struct ty_view *view, const struct ty_json **ret_runtime,
                             struct ty_err *err);
/* The snapshot if there is one, else the live runtime; then *ret_snapshot is the ConfigMap to write
 * before anything else, otherwise NULL. Errors in upstream's words; -EAGAIN: whether there is one
 * cannot be said now. */
int ty_runtime_resolve(struct ty_arena *a, const struct ty_trainjob *job,
                       const struct ty_view *view, const struct ty_json **ret_runtime,
                       struct ty_json **ret_snapshot, struct ty_err *err);

#endif
