/* Percent-encoding, and addresses as people may see them. */
#ifndef TY_NET_URL_H
#define TY_NET_URL_H

#include "base/arena.h"
#include "base/str.h"

/* RFC 3986 with every byte escaped but the unreserved ones and those in `keep`: the form that AWS
 * signatures are made of. Lives with the arena. */
char *ty_url_encode(struct ty_arena *a, struct ty_str s, const char *keep);
/* The inverse; a '%' that no two hex digits follow stays. Bytes may become anything, NUL too. */
struct ty_str ty_url_decode(struct ty_arena *a, struct ty_str s);
/* Without user, password, query and fragment, where keys and signatures stand. */
char *ty_url_redacted(struct ty_arena *a, struct ty_str url);
/* "https://host:443": what two addresses of one server have in common, in one spelling. NULL: not
 * http or https, or an authority that parsers may disagree about (a user, an escape, a space): such
 * an address is the same as no other. Lives with the arena. */
char *ty_url_origin(struct ty_arena *a, struct ty_str url);

#endif
