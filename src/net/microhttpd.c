/* The table of libmicrohttpd's functions. */
#include "net/microhttpd.h"
#include "net/dl.h"

static const char *const files[] = { "libmicrohttpd.so.12", NULL };

#define FN(name) { "MHD_" #name, offsetof(struct ty_microhttpd, name) },
static const struct ty_dl_fn fns[] = { TY_MICROHTTPD_EACH(FN) };

static const struct ty_dl microhttpd = { files, "serving HTTP needs libmicrohttpd",
                                         "libmicrohttpd12", fns, TY_COUNT(fns) };

int ty_microhttpd_load(struct ty_microhttpd *m, struct ty_err *err)
{
    return ty_dl_load(&microhttpd, &m->lib, m, err);
}

void ty_microhttpd_done(struct ty_microhttpd *m)
{
    ty_dl_close(m->lib);
    *m = (struct ty_microhttpd){ 0 };
}
