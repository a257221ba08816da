#include "trainer/pipeline.h"

#include <errno.h>
#include <strings.h>

#include "trainer/plugins/ml.h"
#include "trainer/registry.h"

static bool name_listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcasecmp(*names, name) == 0)
            return true;
    return false;
}

static const struct ty_plugin *find_plugin(const struct ty_pipeline *p, const char *name)
{
    for (size_t i = 0; i < p->n_on; i++)
        if (strcasecmp(p->on[i]->name, name) == 0)
            return p->on[i];
    for (size_t i = 0; i < p->n_off; i++)
        if (strcasecmp(p->off[i]->name, name) == 0)
            return p->off[i];
    return NULL;
}

static int check_names(const struct ty_pipeline *p, const char *const *names, const char *field,
                       bool all_allowed, struct ty_err *err)
{
    for (size_t i = 0; names && names[i]; i++)
        if (!find_plugin(p, names[i]) && !(all_allowed && strcmp(names[i], "*") == 0))
            return ty_fail(err, -EINVAL, "plugins.%s[%zu]: there is no plugin \"%s\"", field, i,
                           names[i]);
    return 0;
}

static int add_plugin(struct ty_pipeline *p, const struct ty_plugin *plugin, bool on,
                      struct ty_err *err)
{
    if (find_plugin(p, plugin->name))
        return ty_fail(err, -EINVAL, "plugin \"%s\" is there twice", plugin->name);
    if (p->n_on + p->n_off == TY_PLUGINS_MAX)
        return ty_fail(err, -E2BIG, "more than %d plugins", TY_PLUGINS_MAX);
    if (on)
        p->on[p->n_on++] = plugin;
    else
        p->off[p->n_off++] = plugin;
    return 0;
}

static int check_status_hooks(const struct ty_pipeline *p, struct ty_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_on; i++)
        n += p->on[i]->status != NULL;
    if (n > 1)
        return ty_fail(err, -EINVAL, "too many TrainJobStatus plugins are registered");
    return 0;
}

struct plugin_names {
    const char *const *enabled, *const *disabled;
};

/* As kube-scheduler: all plugins are on by default, `disabled` switches defaults off ("*": all of
 * them), and `enabled` adds to what is left. */
static bool is_enabled(const struct plugin_names *n, const char *name)
{
    return name_listed(n->enabled, name) ||
           !(name_listed(n->disabled, name) || name_listed(n->disabled, "*"));
}

static int add_extra(struct ty_pipeline *p, const struct ty_plugin *const *extra,
                     const struct plugin_names *n, struct ty_err *err)
{
    int r = 0;

    for (; extra && *extra && r == 0; extra++)
        r = add_plugin(p, *extra, is_enabled(n, (*extra)->name), err);
    return r;
}

static int add_own(struct ty_pipeline *p, const struct ty_plugin *plugin,
                   const struct plugin_names *n, struct ty_err *err)
{
    if (plugin->required && name_listed(n->disabled, plugin->name))
        return ty_fail(err, -EINVAL, "plugins.disabledPlugins: %s cannot be disabled",
                       plugin->name);
    return add_plugin(p, plugin, plugin->required || is_enabled(n, plugin->name), err);
}

int ty_pipeline_init(struct ty_pipeline *ret_p, const char *const *enabled,
                     const char *const *disabled, const struct ty_plugin *const *extra,
                     struct ty_err *err)
{
    const struct plugin_names names = { enabled, disabled };
    struct ty_pipeline p = { .n_on = 0 };
    int r = ty_registry_check(ty_plugins, err);

    for (size_t i = 0; ty_plugins[i] && r == 0; i++) {
        if (!ty_plugins[i + 1])
            r = add_extra(&p, extra, &names, err);
        if (r == 0)
            r = add_own(&p, ty_plugins[i], &names, err);
    }
    if (r == 0)
        r = check_names(&p, enabled, "enabledPlugins", false, err);
    if (r == 0)
        r = check_names(&p, disabled, "disabledPlugins", true, err);
    if (r == 0)
        r = check_status_hooks(&p, err);
    if (r == 0)
        *ret_p = p;
    return r;
}

