/* Loads libcurl and fills the table of its functions. */
#include "net/curl.h"

#include <dlfcn.h>
#include <errno.h>

#define NEEDED "HTTP requests need libcurl (Debian: libcurl3-gnutls)"

static int find_functions(struct ty_curl *c, struct ty_err *err)
{
#define FN(fn) { "curl_" #fn, offsetof(struct ty_curl, fn) },
    static const struct {
        const char *name;
        size_t at; /* offset of its pointer */
    } fns[] = { TY_CURL_EACH(FN) };
#undef FN

    for (size_t i = 0; i < TY_COUNT(fns); i++) {
        void *symbol = dlsym(c->lib, fns[i].name);
        if (!symbol)
            return ty_fail(err, -ENOENT, NEEDED ": what is installed is too old, it has no %s",
                           fns[i].name);
        memcpy((char *)c + fns[i].at, &symbol,
               sizeof(symbol)); /* ISO C has no cast from object to function */
    }
    return 0;
}

int ty_curl_load(struct ty_curl *c, struct ty_err *err)
{
    /* The GnuTLS variant first: GnuTLS is the TLS library of this program. The other variant has
     * the same functions and is used if only that is installed. Never unloaded: libraries with
     * their own threads and exit handlers do not support that. */
    static const char *const variants[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };
    struct ty_curl curl = { 0 };

    for (size_t i = 0; i < 2 && !curl.lib; i++)
        curl.lib = dlopen(variants[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!curl.lib)
        return ty_fail(err, -ENOENT, NEEDED ": %s",
                       dlerror()); /* NOLINT(concurrency-mt-unsafe): thread-local in glibc */
    int r = find_functions(&curl, err);
    if (r == 0 && curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        r = ty_fail(err, -EIO, "libcurl cannot be initialised");
    if (r < 0)
        dlclose(curl.lib);
    else
        *c = curl;
    return r;
}

void ty_curl_done(struct ty_curl *c)
{
    if (!c->lib)
        return;
    c->global_cleanup();
    dlclose(c->lib);
    *c = (struct ty_curl){ 0 };
}
