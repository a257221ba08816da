/* Checksums from servers, verified while the bytes arrive (nettle). */
#ifndef TY_FETCH_DIGEST_H
#define TY_FETCH_DIGEST_H

#include <nettle/md5.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include "base/str.h"

enum ty_digest_type {
    TY_DIGEST_NONE,
    TY_DIGEST_SHA256,
    TY_DIGEST_GIT, /* git's blob hash: SHA-1 of "blob SIZE", NUL, content */
    TY_DIGEST_MD5,
};

struct ty_digest {
    enum ty_digest_type sum;
    union {
        struct sha256_ctx sha256;
        struct sha1_ctx sha1;
        struct md5_ctx md5;
    };
};
#define TY_DIGEST_HEX (2 * SHA256_DIGEST_SIZE + 1)

void ty_digest_init(struct ty_digest *d, enum ty_digest_type sum,
                    int64_t size); /* size: only for git */
void ty_digest_add(struct ty_digest *d, struct ty_str bytes);
int ty_digest_add_file(struct ty_digest *d, int fd, int64_t n); /* its first n bytes; -EIO: fewer */
/* Lower-case hex, "" for none; initialize the digest again before its next use. */
void ty_digest_hex(struct ty_digest *d, char ret_hex[TY_DIGEST_HEX]);
const char *ty_digest_name(enum ty_digest_type sum); /* for messages and tags */

#endif
