/* dlopen with sentences. */
#include "net/dl.h"

#include <dlfcn.h>
#include <errno.h>

int ty_dl_open(void **ret_lib, const char *const *names, const char *use, const char *package,
               struct ty_err *err)
{
    void *lib = NULL;

    /* It stays once it is here: libraries with threads and exit handlers of their own do not bear
     * being taken away. */
    for (; *names && !lib; names++)
        lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!lib)
        return ty_fail(err, -ENOENT, "%s (Debian: %s): %s", use, package,
                       dlerror()); /* NOLINT(concurrency-mt-unsafe): one a thread in glibc */
    *ret_lib = lib;
    return 0;
}

void ty_dl_close(void *lib)
{
    if (lib)
        dlclose(lib);
}

int ty_dl_find(void *lib, const char *name, void *ret_fn, struct ty_err *err)
{
    void *symbol = dlsym(lib, name);

    if (!symbol)
        return ty_fail(err, -ENOENT, "a library is too old: it has no %s", name);
    memcpy(ret_fn, &symbol, sizeof(symbol)); /* ISO C has no cast from object to function */
    return 0;
}
