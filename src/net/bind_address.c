#include "net/bind_address.h"

#include <string.h>

#include "base/str.h"

const char *ty_bind_address_parse(struct ty_arena *a, const char *text, const char **ret_host,
                                  int *ret_port)
{
    const char *colon = text ? strrchr(text, ':') : NULL;
    int64_t port = 0;

    *ret_host = NULL;
    *ret_port = -1;
    if (!text || !text[0] || strcmp(text, "0") == 0)
        return NULL;
    if (!colon || !ty_str_parse_i64(ty_str(colon + 1), &port) || port < 0 || port > 65535)
        return "must be HOST:PORT or :PORT, or \"0\" for none";
    size_t n = (size_t)(colon - text);
    bool brackets = n >= 2 && text[0] == '[' && text[n - 1] == ']';
    if (!brackets && memchr(text, ':', n))
        return "write an IPv6 address in brackets, as in [::1]:8080";
    if (brackets)
        *ret_host = ty_arena_strndup(a, text + 1, n - 2);
    else if (n > 0)
        *ret_host = ty_arena_strndup(a, text, n);
    *ret_port = (int)port;
    return NULL;
}
