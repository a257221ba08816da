/* Reports limits that nothing enforces here, and devices that the machine does not have. */
#include "api/quantity.h"
#include "engine/preflight/preflight_inner.h"

/* A limit that holds without cgroups: pinning enforces whole CPUs, and no process gets more than
 * the machine has. */
static bool holds_anyway(const struct ty_preflight *x, struct ty_str name, struct ty_quantity limit)
{
    const struct ty_host *host = x->pod.host;

    if (ty_str_is(name, "cpu"))
        return limit.nano % 1000000000 == 0 || ty_quantity_value(limit) > host->cpus;
    return ty_str_is(name, "memory") && ty_quantity_value(limit) >= host->memory;
}

void ty_preflight_check_limits(struct ty_preflight *x, const struct ty_json *resources,
                               const struct ty_field_path *at)
{
    static const char *const enforced[] = { "cpu", "memory", "ephemeral-storage" };
    const struct ty_json *limits = ty_json_get(resources, "limits");

    for (size_t i = 0; i < TY_COUNT(enforced); i++) {
        struct ty_quantity q;
        const struct ty_json *v = ty_json_get(limits, enforced[i]);
        const bool kept[] = { x->pod.host->cgroup_cpu, x->pod.host->cgroup_memory, false };
        if (!ty_quantity_of(v, &q) || kept[i] || holds_anyway(x, ty_str(enforced[i]), q))
            continue;
        ty_preflight_warn(x, TY_KEY(TY_KEY(at, "limits"), enforced[i]),
                          "%s limit %.*s not enforced: %s", enforced[i],
                          TY_ARG(ty_preflight_value(x, v)),
                          i < 2 ? "no access to cgroups" : "no quota here");
    }
}

static int64_t host_has(const struct ty_host *host, struct ty_str name)
{
    int64_t n = 0;

    if (host->gpu_resource && ty_str_is(name, host->gpu_resource))
        while (host->gpus && host->gpus[n])
            n++;
    return n;
}

bool ty_preflight_is_device(struct ty_str name)
{
    return memchr(name.p, '/', name.n) || ty_str_starts(name, TY_LIT("hugepages-"));
}

void ty_preflight_add_devices(struct ty_preflight *x, const struct ty_json *pod_spec, int64_t pods,
                              struct ty_json *sum)
{
    const struct ty_json *all = ty_plan_pod_requests(x->out->arena, pod_spec);
    struct ty_json *devices = ty_json_object(x->out->arena);

    ty_each_member (m, all)
        if (ty_preflight_is_device(m->key))
            ty_json_put(x->out->arena, devices, m->key, m->value);
    ty_quantity_resources_add(x->out->arena, sum, devices, pods);
}

void ty_preflight_check_devices(struct ty_preflight *x, const struct ty_json *sum,
                                const struct ty_field_path *at)
{
    ty_each_member (m, sum) {
        struct ty_quantity q;
        int64_t have = host_has(x->pod.host, m->key);
        if (!ty_quantity_of(m->value, &q) || ty_quantity_value(q) <= have)
            continue;
        ty_preflight_error(x, TY_MAPKEY(TY_KEY(at, "resources"), m->key),
                           "wants %lld %.*s at once, host has %lld",
                           (long long)ty_quantity_value(q), TY_ARG(m->key), (long long)have);
        x->out->last->resource = ty_arena_cstr(x->out->arena, m->key);
    }
}
