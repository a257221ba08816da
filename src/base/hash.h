/* Keyed hashes (SipHash-1-3, as in the tables of Rust and Python). Equal bytes have equal hashes.
 * Other bytes have different ones with near certainty, even if a user tries to find a collision,
 * because the key is secret. Hashes are valid in this process only: they are not stored, sent or
 * printed, and no output may depend on their order. */
#ifndef TY_BASE_HASH_H
#define TY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Sets the key; main() does so once, before anything is hashed. Without it the key is a constant,
 * which makes tests repeatable. */
void ty_hash_seed(uint64_t k0, uint64_t k1);

/* Hash of `salt` and the bytes; p may be NULL if n is 0. */
uint64_t ty_hash_bytes(uint64_t salt, const char *p, size_t n);
/* Hash of two numbers in this order, to combine hashes. */
uint64_t ty_hash_pair(uint64_t a, uint64_t b);

#endif
