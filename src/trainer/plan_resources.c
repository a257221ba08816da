/* Devices of a node, for process counts, and requests of a pod, for gangs. */
#include "api/quantity.h"
#include "trainer/plan.h"

/* GPU resource names in order of preference (B15). TPUs are not included: their runtimes count
 * processes themselves. */
enum { RANK_NVIDIA, RANK_MIG, RANK_AMD, RANK_INTEL, RANK_GAUDI, RANK_OTHER, RANK_NONE };

static bool contains_gpu(struct ty_str name)
{
    for (size_t i = 0; i + 3 <= name.n; i++)
        if ((name.p[i] | 32) == 'g' && (name.p[i + 1] | 32) == 'p' && (name.p[i + 2] | 32) == 'u')
            return true;
    return false;
}

static int gpu_rank(struct ty_str name)
{
    if (ty_str_is(name, "nvidia.com/gpu"))
        return RANK_NVIDIA;
    if (ty_str_starts(name, TY_LIT("nvidia.com/mig-")))
        return RANK_MIG;
    if (ty_str_is(name, "amd.com/gpu"))
        return RANK_AMD;
    if (ty_str_starts(name, TY_LIT("gpu.intel.com/")))
        return RANK_INTEL;
    if (ty_str_is(name, "habana.ai/gaudi"))
        return RANK_GAUDI;
    return contains_gpu(name) ? RANK_OTHER : RANK_NONE;
}

static int64_t gpus_in(const struct ty_json *list)
{
    int best = RANK_NONE;
    struct ty_str name = { 0 };
    int64_t n = 0;

    ty_each_member (m, list) {
        struct ty_quantity q;
        int rank = gpu_rank(m->key);
        bool first = rank < best || (rank == best && name.n && ty_str_cmp(m->key, name) < 0);
        if (rank == RANK_NONE || !first || !ty_quantity_of(m->value, &q) || q.nano == 0)
            continue;
        best = rank;
        name = m->key;
        n = ty_quantity_value(q);
    }
    return n;
}

static int64_t cpus_in(const struct ty_json *list)
{
    struct ty_quantity q;
    return ty_quantity_of(ty_json_get(list, "cpu"), &q) ? ty_quantity_value(q) : 0;
}

/* The first trainer job (the trainer, or `node`) that has a value decides. */
static int64_t count_devices(const struct ty_plan *plan, int64_t (*count)(const struct ty_json *))
{
    ty_each_set (s, plan) {
        if (s->role != TY_ROLE_TRAINER && !ty_str_is(s->name, TY_NODE))
            continue;
        const struct ty_json *c = ty_plan_podset_container(s, TY_LIT(TY_NODE));
        const struct ty_json *res = ty_json_get(c, "resources");
        int64_t n = count(ty_json_get(res, "requests"));
        if (n == 0)
            n = count(ty_json_get(res, "limits"));
        if (n != 0)
            return n;
    }
    return 0;
}

int64_t ty_plan_gpus(const struct ty_plan *plan)
{
    return count_devices(plan, gpus_in);
}

int64_t ty_plan_cpus(const struct ty_plan *plan)
{
    return count_devices(plan, cpus_in);
}

/* Requests of one container; a limit without a request counts as the request, because the API
 * server will default it so (B11). */
static struct ty_json *container_requests(struct ty_arena *a, const struct ty_json *c)
{
    struct ty_json *sum = ty_json_object(a);
    const struct ty_json *requests = ty_json_at(c, "resources.requests");
    const struct ty_json *limits = ty_json_at(c, "resources.limits");

    ty_json_put_all(a, sum, limits, 0);
    ty_json_put_all(a, sum, requests, 0);
    return sum;
}

/* Init containers run one after another, beside the sidecars that were started before them. */
static void add_init_peaks(struct ty_arena *a, const struct ty_json *inits, struct ty_json *sum)
{
    struct ty_json *sidecars = ty_json_object(a), *peak = ty_json_object(a);

    ty_each_item (c, inits) {
        struct ty_json *mine = container_requests(a, *c);
        if (ty_str_is(ty_json_str_at(*c, "restartPolicy"), "Always")) {
            ty_quantity_resources_add(a, sum, mine, 1);
            ty_quantity_resources_add(a, sidecars, mine, 1);
            ty_quantity_resources_max(a, peak, sidecars);
            continue;
        }
        ty_quantity_resources_add(a, mine, sidecars, 1);
        ty_quantity_resources_max(a, peak, mine);
    }
    ty_quantity_resources_max(a, sum, peak);
}

/* Pod-level requests replace the sum, for the resources that are allowed there. */
static void apply_pod_level(struct ty_arena *a, const struct ty_json *pod, struct ty_json *sum)
{
    struct ty_json *level = container_requests(a, pod);

    ty_each_member (m, level)
        if (ty_str_is(m->key, "cpu") || ty_str_is(m->key, "memory") ||
            ty_str_starts(m->key, TY_LIT("hugepages-")))
            ty_json_put(a, sum, m->key, m->value);
}

struct ty_json *ty_plan_pod_requests(struct ty_arena *a, const struct ty_json *pod)
{
    struct ty_json *sum = ty_json_object(a);

    ty_each_item (c, ty_json_get(pod, "containers"))
        ty_quantity_resources_add(a, sum, container_requests(a, *c), 1);
    add_init_peaks(a, ty_json_get(pod, "initContainers"), sum);
    apply_pod_level(a, pod, sum);
    ty_quantity_resources_add(a, sum, ty_json_get(pod, "overhead"), 1);
    return sum;
}

struct ty_json *ty_plan_podset_requests(const struct ty_plan *plan, const struct ty_podset *set)
{
    return ty_plan_pod_requests(plan->arena, set->pod);
}
