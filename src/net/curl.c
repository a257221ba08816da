/* Finds libcurl's functions by name. */
#include "net/curl.h"
#include "net/dl.h"

#include <errno.h>

/* The GnuTLS flavour first: GnuTLS is the one TLS library of this program. The other flavour has
 * the same functions and stands in on systems that only have that one. */
static const char *const flavours[] = { "libcurl-gnutls.so.4", "libcurl.so.4", NULL };

static int find_all(struct ty_curl *c, struct ty_err *err)
{
    int r = 0;
#define FIND(name)                                                                                 \
    if (r == 0)                                                                                    \
        r = ty_dl_find(c->lib, "curl_" #name, &c->name, err);
    TY_CURL_EACH(FIND)
#undef FIND
    return r;
}

int ty_curl_load(struct ty_curl *c, struct ty_err *err)
{
    struct ty_curl curl = { 0 };
    int r = ty_dl_open(&curl.lib, flavours, "HTTP requests need libcurl", "libcurl3-gnutls", err);
    if (r == 0)
        r = find_all(&curl, err);
    if (r == 0 && curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        r = ty_fail(err, -EIO, "libcurl cannot be initialised");
    if (r < 0) {
        ty_dl_close(curl.lib);
        return r;
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
