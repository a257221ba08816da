/* Percent-encoding, and URLs for messages. */
#ifndef TY_NET_URL_H
#define TY_NET_URL_H

#include "base/arena.h"
#include "base/str.h"

/* RFC 3986: escapes every byte except unreserved ones and those in `keep`, as AWS signatures
 * require. Lives with the arena. */
char *ty_url_encode(struct ty_arena *a, struct ty_str s, const char *keep);
/* The inverse; a '%' without two hex digits is kept. The result may contain any byte, also NUL. */
struct ty_str ty_url_decode(struct ty_arena *a, struct ty_str s);
/* Without user, password, query and fragment, which may contain keys and signatures. */
char *ty_url_redacted(struct ty_arena *a, struct ty_str url);
/* "https://host:443": the normalized origin, equal for two URLs of one server. NULL: not http or
 * https, or an authority that parsers may interpret differently (a user, an escape, a space); such
 * a URL equals no other. Lives with the arena. */
char *ty_url_origin(struct ty_arena *a, struct ty_str url);

#endif
