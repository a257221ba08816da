/* libcurl, loaded with the first request. If linked, it would add thirty libraries and eleven
 * milliseconds to every start of the program, and most starts use no network. */
#ifndef TY_NET_CURL_H
#define TY_NET_CURL_H

#include "base/err.h"
#include <curl/curl.h>

#define TY_CURL_EACH(X)                                                                            \
    X(global_init)                                                                                 \
    X(global_cleanup)                                                                              \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_header)                                                                                 \
    X(easy_strerror)                                                                               \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(multi_init)                                                                                  \
    X(multi_cleanup)                                                                               \
    X(multi_setopt)                                                                                \
    X(multi_add_handle)                                                                            \
    X(multi_remove_handle)                                                                         \
    X(multi_info_read)                                                                             \
    X(multi_socket_action)

struct ty_curl {
    void *lib; /* NULL: not loaded */
#define TY_CURL_MEMBER(name) __typeof__(&curl_##name) name;
    TY_CURL_EACH(TY_CURL_MEMBER)
#undef TY_CURL_MEMBER
};

/* Loads and initializes it. -ENOENT with a message if the library is not installed or too old. */
int ty_curl_load(struct ty_curl *c, struct ty_err *err);
void ty_curl_done(struct ty_curl *c); /* a zeroed struct is fine */

#endif
