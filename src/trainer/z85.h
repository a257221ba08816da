/* Z85: ZeroMQ's text form of binary keys (RFC 32), 4 bytes to 5 characters, most significant first.
 */
#ifndef TY_TRAINER_Z85_H
#define TY_TRAINER_Z85_H

#include "base/arena.h"
#include "base/str.h"

/* Empty unless the length is a multiple of 4. NUL-terminated, lives with the arena. */
struct ty_str ty_z85_encode(struct ty_arena *a, const unsigned char *bytes, size_t n);

#endif
