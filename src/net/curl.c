/* The table of libcurl's functions. */
#include "net/curl.h"
#include "net/dl.h"

#include <errno.h>

/* The GnuTLS variant first: GnuTLS is the TLS library of this program. The other variant has the
 * same functions and is used if only that is installed. */
static const char *const flavours[] = { "libcurl-gnutls.so.4", "libcurl.so.4", NULL };

#define FN(name) { "curl_" #name, offsetof(struct ty_curl, name) },
static const struct ty_dl_fn fns[] = { TY_CURL_EACH(FN) };

static const struct ty_dl libcurl = { flavours, "HTTP requests need libcurl", "libcurl3-gnutls",
                                      fns, TY_COUNT(fns) };

int ty_curl_load(struct ty_curl *c, struct ty_err *err)
{
    struct ty_curl curl = { 0 };
    int r = ty_dl_load(&libcurl, &curl.lib, &curl, err);

    if (r < 0)
        return r;
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        ty_dl_close(curl.lib);
        return ty_fail(err, -EIO, "libcurl cannot be initialised");
    }
    *c = curl;
    return 0;
}

void ty_curl_done(struct ty_curl *c)
{
    if (!c->lib)
        return;
    c->global_cleanup();
    ty_dl_close(c->lib);
    *c = (struct ty_curl){ 0 };
}
