#include "net/url.h"

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

char *ty_url_encode(struct ty_arena *a, struct ty_str s, const char *keep)
{
    static const char hex[] = "0123456789ABCDEF";
    char *out = ty_arena_raw(a, 3 * s.n + 1, 1), *to = out;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (is_unreserved(c) || (c && strchr(keep, c))) {
            *to++ = c;
            continue;
        }
        *to++ = '%';
        *to++ = hex[(unsigned char)c >> 4];
        *to++ = hex[(unsigned char)c & 15];
    }
    *to = '\0';
    return out;
}

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct ty_str ty_url_decode(struct ty_arena *a, struct ty_str s)
{
    char *out = ty_arena_raw(a, s.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool escape = s.p[i] == '%' && s.n - i > 2;
        int high = escape ? hex_of(s.p[i + 1]) : -1, low = escape ? hex_of(s.p[i + 2]) : -1;
        if (high >= 0 && low >= 0)
            i += 2;
        out[n++] = high >= 0 && low >= 0 ? (char)(high * 16 + low) : s.p[i];
    }
    out[n] = '\0';
    return (struct ty_str){ out, n };
}

char *ty_url_redacted(struct ty_arena *a, struct ty_str url)
{
    struct ty_str head, path;
    (void)ty_str_cut(url, '#', &head);
    (void)ty_str_cut(head, '?', &head);
    const char *slashes = head.n > 2 ? memmem(head.p, head.n, "://", 3) : NULL;
    if (!slashes)
        return ty_arena_cstr(a, head);
    size_t scheme = (size_t)(slashes - head.p) + 3;
    struct ty_str host;
    path = ty_str_cut((struct ty_str){ head.p + scheme, head.n - scheme }, '/', &host);
    for (size_t i = host.n; i > 0; i--) /* the last '@' ends the user part */
        if (host.p[i - 1] == '@') {
            host = (struct ty_str){ host.p + i, host.n - i };
            break;
        }
    return ty_arena_printf(a, "%.*s%.*s%s%.*s", (int)scheme, head.p, TY_ARG(host),
                           path.p ? "/" : "", TY_ARG(path));
}

static bool is_of_host(char c)
{
    return (is_unreserved(c) && c != '~') || c == ':' || c == '[' || c == ']';
}

/* The port of an authority: what follows the colon, unless that belongs to an IPv6 address. */
static struct ty_str port_of(struct ty_str *host)
{
    for (size_t i = host->n; i > 0 && host->p[i - 1] != ']'; i--)
        if (host->p[i - 1] == ':') {
            struct ty_str port = { host->p + i, host->n - i };
            host->n = i - 1;
            return port;
        }
    return (struct ty_str){ NULL, 0 };
}

char *ty_url_origin(struct ty_arena *a, struct ty_str url)
{
    const struct ty_str schemes[] = { TY_LIT("https://"), TY_LIT("http://") };
    uint64_t ports[] = { 443, 80 };
    size_t k = 0;
    while (k < 2 && (url.n < schemes[k].n || strncasecmp(url.p, schemes[k].p, schemes[k].n) != 0))
        k++;
    if (k == 2)
        return NULL;
    struct ty_str host = { url.p + schemes[k].n, 0 };
    size_t most = url.n - schemes[k].n;
    while (host.n < most && !memchr("/?#", host.p[host.n], 3))
        host.n++;
    for (size_t i = 0; i < host.n; i++)
        if (!is_of_host(host.p[i]))
            return NULL;
    struct ty_str port = port_of(&host);
    if (host.n == 0 || (port.n && (!ty_str_parse_u64(port, &ports[k]) || ports[k] > UINT16_MAX)))
        return NULL;
    char *out = ty_arena_printf(a, "%s%.*s:%u", schemes[k].p, TY_ARG(host), (unsigned)ports[k]);
    for (char *c = out; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c | 0x20);
    return out;
}
