/* libmicrohttpd, loaded with the first server (see net/curl.h). */
#ifndef TY_NET_MICROHTTPD_H
#define TY_NET_MICROHTTPD_H

#include "base/err.h"
#include <microhttpd.h>

#define TY_MICROHTTPD_EACH(X)                                                                      \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(quiesce_daemon)                                                                              \
    X(run)                                                                                         \
    X(get_timeout)                                                                                 \
    X(get_daemon_info)                                                                             \
    X(get_connection_info)                                                                         \
    X(suspend_connection)                                                                          \
    X(resume_connection)                                                                           \
    X(get_connection_values)                                                                       \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)

struct ty_microhttpd {
    void *lib; /* NULL: not loaded */
#define TY_MICROHTTPD_MEMBER(name) __typeof__(&MHD_##name) name;
    TY_MICROHTTPD_EACH(TY_MICROHTTPD_MEMBER)
#undef TY_MICROHTTPD_MEMBER
};

/* -ENOENT with a message if the library is not installed or too old. */
int ty_microhttpd_load(struct ty_microhttpd *m, struct ty_err *err);
void ty_microhttpd_done(struct ty_microhttpd *m); /* a zeroed struct is fine */

#endif
