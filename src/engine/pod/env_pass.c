#include "engine/pod/env_pass.h"

#include "engine/pod/env_expand.h"
#include "engine/pod/pod_env_net.h"

static const char *const names[] = {
    "PATH",           "HOME",        "USER",
    "LOGNAME",        "SHELL",       "LANG",
    "LC_ALL",         "TZ",          "VIRTUAL_ENV",
    "PYTHONPATH",     "http_proxy",  "HTTP_PROXY",
    "CONDA_PREFIX",   "https_proxy", "HTTPS_PROXY",
    "no_proxy",       "NO_PROXY",    "all_proxy",
    "XDG_CACHE_HOME", "ALL_PROXY",   "LD_LIBRARY_PATH",
};
static const char *const prefixes[] = {
    "HF_", "WANDB_", "MLFLOW_", "AWS_", "CUDA_", "NCCL_", "OMP_"
};
/* Devices are given to pods, not inherited; an address outside of the run is nobody's here. */
static const char *const withheld[] = { "CUDA_VISIBLE_DEVICES", "NCCL_COMM_ID" };

static bool is_setting(struct ty_str name)
{
    const char *setting;

    for (size_t i = 0; (setting = ty_pod_net_setting(i, true, false)); i++) {
        struct ty_str own;
        ty_str_cut(ty_str(setting), '=', &own);
        if (ty_str_eq(name, own))
            return true;
    }
    return false;
}

bool ty_env_pass_allows(struct ty_str name)
{
    bool listed = false;

    for (size_t i = 0; i < TY_COUNT(withheld); i++)
        if (ty_str_is(name, withheld[i]))
            return false;
    for (size_t i = 0; i < TY_COUNT(names) && !listed; i++)
        listed = ty_str_is(name, names[i]);
    for (size_t i = 0; i < TY_COUNT(prefixes) && !listed; i++)
        listed = ty_str_starts(name, ty_str(prefixes[i]));
    return listed && !is_setting(name);
}

const char *const *ty_env_pass_filter(struct ty_arena *a, char *const *from)
{
    size_t n = 0;

    while (from && from[n])
        n++;
    const char **kept = ty_new_n(a, const char *, n + 1);
    n = 0;
    for (; from && *from; from++) {
        struct ty_str name, value = ty_str_cut(ty_str(*from), '=', &name);
        if (value.p && ty_env_pass_allows(name))
            kept[n++] = ty_arena_strdup(a, *from);
    }
    return kept;
}

const char *ty_env_pass_no_proxy(struct ty_arena *a, const char *const *env, const char *jobset)
{
    static const char *const proxies[] = { "http_proxy",  "HTTP_PROXY", "https_proxy",
                                           "HTTPS_PROXY", "all_proxy",  "ALL_PROXY" };
    const char *said = ty_env_find(env, TY_LIT("no_proxy"));
    bool any = false;

    for (size_t i = 0; i < TY_COUNT(proxies); i++) {
        const char *value = ty_env_find(env, ty_str(proxies[i]));
        any = any || (value && *value);
    }
    if (!any)
        return NULL;
    if (!said)
        said = ty_env_find(env, TY_LIT("NO_PROXY"));
    return ty_arena_printf(a, "%s%slocalhost,127.0.0.1,127.0.0.0/8,.%s,.svc.cluster.local",
                           said ? said : "", said && *said ? "," : "", jobset);
}
