#include "fetch/digest.h"
#include "base/buf.h"

#include <errno.h>
#include <unistd.h>

#define READ_BYTES ((size_t)1 << 20)

const char *ty_digest_name(enum ty_digest_type sum)
{
    static const char *const names[] = {
        [TY_DIGEST_NONE] = "none",
        [TY_DIGEST_SHA256] = "sha256",
        [TY_DIGEST_GIT] = "git",
        [TY_DIGEST_MD5] = "md5",
    };
    return names[sum];
}

void ty_digest_init(struct ty_digest *d, enum ty_digest_type sum, int64_t size)
{
    d->sum = sum;
    if (sum == TY_DIGEST_SHA256) {
        sha256_init(&d->sha256);
    } else if (sum == TY_DIGEST_MD5) {
        md5_init(&d->md5);
    } else if (sum == TY_DIGEST_GIT) {
        char head[32];
        int n = snprintf(head, sizeof(head), "blob %lld", (long long)size);
        sha1_init(&d->sha1);
        sha1_update(&d->sha1, (size_t)n + 1, (const uint8_t *)head); /* including its NUL */
    }
}

void ty_digest_add(struct ty_digest *d, struct ty_str bytes)
{
    const uint8_t *p = (const uint8_t *)bytes.p;
    if (d->sum == TY_DIGEST_SHA256)
        sha256_update(&d->sha256, bytes.n, p);
    else if (d->sum == TY_DIGEST_GIT)
        sha1_update(&d->sha1, bytes.n, p);
    else if (d->sum == TY_DIGEST_MD5)
        md5_update(&d->md5, bytes.n, p);
}

int ty_digest_add_file(struct ty_digest *d, int fd, int64_t n)
{
    ty_auto_buf buf = { 0 };
    ty_buf_grow(&buf, READ_BYTES);
    for (int64_t at = 0; at < n;) {
        size_t most = n - at < (int64_t)READ_BYTES ? (size_t)(n - at) : READ_BYTES;
        ssize_t got = pread(fd, buf.p, most, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        ty_digest_add(d, (struct ty_str){ buf.p, (size_t)got });
        at += got;
    }
    return 0;
}

void ty_digest_hex(struct ty_digest *d, char ret_hex[TY_DIGEST_HEX])
{
    uint8_t raw[SHA256_DIGEST_SIZE];
    size_t n = 0;
    if (d->sum == TY_DIGEST_SHA256) {
        n = SHA256_DIGEST_SIZE;
        sha256_digest(&d->sha256, n, raw);
    } else if (d->sum == TY_DIGEST_GIT) {
        n = SHA1_DIGEST_SIZE;
        sha1_digest(&d->sha1, n, raw);
    } else if (d->sum == TY_DIGEST_MD5) {
        n = MD5_DIGEST_SIZE;
        md5_digest(&d->md5, n, raw);
    }
    for (size_t i = 0; i < n; i++) {
        ret_hex[2 * i] = "0123456789abcdef"[raw[i] >> 4];
        ret_hex[2 * i + 1] = "0123456789abcdef"[raw[i] & 15];
    }
    ret_hex[2 * n] = '\0';
}
