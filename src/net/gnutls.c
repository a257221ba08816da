/* The table of GnuTLS functions. */
#include "net/gnutls.h"
#include "net/dl.h"

static const char *const files[] = { "libgnutls.so.30", NULL };

#define FN(name) { "gnutls_" #name, offsetof(struct ty_gnutls, name) },
static const struct ty_dl_fn fns[] = { { "gnutls_strerror", offsetof(struct ty_gnutls, why) },
                                       TY_GNUTLS_EACH(FN) };

static const struct ty_dl gnutls = { files, "TLS needs GnuTLS", "libgnutls30", fns, TY_COUNT(fns) };

int ty_gnutls_load(struct ty_gnutls *g, struct ty_err *err)
{
    return ty_dl_load(&gnutls, &g->lib, g, err);
}

void ty_gnutls_done(struct ty_gnutls *g)
{
    ty_dl_close(g->lib);
    *g = (struct ty_gnutls){ 0 };
}
