/* Finds libcurl's functions by name. */
#include "net/curl.h"

#include <dlfcn.h>
#include <errno.h>

/* The GnuTLS flavour first: GnuTLS is the one TLS library of this program. The other flavour has
 * the same functions and stands in on systems that only have that one. */
static const char *const flavours[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };

static int find(void *lib, const char *name, void *ret_fn, struct ty_err *err)
{
    void *symbol = dlsym(lib, name);
    if (!symbol)
        return ty_fail(err, -ENOENT, "libcurl is too old: it has no %s", name);
    memcpy(ret_fn, &symbol, sizeof(symbol)); /* ISO C has no cast from object to function */
    return 0;
}

static int find_all(struct ty_curl *c, struct ty_err *err)
{
    int r = 0;
#define FIND(name)                                                                                 \
    if (r == 0)                                                                                    \
        r = find(c->lib, "curl_" #name, &c->name, err);
    TY_CURL_EACH(FIND)
#undef FIND
    return r;
}

int ty_curl_load(struct ty_curl *c, struct ty_err *err)
{
    struct ty_curl curl = { 0 };
    for (size_t i = 0; i < sizeof(flavours) / sizeof(*flavours) && !curl.lib; i++)
        curl.lib = dlopen(flavours[i], RTLD_NOW | RTLD_LOCAL);
    if (!curl.lib)
        return ty_fail(err, -ENOENT, "downloads need libcurl (Debian: libcurl3-gnutls): %s",
                       dlerror()); /* NOLINT(concurrency-mt-unsafe): one a thread in glibc */
    int r = find_all(&curl, err);
    if (r == 0 && curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        r = ty_fail(err, -EIO, "libcurl cannot be initialised");
    if (r < 0) {
        dlclose(curl.lib);
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
    dlclose(c->lib);
    *c = (struct ty_curl){ 0 };
}
