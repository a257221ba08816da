/* libmicrohttpd by its functions' names. */
#include "net/microhttpd.h"
#include "net/dl.h"

static const char *const files[] = { "libmicrohttpd.so.12", NULL };

#define FN(name) { "MHD_" #name, offsetof(struct ty_mhd, name) },
static const struct ty_dl_fn fns[] = { TY_MHD_EACH(FN) };

static const struct ty_dl microhttpd = { files, "serving HTTP needs libmicrohttpd",
                                         "libmicrohttpd12", fns, sizeof(fns) / sizeof(fns[0]) };

int ty_mhd_load(struct ty_mhd *m, struct ty_err *err)
{
    return ty_dl_load(&microhttpd, &m->lib, m, err);
}

void ty_mhd_done(struct ty_mhd *m)
{
    ty_dl_close(m->lib);
    *m = (struct ty_mhd){ 0 };
}
