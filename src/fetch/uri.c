/* Parses STORAGE_URI, one function for each scheme. */
#include "fetch/uri.h"
#include "net/url.h"

#include <errno.h>

static struct ty_str rest_of(struct ty_str s, size_t skip)
{
    return (struct ty_str){ s.p + skip, s.n - skip };
}

static struct ty_str strip_slashes(struct ty_str s)
{
    while (s.n && s.p[0] == '/')
        s = rest_of(s, 1);
    while (s.n && s.p[s.n - 1] == '/')
        s.n--;
    return s;
}

/* A host of "." or ".." makes the path relative, for manifests beside their data. */
static int parse_file(struct ty_arena *a, struct ty_str rest, struct ty_uri *u, struct ty_err *err)
{
    struct ty_str host, path = ty_str_cut(rest, '/', &host);
    bool relative = ty_str_is(host, ".") || ty_str_is(host, "..");
    if (!path.p || (host.n && !relative && !ty_str_is(host, "localhost")))
        return ty_fail(err, -EINVAL,
                       "%s: a file URI has three slashes, file:///folder/name, or begins with a "
                       "dot: file://./name",
                       u->shown);
    struct ty_str plain =
        ty_url_decode(a, relative ? rest : (struct ty_str){ path.p - 1, path.n + 1 });
    if (memchr(plain.p, '\0', plain.n))
        return ty_fail(err, -EINVAL, "%s: the path holds a NUL byte", u->shown);
    u->path = plain.p;
    return 0;
}

/* "#sha256=…": the expected checksum, as package managers write it. */
static int parse_fragment(struct ty_arena *a, struct ty_str fragment, struct ty_uri *u,
                          struct ty_err *err)
{
    if (fragment.n == 0)
        return 0;
    if (!ty_str_starts(fragment, TY_LIT("sha256=")) || fragment.n != 7 + 64)
        return ty_fail(err, -EINVAL, "%s: after '#' only sha256= and 64 hex digits may follow",
                       u->shown);
    char *hex = ty_arena_strndup(a, fragment.p + 7, 64);
    for (char *c = hex; *c; c++) {
        if (*c >= 'A' && *c <= 'F')
            *c = (char)(*c | 0x20);
        if (!strchr("0123456789abcdef", *c))
            return ty_fail(err, -EINVAL, "%s: '%c' in the sha256 is no hex digit", u->shown, *c);
    }
    u->sha256 = hex;
    return 0;
}

static int parse_http(struct ty_arena *a, struct ty_str all, struct ty_str rest, struct ty_uri *u,
                      struct ty_err *err)
{
    struct ty_str url, host, path, fragment = ty_str_cut(all, '#', &url);
    (void)ty_str_cut(rest, '#', &rest);
    (void)ty_str_cut(rest, '?', &rest);
    path = ty_str_cut(rest, '/', &host);
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
    struct ty_str name = slash ? rest_of(path, (size_t)(slash - path.p) + 1) : path;
    if (host.n == 0)
        return ty_fail(err, -EINVAL, "%s: names no host", u->shown);
    if (name.n == 0)
        return ty_fail(err, -EINVAL, "%s: names no file: the last part of the path is empty",
                       u->shown);
    u->path = ty_url_decode(a, name).p;
    u->url = ty_arena_cstr(a, url);
    return parse_fragment(a, fragment, u, err);
}

static int parse_s3(struct ty_arena *a, struct ty_str rest, struct ty_uri *u, struct ty_err *err)
{
    struct ty_str bucket, prefix = ty_str_cut(rest, '/', &bucket);
    if (bucket.n == 0)
        return ty_fail(err, -EINVAL, "%s: names no bucket: s3://bucket/prefix", u->shown);
    for (size_t i = 0; i < bucket.n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_",
                    bucket.p[i]))
            return ty_fail(err, -EINVAL, "%s: '%.*s' is no name of a bucket", u->shown,
                           TY_ARG(bucket));
    u->bucket = ty_arena_cstr(a, bucket);
    u->path = ty_arena_cstr(a, strip_slashes(prefix));
    return 0;
}

/* A revision ends at the next slash, except the Hub's refs/pr/N and refs/convert/NAME. */
static size_t revision_end(struct ty_str s)
{
    struct ty_str head, tail = ty_str_cut(s, '/', &head);
    if (!ty_str_is(head, "refs") || !tail.p)
        return head.n;
    struct ty_str kind, name, more = ty_str_cut(tail, '/', &kind);
    if (!more.p || !(ty_str_is(kind, "pr") || ty_str_is(kind, "convert")))
        return head.n;
    (void)ty_str_cut(more, '/', &name);
    return head.n + 1 + kind.n + 1 + name.n;
}

