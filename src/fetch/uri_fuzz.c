/* Any text: it is refused with a message, or its parts are as the sources expect; a name that
 * passes ty_safename_check stays in its directory. */
#include "fetch/safename.h"
#include "fetch/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static bool ends_plainly(const char *path)
{
    size_t n = strlen(path);
    return n == 0 || (path[0] != '/' && path[n - 1] != '/');
}

static void check_uri(const struct ty_uri *u)
{
    for (const char *c = u->shown; *c; c++)
        check((unsigned char)*c >= ' ');
    switch (u->scheme) {
    case TY_SCHEME_FILE:
        check(u->path[0] == '/');
        break;
    case TY_SCHEME_HTTP:
        check(u->path[0] || strstr(u->url, "%00")); /* a NUL ends it: the name is refused */
        check(strncmp(u->url, "http", 4) == 0 && !strchr(u->url, '#'));
        check(!u->sha256 || strspn(u->sha256, "0123456789abcdef") == 64);
        break;
    case TY_SCHEME_S3:
        check(u->bucket[0] && !strchr(u->bucket, '/') && ends_plainly(u->path));
        break;
    case TY_SCHEME_HF:
        check(u->repo[0] && strchr(u->repo, '/') == strrchr(u->repo, '/') &&
              !strstr(u->repo, "/.") && ends_plainly(u->path));
        check(!u->revision || !strchr(u->repo, '@'));
        break;
    }
}

static void check_name(struct ty_str name)
{
    if (ty_safename_check(name, NULL) < 0)
        return;
    check(name.n && name.p[0] != '/' && !memchr(name.p, '\0', name.n));
    check(!ty_str_contains(name, TY_LIT("/../")) && !ty_str_starts(name, TY_LIT("../")) &&
          !ty_str_ends(name, TY_LIT("/..")) && !ty_str_is(name, ".."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_err err = { 0 };
    struct ty_uri u;
    const char *text = ty_arena_strndup(a, (const char *)data, size);
    int r = ty_uri_parse(a, text, &u, &err);
    check((r < 0) == (err.text[0] != '\0'));
    if (r == 0)
        check_uri(&u);
    check_name((struct ty_str){ (const char *)data, size });
    return 0;
}
