/* nghttp2, loaded with the first HTTP/2 connection (see net/curl.h). If libcurl is used, it has
 * loaded nghttp2 already. */
#ifndef TY_NET_NGHTTP2_H
#define TY_NET_NGHTTP2_H

#include "base/err.h"
#include <nghttp2/nghttp2.h>

#define TY_NGHTTP2_EACH(X)                                                                         \
    X(session_callbacks_new)                                                                       \
    X(session_callbacks_del)                                                                       \
    X(session_callbacks_set_on_header_callback)                                                    \
    X(session_callbacks_set_on_data_chunk_recv_callback)                                           \
    X(session_callbacks_set_on_frame_recv_callback)                                                \
    X(session_callbacks_set_on_frame_send_callback)                                                \
    X(session_callbacks_set_on_stream_close_callback)                                              \
    X(session_client_new)                                                                          \
    X(session_del)                                                                                 \
    X(session_mem_recv)                                                                            \
    X(session_mem_send)                                                                            \
    X(session_want_read)                                                                           \
    X(session_want_write)                                                                          \
    X(session_check_request_allowed)                                                               \
    X(session_set_local_window_size)                                                               \
    X(session_get_stream_user_data)                                                                \
    X(session_get_remote_settings)                                                                 \
    X(submit_settings)                                                                             \
    X(submit_request)                                                                              \
    X(submit_rst_stream)                                                                           \
    X(http2_strerror)

struct ty_nghttp2 {
    void *lib;               /* NULL: not loaded */
    const char *(*why)(int); /* error number to text */
#define TY_NGHTTP2_MEMBER(name) __typeof__(&nghttp2_##name) name;
    TY_NGHTTP2_EACH(TY_NGHTTP2_MEMBER)
#undef TY_NGHTTP2_MEMBER
};

/* -ENOENT with a message if the library is not installed or too old. */
int ty_nghttp2_load(struct ty_nghttp2 *n, struct ty_err *err);
void ty_nghttp2_done(struct ty_nghttp2 *n); /* a zeroed struct is fine */

#endif
