#include "serve/servers_address.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

int ty_address_parse(struct ty_arena *a, const char *field, const char *text, const char **ret_host,
                     int *ret_port, struct ty_err *err)
{
    const char *colon = text ? strrchr(text, ':') : NULL;
    int64_t port = 0;

    *ret_host = NULL;
    *ret_port = -1;
    if (!text || !text[0] || strcmp(text, "0") == 0)
        return 0;
    if (!colon || !ty_parse_i64(ty_str(colon + 1), &port) || port < 0 || port > 65535)
        return ty_fail(err, -EINVAL, "%s: \"%s\" is not HOST:PORT", field, text);
    size_t n = (size_t)(colon - text);
    bool brackets = n >= 2 && text[0] == '[' && text[n - 1] == ']';
    if (!brackets && memchr(text, ':', n))
        return ty_fail(err, -EINVAL, "%s: \"%s\": write an IPv6 address in brackets", field, text);
    if (brackets)
        *ret_host = ty_arena_strndup(a, text + 1, n - 2);
    else if (n > 0)
        *ret_host = ty_arena_strndup(a, text, n);
    *ret_port = (int)port;
    return 0;
}
