/* Finds the runtime of a TrainJob: live, or its snapshot. */
#ifndef TY_TRAINER_RUNTIME_RESOLVE_H
#define TY_TRAINER_RUNTIME_RESOLVE_H

#include "trainer/plan.h"

struct ty_yaml_docs;

#define TY_RUNTIME_NAMES 256 /* candidates for "did you mean …?" */

/* By runtimeRef's group and kind; NULL: not supported. */
const struct ty_kind *ty_runtime_kind(const struct ty_trainjob *job);
/* "unsupported runtime: Kind.group" */
char *ty_runtime_unsupported(struct ty_arena *a, const struct ty_trainjob *job);
/* "did you mean …?" and the names that exist; NULL: none exist. */
const char *ty_runtime_hint(struct ty_arena *a, struct ty_str typed, const char *const *names,
                            size_t n);
/* The same for the runtimes that the job could reference. */
const char *ty_runtime_suggestions(struct ty_arena *a, const struct ty_trainjob *job,
                                   const struct ty_view *view);
/* The live runtime, or NULL. */
const struct ty_json *ty_runtime_live(const struct ty_trainjob *job, const struct ty_view *view);
/* If there is none: the reason why that is not certain (a read failed); NULL: it is certain. The
 * same for the job's snapshot. */
const char *ty_runtime_read_error(struct ty_arena *a, const struct ty_trainjob *job,
                                  const struct ty_view *view);
const char *ty_runtime_snapshot_read_error(struct ty_arena *a, const struct ty_trainjob *job,
                                           const struct ty_view *view);
/* Parses the text of a snapshot. Users may write ConfigMaps, so YAML aliases, which the operator
 * never writes, are refused: a megabyte with aliases can expand to gigabytes. */
int ty_runtime_snapshot_parse(struct ty_arena *a, struct ty_str text, struct ty_yaml_docs *ret,
                              struct ty_err *err);
/* The runtime from the job's snapshot: 0, TY_NOT_FOUND, or -errno for a snapshot of another owner
 * or with invalid text. */
int ty_runtime_snapshot_load(struct ty_arena *a, const struct ty_trainjob *job,
                             const struct ty_view *view, const struct ty_json **ret_runtime,
                             struct ty_err *err);
/* The snapshot if it exists, else the live runtime; then *ret_snapshot is the ConfigMap that must
 * be written before any other object, otherwise NULL. Errors have upstream's messages; -EAGAIN: it
 * is unknown whether the runtime exists. */
int ty_runtime_resolve(struct ty_arena *a, const struct ty_trainjob *job,
                       const struct ty_view *view, const struct ty_json **ret_runtime,
                       struct ty_json **ret_snapshot, struct ty_err *err);

#endif
