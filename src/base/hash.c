/* SipHash with one compression round for each word and three finalization rounds: Aumasson and
 * Bernstein, "SipHash: a fast short-input PRF". The salt is the first word of the message. */
#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

/* The only global variable of src/base: passing the key would add a parameter to every table and
 * every comparison, and would change none of their results. Written once, before there is a second
 * thread. NOLINTNEXTLINE(*-avoid-non-const-global-variables) */
static uint64_t secret[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };

void ty_hash_seed(uint64_t k0, uint64_t k1)
{
    secret[0] = k0;
    secret[1] = k1;
}

struct sip_state {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline void sip_round(struct sip_state *s)
{
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
}

static inline struct sip_state sip_begin(void)
{
    return (struct sip_state){ secret[0] ^ 0x736f6d6570736575u, secret[1] ^ 0x646f72616e646f6du,
                               secret[0] ^ 0x6c7967656e657261u, secret[1] ^ 0x7465646279746573u };
}

static inline void sip_add(struct sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

static inline uint64_t sip_end(struct sip_state *s, uint64_t what)
{
    s->v2 ^= what;
    sip_round(s);
    sip_round(s);
    sip_round(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* The last bytes of a message, fewer than a word, in at most three steps: half of all messages are
 * names of about ten letters. */
static inline uint64_t sip_tail(const char *p, size_t n)
{
    uint64_t word = 0;
    uint32_t four;
    uint16_t two;
    unsigned at = 0;

    if (n & 4) {
        memcpy(&four, p, sizeof(four));
        word = four;
        at = 4;
    }
    if (n & 2) {
        memcpy(&two, p + at, sizeof(two));
        word |= (uint64_t)two << 8 * at;
        at += 2;
    }
    if (n & 1)
        word |= (uint64_t)(unsigned char)p[at] << 8 * at;
    return word;
}

uint64_t ty_hash_bytes(uint64_t salt, const char *p, size_t n)
{
    struct sip_state s = sip_begin();
    size_t i = 0;

    sip_add(&s, salt);
    for (uint64_t word = 0; n - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, p + i, sizeof(word));
        sip_add(&s, word);
    }
    sip_add(&s, (uint64_t)(n + sizeof(salt)) << 56 | (n > i ? sip_tail(p + i, n - i) : 0));
    return sip_end(&s, 0xff);
}

/* The length is constant and not hashed; another finalization constant distinguishes a pair from
 * sixteen bytes. */
uint64_t ty_hash_pair(uint64_t a, uint64_t b)
{
    struct sip_state s = sip_begin();

    sip_add(&s, a);
    sip_add(&s, b);
    return sip_end(&s, 0xee);
}
