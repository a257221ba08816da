/* Reads the XML that object stores answer with. No DTDs, so no entities but the five of XML and
 * numbers; namespaces and attributes are passed over. */
#ifndef TY_FETCH_XML_H
#define TY_FETCH_XML_H

#include "base/err.h"
#include "base/str.h"

/* Called where an element ends: `path` is "ListBucketResult/Contents/Key", `text` what stood
 * between this end and the last tag before it; both are borrowed for the call. Negative stops. */
typedef int ty_xml_fn(void *ctx, const char *path, struct ty_str text, struct ty_err *err);

int ty_xml_parse(struct ty_str xml, ty_xml_fn *fn, void *ctx, struct ty_err *err);

#endif