static bool plugin_applies(const struct ty_plugin *p, const struct ty_plan *plan)
{
    if (p->applies)
        return p->applies(plan);
    return !p->policy || ty_plan_policy(plan, p->policy);
}

/* A disabled plugin that the runtime requires, or NULL. */
static const struct ty_plugin *disabled_but_needed(const struct ty_plan *plan)
{
    for (size_t i = 0; i < plan->pipeline->n_off; i++) {
        const struct ty_plugin *p = plan->pipeline->off[i];
        if ((p->applies || p->policy) && plugin_applies(p, plan))
            return p;
    }
    return NULL;
}

typedef ty_plugin_hook_fn *hook_of(const struct ty_plugin *p);

static ty_plugin_hook_fn *hook_ml(const struct ty_plugin *p)
{
    return p->enforce_ml;
}
static ty_plugin_hook_fn *hook_gang(const struct ty_plugin *p)
{
    return p->enforce_gang;
}
static ty_plugin_hook_fn *hook_pod(const struct ty_plugin *p)
{
    return p->enforce_pod;
}
static ty_plugin_hook_fn *hook_pre_build(const struct ty_plugin *p)
{
    return p->pre_build;
}
static ty_plugin_hook_fn *hook_build(const struct ty_plugin *p)
{
    return p->build;
}

static int run_phase(struct ty_plan *plan, const struct ty_trainjob *job, hook_of *hook,
                     struct ty_err *err)
{
    int r = 0;

    for (size_t i = 0; i < plan->pipeline->n_on && r == 0; i++) {
        const struct ty_plugin *p = plan->pipeline->on[i];
        ty_plugin_hook_fn *fn = hook(p);
        if (!fn || !plugin_applies(p, plan))
            continue;
        plan->running = p;
        ty_plan_origin(plan, "plugin %s", p->name);
        r = fn(plan, job, err);
        if (r == 0)
            r = ty_plan_check_size(plan, err);
    }
    plan->running = NULL;
    return r;
}

int ty_pipeline_run(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    static hook_of *const phases[] = { hook_ml, hook_gang, hook_pod, hook_pre_build, hook_build };
    const struct ty_plugin *off = disabled_but_needed(plan);
    int r = 0;

    if (off)
        return ty_fail(err, -EINVAL,
                       "runtime %.*s needs plugin %s, which the configuration disables",
                       TY_ARG(plan->runtime_name), off->name);
    for (size_t i = 0; i < TY_COUNT(phases) && r == 0; i++)
        r = run_phase(plan, job, phases[i], err);
    return r;
}

static void check_reserved(const struct ty_plugin *p, const struct ty_plan *plan,
                           const struct ty_trainjob *job, const struct ty_trainjob *old,
                           struct ty_errs *errs)
{
    const char *const *names = p->reserved_in ? p->reserved_in(plan, old) : p->reserved;

    if (!names)
        return;
    if (p->reserved_for)
        ty_ml_reserved_for(job, names, p->reserved_for, errs);
    else
        ty_ml_reserved(job, names, errs);
}

void ty_pipeline_validate(struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_trainjob *old, struct ty_errs *errs,
                          struct ty_warnings *warnings)
{
    const struct ty_plugin *off = disabled_but_needed(plan);

    if (off)
        ty_errs_add(errs, &ty_trainjob_ref_path, TY_FORBIDDEN, NULL,
                    "runtime \"%.*s\" needs plugin %s, which the operator's configuration disables",
                    TY_ARG(plan->runtime_name), off->name)
            ->warn_only = old; /* it was stored before the plugin was disabled */
    for (size_t i = 0; i < plan->pipeline->n_on && !ty_arena_full(plan->arena); i++) {
        const struct ty_plugin *p = plan->pipeline->on[i];
        if (!plugin_applies(p, plan))
            continue;
        plan->running = p;
        if (p->validate)
            p->validate(plan, job, old, errs, warnings);
        check_reserved(p, plan, job, old, errs);
    }
    plan->running = NULL;
}

void ty_pipeline_status(const struct ty_pipeline *p, struct ty_arena *a,
                        const struct ty_trainjob *job, const struct ty_view *view,
                        struct ty_json *status)
{
    for (size_t i = 0; i < p->n_on; i++)
        if (p->on[i]->status)
            p->on[i]->status(a, job, view, status);
}
