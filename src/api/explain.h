/* The text of `trainyard explain`, from the schema tables, in the layout of `kubectl explain`. */
#ifndef TY_API_EXPLAIN_H
#define TY_API_EXPLAIN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* path: a kind, then fields, joined by dots: "trainjob.spec.trainer"; indexes ("[0]", "[]") are
 * allowed and ignored. recursive: the tree of all fields below, without descriptions. -ENOENT, with
 * the names that exist, if the path does not exist. */
int ty_explain(struct ty_buf *out, struct ty_str path, bool recursive, struct ty_err *err);

#endif
