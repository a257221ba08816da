/* The table of nghttp2's functions. */
#include "net/nghttp2.h"
#include "net/dl.h"

static const char *const files[] = { "libnghttp2.so.14", NULL };

#define FN(name) { "nghttp2_" #name, offsetof(struct ty_nghttp2, name) },
static const struct ty_dl_fn fns[] = { { "nghttp2_strerror", offsetof(struct ty_nghttp2, why) },
                                       TY_NGHTTP2_EACH(FN) };

static const struct ty_dl nghttp2 = { files, "HTTP/2 needs nghttp2", "libnghttp2-14", fns,
                                      TY_COUNT(fns) };

int ty_nghttp2_load(struct ty_nghttp2 *n, struct ty_err *err)
{
    return ty_dl_load(&nghttp2, &n->lib, n, err);
}

void ty_nghttp2_done(struct ty_nghttp2 *n)
{
    ty_dl_close(n->lib);
    *n = (struct ty_nghttp2){ 0 };
}
