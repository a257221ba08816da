/* Finds nghttp2's functions by name. */
#include "net/nghttp2.h"
#include "net/dl.h"

static int find_all(struct ty_nghttp2 *n, struct ty_err *err)
{
    int r = ty_dl_find(n->lib, "nghttp2_strerror", &n->why, err);
#define FIND(name)                                                                                 \
    if (r == 0)                                                                                    \
        r = ty_dl_find(n->lib, "nghttp2_" #name, &n->name, err);
    TY_NGHTTP2_EACH(FIND)
#undef FIND
    return r;
}

int ty_nghttp2_load(struct ty_nghttp2 *n, struct ty_err *err)
{
    static const char *const names[] = { "libnghttp2.so.14", NULL };
    struct ty_nghttp2 found = { 0 };
    int r = ty_dl_open(&found.lib, names, "HTTP/2 needs nghttp2", "libnghttp2-14", err);

    if (r == 0)
        r = find_all(&found, err);
    if (r < 0) {
        ty_dl_close(found.lib);
        return r;
    }
    *n = found;
    return 0;
}

void ty_nghttp2_done(struct ty_nghttp2 *n)
{
    ty_dl_close(n->lib);
    *n = (struct ty_nghttp2){ 0 };
}
