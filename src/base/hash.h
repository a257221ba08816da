/* Numbers that stand for bytes: equal bytes have equal numbers, others all but surely not. For this
 * process only: they are neither stored nor sent, nor proof against somebody who looks for two
 * texts of one number. */
#ifndef TY_BASE_HASH_H
#define TY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TY_HASH_SEED 0x9e3779b97f4a7c15u

/* Every bit of h matters to every bit of the answer; no two have the same. */
static inline uint64_t ty_hash_mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

/* Eight bytes at a time; p may be NULL where n is 0. */
static inline uint64_t ty_hash_bytes(uint64_t h, const char *p, size_t n)
{
    uint64_t word = 0;
    size_t i = 0;

    for (; n - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, p + i, sizeof(word));
        h = (h ^ word) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    for (word = 0; i < n; i++)
        word = word << 8 | (unsigned char)p[i];
    return ty_hash_mix((h ^ word) * 0xd6e8feb86659fd93u ^ n);
}

#endif
