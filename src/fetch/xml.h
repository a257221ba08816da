/* Parses the XML responses of object stores. No DTDs, so only XML's five entities and numeric ones;
 * namespaces and attributes are ignored. */
#ifndef TY_FETCH_XML_H
#define TY_FETCH_XML_H

#include "base/err.h"
#include "base/str.h"

/* Called at the end of each element: `path` is "ListBucketResult/Contents/Key", `text` the text
 * since the last tag; both are borrowed for the call. A negative result stops the parser. */
typedef int ty_xml_fn(void *ctx, const char *path, struct ty_str text, struct ty_err *err);

int ty_xml_parse(struct ty_str xml, ty_xml_fn *fn, void *ctx, struct ty_err *err);

#endif
