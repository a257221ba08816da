/* Finds libmicrohttpd's functions by name. */
#include "net/microhttpd.h"
#include "net/dl.h"

static int find_all(struct ty_mhd *m, struct ty_err *err)
{
    int r = 0;
#define FIND(name)                                                                                 \
    if (r == 0)                                                                                    \
        r = ty_dl_find(m->lib, "MHD_" #name, &m->name, err);
    TY_MHD_EACH(FIND)
#undef FIND
    return r;
}

int ty_mhd_load(struct ty_mhd *m, struct ty_err *err)
{
    static const char *const names[] = { "libmicrohttpd.so.12", NULL };
    struct ty_mhd found = { 0 };
    int r =
        ty_dl_open(&found.lib, names, "serving HTTP needs libmicrohttpd", "libmicrohttpd12", err);

    if (r == 0)
        r = find_all(&found, err);
    if (r < 0) {
        ty_dl_close(found.lib);
        return r;
    }
    *m = found;
    return 0;
}

void ty_mhd_done(struct ty_mhd *m)
{
    ty_dl_close(m->lib);
    *m = (struct ty_mhd){ 0 };
}
