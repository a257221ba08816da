/* Loads shared objects and wraps each in a struct ty_plugin, whose hooks find the plugin's own
 * description in plan->running->ext. */
#include "plugin_host/extern_plugin.h"
#include "plugin_host/extern_host.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>

typedef const struct trainyard_plugin_info *entry_fn(const struct trainyard_host *host);

static const struct trainyard_plugin_info *info_of(const struct ty_plan *plan)
{
    return plan->running->ext;
}

static void call_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_trainjob *old, struct ty_errs *errs,
                          struct ty_warnings *warnings)
{
    (void)old;
    struct trainyard_plan p = { .plan = plan, .job = job, .errs = errs, .warnings = warnings };
    info_of(plan)->validate(&ty_extern_host, &p);
}

typedef int extern_hook(const struct trainyard_host *host, struct trainyard_plan *plan);

static int call_hook(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err,
                     extern_hook *hook, bool building)
{
    struct trainyard_plan p = {
        .plan = plan, .edit = plan, .job = job, .err = err, .building = building
    };
    if (hook(&ty_extern_host, &p) >= 0)
        return 0;
    if (err->code >= 0) /* it failed without a message */
        ty_fail(err, -EINVAL, "the plugin gave no reason");
    return ty_wrap(err, "plugin %s", plan->running->name);
}

static int call_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    return call_hook(plan, job, err, info_of(plan)->enforce_ml, false);
}

static int call_enforce_pod(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    return call_hook(plan, job, err, info_of(plan)->enforce_pod, false);
}

static int call_build(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    return call_hook(plan, job, err, info_of(plan)->build, true);
}

static const struct ty_plugin *plugin_from_info(struct ty_arena *a,
                                                const struct trainyard_plugin_info *info)
{
    struct ty_plugin *p = ty_new(a, struct ty_plugin);
    p->name = info->name;
    p->about = info->about ? info->about : "";
    p->ext = info;
    p->validate = info->validate ? call_validate : NULL;
    p->enforce_ml = info->enforce_ml ? call_enforce_ml : NULL;
    p->enforce_pod = info->enforce_pod ? call_enforce_pod : NULL;
    p->build = info->build ? call_build : NULL;
    return p;
}

/* Calls the shared object's entry function; NULL and err if the plugin cannot be used. */
static const struct trainyard_plugin_info *query_info(void *handle, const char *path,
                                                      struct ty_err *err)
{
    const struct trainyard_plugin_info *info = NULL;
    void *symbol = dlsym(handle, "trainyard_plugin");
    entry_fn *entry = NULL;
    memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from object to function */
    if (entry)
        info = entry(&ty_extern_host);
    if (!entry)
        ty_fail(err, -EINVAL, "%s: not a trainyard plugin: it has no symbol trainyard_plugin",
                path);
    else if (!info)
        ty_fail(err, -EINVAL, "%s: the plugin does not want to work with this trainyard", path);
    else if (info->abi != TRAINYARD_PLUGIN_ABI || info->size < sizeof(*info))
        ty_fail(err, -EINVAL, "%s: built for plugin ABI %u, this trainyard has ABI %u", path,
                info->abi, TRAINYARD_PLUGIN_ABI);
    else if (!info->name || !*info->name)
        ty_fail(err, -EINVAL, "%s: the plugin has no name", path);
    else
        return info;
    return NULL;
}

static int load_one(struct ty_extern_plugins *x, struct ty_arena *a, const char *path,
                    struct ty_err *err)
{
    if (x->n == TY_EXTERN_PLUGINS_MAX)
        return ty_fail(err, -EINVAL, "%s: more than %d plugins", path, TY_EXTERN_PLUGINS_MAX);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror(); /* NOLINT(concurrency-mt-unsafe): one a thread in glibc */
        size_t n = strlen(path);     /* the loader's message usually starts with the path */
        if (why && strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0)
            why += n + 2;
        return ty_fail(err, -EINVAL, "%s: cannot load the plugin: %s", path, why ? why : "unknown");
    }
    const struct trainyard_plugin_info *info = query_info(handle, path, err);
    if (!info) {
        dlclose(handle);
        return -EINVAL;
    }
    x->handles[x->n] = handle;
    x->v[x->n++] = plugin_from_info(a, info);
    return 0;
}

static int is_shared_object(const struct dirent *e)
{
    return e->d_name[0] != '.' && ty_str_ends(ty_str(e->d_name), TY_LIT(".so"));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int ty_extern_plugins_load(struct ty_extern_plugins *x, struct ty_arena *a, const char *dir,
                           struct ty_err *err)
{
    struct dirent **found = NULL;
    int n = scandir(dir, &found, is_shared_object, by_name), r = 0;
    if (n < 0)
        return ty_fail(err, -EINVAL, "%s: cannot read the plugin directory: %s", dir,
                       strerrordesc_np(errno));
    for (int i = 0; i < n; i++) {
        /* a slash, so that the loader does not search its own path */
        const char *slash = strchr(dir, '/') ? "" : "./";
        const char *path = ty_arena_printf(a, "%s%s/%s", slash, dir, found[i]->d_name);
        if (r == 0)
            r = load_one(x, a, path, err);
        free(found[i]);
    }
    free(found);
    return r;
}

void ty_extern_plugins_done(struct ty_extern_plugins *x)
{
    while (x->n)
        dlclose(x->handles[--x->n]);
    memset(x, 0, sizeof(*x));
}
