/* Numbers that stand for bytes: equal bytes have equal numbers, others all but surely not, even if
 * somebody looks for such others, because the numbers depend on a secret key (SipHash-1-3, the
 * keyed hash that Rust's and Python's tables use). They are for this process only: neither stored
 * nor sent nor printed, and no output may depend on their order. */
#ifndef TY_BASE_HASH_H
#define TY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The secret, once, before anything is hashed: main() draws it. Without a call it is a fixed one,
 * so that tests repeat. */
void ty_hash_seed(uint64_t k0, uint64_t k1);

/* Of `salt` and the bytes; p may be NULL where n is 0. */
uint64_t ty_hash_bytes(uint64_t salt, const char *p, size_t n);
/* Of two numbers, in this order: to hash what is made of parts. */
uint64_t ty_hash_pair(uint64_t a, uint64_t b);

#endif
