#include "net/dl.h"

#include <dlfcn.h>
#include <errno.h>

static int find_all(void *lib, const struct ty_dl *want, void *ret_fns, struct ty_err *err)
{
    const struct ty_dl_fn *end = want->fns + want->n;

    for (const struct ty_dl_fn *f = want->fns; f < end; f++)
        if (!dlsym(lib, f->name))
            return ty_fail(err, -ENOENT,
                           "%s (Debian: %s): what is installed is too old, it has no %s", want->use,
                           want->package, f->name);
    for (const struct ty_dl_fn *f = want->fns; f < end; f++) {
        void *symbol = dlsym(lib, f->name);
        /* ISO C has no cast from object to function */
        memcpy((char *)ret_fns + f->at, &symbol, sizeof(symbol));
    }
    return 0;
}

int ty_dl_load(const struct ty_dl *want, void **ret_lib, void *ret_fns, struct ty_err *err)
{
    void *lib = NULL;

    /* It is never unloaded: libraries with their own threads and exit handlers do not support that.
     */
    for (const char *const *file = want->files; *file && !lib; file++)
        lib = dlopen(*file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!lib)
        return ty_fail(err, -ENOENT, "%s (Debian: %s): %s", want->use, want->package,
                       dlerror()); /* NOLINT(concurrency-mt-unsafe): thread-local in glibc */
    int r = find_all(lib, want, ret_fns, err);
    if (r < 0)
        ty_dl_close(lib);
    else
        *ret_lib = lib;
    return r;
}

void ty_dl_close(void *lib)
{
    if (lib)
        dlclose(lib);
}
