/* Finds GnuTLS's functions by name. */
#include "net/gnutls.h"
#include "net/dl.h"

static int find_all(struct ty_gnutls *g, struct ty_err *err)
{
    int r = ty_dl_find(g->lib, "gnutls_strerror", &g->why, err);
#define FIND(name)                                                                                 \
    if (r == 0)                                                                                    \
        r = ty_dl_find(g->lib, "gnutls_" #name, &g->name, err);
    TY_GNUTLS_EACH(FIND)
#undef FIND
    return r;
}

int ty_gnutls_load(struct ty_gnutls *g, struct ty_err *err)
{
    static const char *const names[] = { "libgnutls.so.30", NULL };
    struct ty_gnutls found = { 0 };
    int r = ty_dl_open(&found.lib, names, "TLS needs GnuTLS", "libgnutls30", err);

    if (r == 0)
        r = find_all(&found, err);
    if (r < 0) {
        ty_dl_close(found.lib);
        return r;
    }
    *g = found;
    return 0;
}

void ty_gnutls_done(struct ty_gnutls *g)
{
    ty_dl_close(g->lib);
    *g = (struct ty_gnutls){ 0 };
}
