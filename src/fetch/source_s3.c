/* s3://bucket/prefix: the objects below a prefix, listed page by page (ListObjectsV2). */
#include "fetch/list_request.h"
#include "fetch/xml.h"
#include "net/url.h"

#include <errno.h>

#define PAGE_CEILING ((size_t)1 << 30) /* a response has at most 32 MB */
#define ETAG_MAX     ((size_t)512)

struct page { /* of a listing */
    struct ty_fetch_run *run;
    struct ty_arena *arena; /* for one response */
    const char *base;       /* URL of the bucket */
    char *key, *etag;       /* of the current object */
    int64_t size;
    bool truncated;
    char *token; /* of the next page */
};

/* The ETag of an object that was uploaded in one part is its MD5: 32 hex digits in quotes. */
static const char *md5_of(struct ty_arena *a, const char *etag)
{
    if (strlen(etag) != 34 || etag[0] != '"' || etag[33] != '"' ||
        strspn(etag + 1, "0123456789abcdef") != 32)
        return NULL;
    return ty_arena_strndup(a, etag + 1, 32);
}

/* Treats the prefix as a directory: "data" means data and data/x, never data2/x. NULL: outside. */
static const char *name_below(const char *prefix, const char *key)
{
    size_t n = strlen(prefix);
    if (n == 0)
        return key;
    if (strncmp(prefix, key, n) != 0)
        return NULL;
    if (!key[n]) {
        const char *slash = strrchr(key, '/');
        return slash ? slash + 1 : key;
    }
    if (key[n] != '/')
        return NULL;
    key += n;
    while (*key == '/')
        key++;
    return key;
}

static int add_object(struct page *p, struct ty_err *err)
{
    struct ty_arena *a = p->run->arena;
    if (!p->key || p->size < 0)
        return ty_fail(err, -EBADMSG, "%s: the listing holds an object without name or size",
                       p->run->uri.shown);
    if (p->etag && strlen(p->etag) > ETAG_MAX)
        return ty_fail(err, -EBADMSG, "%s: the listing holds an ETag of %zu bytes",
                       p->run->uri.shown, strlen(p->etag));
    size_t n = strlen(p->key);
    const char *name = name_below(p->run->uri.path, p->key);
    if (!name || (p->size == 0 && n && p->key[n - 1] == '/'))
        return 0; /* outside, or the marker of an empty directory */
    const char *etag = p->etag ? p->etag : "", *md5 = md5_of(a, etag);
    const struct ty_fetch_item item = {
        .name = name,
        .url = ty_arena_printf(a, "%s/%s", p->base, ty_url_encode(a, ty_str(p->key), "/")),
        .size = p->size,
        .sum = md5 ? TY_DIGEST_MD5 : TY_DIGEST_NONE,
        .hex = md5,
        .tag = ty_arena_printf(a, "etag:%s:%lld", etag, (long long)p->size),
        .etag = *etag ? etag : NULL,
    };
    return ty_fetch_run_add(p->run, p->key, &item, err);
}

static int read_element(void *ctx, const char *path, struct ty_str text, struct ty_err *err)
{
    struct page *p = ctx;
    struct ty_arena *a = p->run->arena;
    uint64_t size;
    if (strcmp(path, "ListBucketResult/Contents/Key") == 0)
        p->key = ty_arena_cstr(a, text);
    else if (strcmp(path, "ListBucketResult/Contents/ETag") == 0)
        p->etag = ty_arena_cstr(a, text);
    else if (strcmp(path, "ListBucketResult/Contents/Size") == 0)
        p->size =
            ty_str_parse_u64(ty_str_trim(text), &size) && size <= INT64_MAX ? (int64_t)size : -1;
    else if (strcmp(path, "ListBucketResult/IsTruncated") == 0)
        p->truncated = ty_str_is(text, "true");
    else if (strcmp(path, "ListBucketResult/NextContinuationToken") == 0)
        p->token = ty_arena_cstr(a, text);
    else if (strcmp(path, "ListBucketResult/Contents") == 0) {
        int r = add_object(p, err);
        p->key = p->etag = NULL;
        p->size = -1;
        return r;
    }
    return 0;
}

/* The signature covers the query, whose names must be sorted. */
static char *page_url(const struct page *p)
{
    struct ty_arena *a = p->arena;
    const char *token = p->token ? ty_url_encode(a, ty_str(p->token), "") : NULL;
    return ty_arena_printf(a, "%s?%s%s%slist-type=2&prefix=%s", p->base,
                           token ? "continuation-token=" : "", token ? token : "", token ? "&" : "",
                           ty_url_encode(a, ty_str(p->run->uri.path), ""));
}

static int read_page(struct page *p, struct ty_err *err)
{
    struct ty_fetch_run *run = p->run;
    struct ty_list_response reply;
    ty_arena_reset(p->arena);
    int r = ty_list_request(run, p->arena, page_url(p), &reply, err);
    if (r < 0)
        return r;
    if (reply.status != 200)
        return ty_fetch_run_refused(run, run->uri.shown, reply.status, reply.words, err);
    p->truncated = false;
    p->token = NULL;
    r = ty_xml_parse(reply.body, read_element, p, err);
    if (r < 0)
        return ty_wrap(err, "%s", run->uri.shown);
    if (p->truncated && !p->token)
        return ty_fail(err, -EBADMSG, "%s: the listing ends in its middle", run->uri.shown);
    return 0;
}

/* S3 requires the hash of the body in the signed headers; the body is always empty. */
#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Sets the signing key of this run. */
static void prepare_key(struct ty_fetch_run *run)
{
    const struct ty_fetch_opts *o = run->opts;
    struct ty_arena *a = run->arena;
    if (!o->key_id) {
        run->hint = "the request was not signed: set ACCESS_KEY_ID and SECRET_ACCESS_KEY";
        return;
    }
    struct ty_aws_key *key = ty_new(a, struct ty_aws_key);
    const char **headers = ty_new_n(a, const char *, 3);
    *key = (struct ty_aws_key){ o->key_id, o->secret, o->region, "s3" };
    headers[0] = "x-amz-content-sha256: " EMPTY_SHA256;
    if (o->session)
        headers[1] = ty_arena_printf(a, "x-amz-security-token: %s", o->session);
    run->peer.key = key;
    run->headers = headers;
    run->hint = "check ACCESS_KEY_ID, SECRET_ACCESS_KEY and REGION";
}

/* The URL of the bucket, with its name in the path, which works with every store, including
 * Amazon's. */
static char *bucket_url(const struct ty_fetch_run *run)
{
    struct ty_arena *a = run->arena;
    struct ty_str end = ty_str(run->opts->s3 ? run->opts->s3 : "");
    while (end.n && end.p[end.n - 1] == '/')
        end.n--;
    if (end.n == 0)
        end = ty_str(ty_arena_printf(a, "https://s3.%s.amazonaws.com", run->opts->region));
    return ty_arena_printf(a, "%s%.*s/%s", memmem(end.p, end.n, "://", 3) ? "" : "https://",
                           TY_ARG(end), run->uri.bucket);
}

static int list_s3(struct ty_fetch_run *run, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new_input(PAGE_CEILING, NULL);
    struct page p = {
        .run = run, .arena = a, .base = bucket_url(run), .size = -1, .truncated = true
    };
    prepare_key(run);
    while (p.truncated) {
        int r = read_page(&p, err);
        if (r < 0)
            return r;
    }
    return 0;
}

const struct ty_fetch_source ty_source_s3 = { .scheme = TY_SCHEME_S3,
                                              .http = true,
                                              .list = list_s3 };
