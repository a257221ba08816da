/* The endpoint of a URL that can be reached directly: over TLS, without a proxy. */
#ifndef TY_NET_HTTP_ENDPOINT_H
#define TY_NET_HTTP_ENDPOINT_H

#include <stdbool.h>

#define TY_HTTP_ENDPOINT_AUTHORITY 300

struct ty_http_client_peer;

struct ty_http_endpoint {
    char host[256], port[8];                    /* to connect to */
    char name[256];                             /* the expected name in the certificate */
    char authority[TY_HTTP_ENDPOINT_AUTHORITY]; /* "host:port" as in the URL */
    const char *path;                           /* in the URL */
};

/* False: not https, or not of the form https://host[:port]/path. */
bool ty_http_endpoint_parse(struct ty_http_endpoint *ret, const char *url,
                            const struct ty_http_client_peer *peer);
/* By the peer's setting or else by the environment; libcurl evaluates no_proxy. */
bool ty_http_endpoint_is_proxied(const struct ty_http_client_peer *peer);

#endif
