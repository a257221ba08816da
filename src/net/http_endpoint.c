#include "net/http_endpoint.h"

#include <stdlib.h>

#include "net/http_client.h"

static bool put_host(struct ty_str from, char host[static 256], char port[static 8])
{
    struct ty_str name = from, number = TY_LIT("443");
    if (!from.p)
        return false;
    const char *colon = memrchr(from.p, ':', from.n), *bracket = memrchr(from.p, ']', from.n);

    if (colon && (!bracket || colon > bracket)) {
        name.n = (size_t)(colon - from.p);
        number = (struct ty_str){ colon + 1, from.n - name.n - 1 };
    }
    if (name.n > 2 && name.p[0] == '[' && name.p[name.n - 1] == ']')
        name = (struct ty_str){ name.p + 1, name.n - 2 };
    if (name.n == 0 || name.n >= 256 || number.n == 0 || number.n >= 8)
        return false;
    memcpy(host, name.p, name.n);
    memcpy(port, number.p, number.n);
    host[name.n] = port[number.n] = '\0';
    return true;
}

bool ty_http_endpoint_parse(struct ty_http_endpoint *to, const char *url,
                            const struct ty_http_client_peer *peer)
{
    static const char scheme[] = "https://";
    const char *elsewhere = peer ? peer->to : NULL;
    const char *from = url + sizeof(scheme) - 1;

    if (strncmp(url, scheme, sizeof(scheme) - 1) != 0)
        return false;
    size_t n = strcspn(from, "/?#");
    if (memchr(from, '@', n) || n >= sizeof(to->authority) || from[n] != '/')
        return false;
    memcpy(to->authority, from, n);
    to->authority[n] = '\0';
    to->path = from + n;
    if (!put_host(ty_str(to->authority), to->name, to->port))
        return false;
    memcpy(to->host, to->name, sizeof(to->host));
    return !elsewhere || put_host(ty_str(elsewhere), to->host, to->port);
}

bool ty_http_endpoint_is_proxied(const struct ty_http_client_peer *peer)
{
    static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };
    if (peer && peer->proxy)
        return peer->proxy[0] != '\0';
    for (size_t i = 0; i < TY_COUNT(names); i++) {
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here sets the environment */
        const char *proxy = getenv(names[i]);
        if (proxy && proxy[0])
            return true;
    }
    return false;
}
