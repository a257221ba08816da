/* A hash table with one slot for each hash value. */
#include "serve/token_cache.h"

#include <nettle/memops.h>
#include <nettle/sha2.h>

/* The hash includes the audience: a token that is accepted for one job is not for another. */
static void hash_of(struct ty_str token, struct ty_str audience, uint8_t hash[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx h;
    uint64_t n =
        token.n; /* the length comes first, so that bytes cannot move between token and audience */

    sha256_init(&h);
    sha256_update(&h, sizeof(n), (const uint8_t *)&n);
    sha256_update(&h, token.n, (const uint8_t *)token.p);
    sha256_update(&h, audience.n, (const uint8_t *)audience.p);
    sha256_digest(&h, SHA256_DIGEST_SIZE, hash);
}

static size_t slot_of(const uint8_t hash[SHA256_DIGEST_SIZE])
{
    return (size_t)(hash[0] << 8 | hash[1]) % TY_TOKEN_CACHE_SLOTS;
}

void ty_token_cache_add(struct ty_token_cache *v, struct ty_str token, struct ty_str audience,
                        uint64_t now_ms, uint64_t for_ms)
{
    uint8_t hash[SHA256_DIGEST_SIZE];

    hash_of(token, audience, hash);
    struct ty_token_cache_slot *slot = &v->slot[slot_of(hash)];
    memcpy(slot->hash, hash, sizeof(hash));
    slot->until_ms = now_ms + for_ms;
}

static const struct ty_token_cache_slot *find_slot(const struct ty_token_cache *v,
                                                   struct ty_str token, struct ty_str audience)
{
    uint8_t hash[SHA256_DIGEST_SIZE];

    hash_of(token, audience, hash);
    const struct ty_token_cache_slot *slot = &v->slot[slot_of(hash)];
    return slot->until_ms && memeql_sec(slot->hash, hash, sizeof(hash)) ? slot : NULL;
}

bool ty_token_cache_has(const struct ty_token_cache *v, struct ty_str token, struct ty_str audience,
                        uint64_t now_ms)
{
    const struct ty_token_cache_slot *slot = find_slot(v, token, audience);

    return slot && now_ms < slot->until_ms;
}

bool ty_token_cache_had(const struct ty_token_cache *v, struct ty_str token, struct ty_str audience)
{
    return find_slot(v, token, audience) != NULL;
}
