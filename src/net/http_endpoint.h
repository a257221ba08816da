/* Where a request goes, if it can go straight there: over TLS, without a proxy. */
#ifndef TY_NET_HTTP_ENDPOINT_H
#define TY_NET_HTTP_ENDPOINT_H

#include <stdbool.h>

#define TY_HTTP_ENDPOINT_AUTHORITY 300

struct ty_http_client_peer;

struct ty_http_endpoint {
    char host[256], port[8];                    /* to connect to */
    char name[256];                             /* whose the certificate must be */
    char authority[TY_HTTP_ENDPOINT_AUTHORITY]; /* "host:port" as the URL has it */
    const char *path;                           /* in the URL */
};

/* False: not https, or not of the plain form https://host[:port]/path. */
bool ty_http_endpoint_parse(struct ty_http_endpoint *ret, const char *url,
                            const struct ty_http_client_peer *peer);
/* By the peer's word or, without one, by the environment's; whether no_proxy makes an exception is
 * for libcurl to find out. */
bool ty_http_endpoint_is_proxied(const struct ty_http_client_peer *peer);

#endif
