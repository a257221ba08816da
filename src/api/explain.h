/* What a field is for, from the tables: the text of `trainyard explain`, laid out as kubectl does.
 */
#ifndef TY_API_EXPLAIN_H
#define TY_API_EXPLAIN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* path: a kind, then fields, joined by dots: "trainjob.spec.trainer"; places in lists ("[0]", "[]")
 * are allowed and ignored. recursive: the whole tree of names below, without descriptions.
 * -ENOENT with a sentence that names what exists when the path leads nowhere. */
int ty_explain(struct ty_buf *out, struct ty_str path, bool recursive, struct ty_err *err);

#endif