static bool is_repo_name(struct ty_str s)
{
    if (s.n == 0 || s.n > 96 || s.p[0] == '.' || s.p[0] == '-')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", s.p[i]))
            return false;
    return true;
}

static int parse_hf(struct ty_arena *a, struct ty_str rest, struct ty_uri *u, struct ty_err *err)
{
    if (ty_str_starts(rest, TY_LIT("spaces/")))
        return ty_fail(err, -EINVAL, "%s: spaces are neither models nor datasets", u->shown);
    u->datasets = ty_str_starts(rest, TY_LIT("datasets/"));
    if (u->datasets)
        rest = rest_of(rest, strlen("datasets/"));
    rest = strip_slashes(rest);

    /* owner/name up to the second slash or the '@', whichever comes first */
    size_t end = 0, slashes = 0;
    for (; end < rest.n && rest.p[end] != '@'; end++)
        if (rest.p[end] == '/' && ++slashes == 2)
            break;
    struct ty_str repo = { rest.p, end }, name, owner;
    rest = rest_of(rest, end);
    name = ty_str_cut(repo, '/', &owner);
    if (!is_repo_name(owner) || (name.p && !is_repo_name(name)))
        return ty_fail(err, -EINVAL, "%s: '%.*s' is no repository: hf://owner/name", u->shown,
                       TY_ARG(repo));
    u->repo = ty_arena_cstr(a, repo);
    if (rest.n && rest.p[0] == '@') {
        rest = rest_of(rest, 1);
        size_t n = revision_end(rest);
        if (n == 0)
            return ty_fail(err, -EINVAL, "%s: no revision follows the '@'", u->shown);
        u->revision = ty_url_decode(a, (struct ty_str){ rest.p, n }).p;
        rest = rest_of(rest, n);
    }
    u->path = ty_arena_cstr(a, strip_slashes(rest));
    return 0;
}

static int parse_known(struct ty_arena *a, struct ty_str all, struct ty_str scheme,
                       struct ty_str rest, struct ty_uri *u, struct ty_err *err)
{
    if (ty_str_is(scheme, "file")) {
        u->scheme = TY_SCHEME_FILE;
        return parse_file(a, rest, u, err);
    }
    if (ty_str_is(scheme, "http") || ty_str_is(scheme, "https")) {
        u->scheme = TY_SCHEME_HTTP;
        return parse_http(a, all, rest, u, err);
    }
    if (ty_str_is(scheme, "s3")) {
        u->scheme = TY_SCHEME_S3;
        return parse_s3(a, rest, u, err);
    }
    if (ty_str_is(scheme, "hf")) {
        u->scheme = TY_SCHEME_HF;
        return parse_hf(a, rest, u, err);
    }
    if (ty_str_is(scheme, "cache"))
        return ty_fail(err, -ENOTSUP,
                       "%s: cache:// starts a distributed cache on a Kubernetes cluster; it cannot "
                       "be fetched to this machine",
                       u->shown);
    return ty_fail(err, -EINVAL, "%s: '%.*s' is not one of hf, s3, http, https, file", u->shown,
                   TY_ARG(scheme));
}

int ty_uri_parse(struct ty_arena *a, const char *text, struct ty_uri *ret, struct ty_err *err)
{
    struct ty_str all = ty_str_trim(ty_str(text));
    const char *at = all.n > 2 ? memmem(all.p, all.n, "://", 3) : NULL;
    if (all.n == 0)
        return ty_fail(err, -EINVAL, "the URI is empty");
    for (size_t i = 0; i < all.n; i++)
        if ((unsigned char)all.p[i] < ' ' || all.p[i] == 0x7f)
            return ty_fail(err, -EINVAL, "the URI holds a control character");
    struct ty_uri u = { .shown = ty_url_redacted(a, all) };
    if (!at)
        return ty_fail(err, -EINVAL, "%s: has no scheme (did you mean %s://%s?)", u.shown,
                       all.p[0] == '/' ? "file" : "hf", u.shown);
    struct ty_str scheme = { all.p, (size_t)(at - all.p) };
    int r = parse_known(a, all, scheme, rest_of(all, scheme.n + 3), &u, err);
    if (r == 0)
        *ret = u;
    return r;
}
