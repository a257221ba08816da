#include "trainer/sshkey.h"

#include <gmp.h>
#include <nettle/bignum.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/sha2.h>

#include "base/base64.h"
#include "base/buf.h"

#define COORD 66 /* bytes of a P-521 number */
#define POINT (1 + 2 * COORD)

/* Random bytes for nettle: SHA-512 over label, counter and entropy, block after block. */
struct entropy_stream {
    const unsigned char *entropy;
    size_t n;
    uint64_t counter;
};

static void stream_read(void *ctx, size_t n, uint8_t *out)
{
    static const char label[] = "trainyard mpi ssh key 1";
    struct entropy_stream *s = ctx;

    while (n > 0) {
        struct sha512_ctx h;
        uint8_t block[SHA512_DIGEST_SIZE], count[8];
        size_t take = n < sizeof(block) ? n : sizeof(block);
        for (int i = 0; i < 8; i++)
            count[i] = (uint8_t)(s->counter >> (56 - 8 * i));
        s->counter++;
        sha512_init(&h);
        sha512_update(&h, sizeof(label), (const uint8_t *)label);
        sha512_update(&h, sizeof(count), count);
        sha512_update(&h, s->n, s->entropy);
        sha512_digest(&h, sizeof(block), block);
        memcpy(out, block, take);
        explicit_bzero(block, sizeof(block));
        out += take;
        n -= take;
    }
}

/* Generates the private number and the public point, uncompressed. */
static void make_numbers(struct entropy_stream *s, uint8_t secret[COORD], uint8_t point[POINT])
{
    struct ecc_scalar d;
    struct ecc_point q;
    mpz_t x, y;

    ecc_scalar_init(&d, nettle_get_secp_521r1());
    ecc_point_init(&q, nettle_get_secp_521r1());
    mpz_init(x);
    mpz_init(y);
    ecc_scalar_random(&d, s, stream_read);
    ecc_point_mul_g(&q, &d);
    ecc_point_get(&q, x, y);
    point[0] = 4;
    nettle_mpz_get_str_256(COORD, point + 1, x);
    nettle_mpz_get_str_256(COORD, point + 1 + COORD, y);
    ecc_scalar_get(&d, x);
    nettle_mpz_get_str_256(COORD, secret, x);
    mpz_clear(x);
    mpz_clear(y);
    ecc_point_clear(&q);
    ecc_scalar_clear(&d);
}

/* SEC 1: SEQUENCE { 1, OCTET STRING d, [0] secp521r1, [1] BIT STRING Q }. All lengths are known. */
static struct ty_str private_pem_of(struct ty_arena *a, const uint8_t *secret, const uint8_t *point)
{
    static const uint8_t head[] = { 0x30, 0x81, 0xdc, 0x02, 0x01, 0x01, 0x04, COORD };
    static const uint8_t curve[] = { 0xa0, 0x07, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23 };
    static const uint8_t pub[] = { 0xa1, 0x81, 0x89, 0x03, 0x81, 1 + POINT, 0x00 };
    ty_auto_buf der = { 0 }, out = { 0 };

    ty_buf_put(&der, head, sizeof(head));
    ty_buf_put(&der, secret, COORD);
    ty_buf_put(&der, curve, sizeof(curve));
    ty_buf_put(&der, pub, sizeof(pub));
    ty_buf_put(&der, point, POINT);
    struct ty_str text = ty_base64_encode(a, ty_buf_str(&der));
    ty_buf_cstr(&out, "-----BEGIN EC PRIVATE KEY-----\n");
    for (size_t i = 0; i < text.n; i += 64) {
        ty_buf_put(&out, text.p + i, text.n - i < 64 ? text.n - i : 64);
        ty_buf_chr(&out, '\n');
    }
    ty_buf_cstr(&out, "-----END EC PRIVATE KEY-----\n");
    return ty_arena_str(a, ty_buf_str(&out));
}

static void put_string(struct ty_buf *out, const void *p, size_t n)
{
    uint8_t len[4] = { 0, 0, (uint8_t)(n >> 8), (uint8_t)n };

    ty_buf_put(out, len, sizeof(len));
    ty_buf_put(out, p, n);
}

static struct ty_str authorized_line(struct ty_arena *a, const uint8_t *point)
{
    static const char type[] = "ecdsa-sha2-nistp521", curve[] = "nistp521";
    ty_auto_buf wire = { 0 }, out = { 0 };

    put_string(&wire, type, sizeof(type) - 1);
    put_string(&wire, curve, sizeof(curve) - 1);
    put_string(&wire, point, POINT);
    ty_buf_printf(&out, "%s %s\n", type, ty_base64_encode(a, ty_buf_str(&wire)).p);
    return ty_arena_str(a, ty_buf_str(&out));
}

void ty_sshkey_generate(struct ty_arena *a, const unsigned char *entropy, size_t n,
                        struct ty_sshkey *ret_key)
{
    struct entropy_stream s = { .entropy = entropy, .n = n };
    uint8_t secret[COORD], point[POINT];

    make_numbers(&s, secret, point);
    ret_key->private_pem = private_pem_of(a, secret, point);
    ret_key->public_line = authorized_line(a, point);
    explicit_bzero(secret, sizeof(secret));
}
