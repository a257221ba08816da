/* Scales the objects before they are planned, not the JobSet after: the plugins then derive
 * parallelism, PET_NNODES, TF_CONFIG and hostfiles from the small numbers, so they agree. */
#include "engine/shrink.h"

#include "api/quantity.h"
#include "engine/preflight/preflight.h"
#include "trainer/plan.h"
#include "trainer/plugins/torch.h"

/* ---- the size as planned ---- */

static int64_t count_nodes(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    int64_t n = 0;

    if (job->num_nodes.set)
        return job->num_nodes.v;
    if (ty_json_int_at(plan->ml, "numNodes", &n))
        return n;
    if (plan->trainer)
        return plan->trainer->count;
    ty_each_set (s, plan)
        n += s->role == TY_ROLE_NONE ? ty_plan_podset_pods(s) : 0;
    return n;
}

static int64_t count_procs(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    static const char *const one_for_each_gpu[] = { "torch", "mpi", "flux" };
    int64_t n = 1, gpus = 0;

    if (job->num_proc.kind == TY_NUMPROC_INT)
        return job->num_proc.v;
    for (size_t i = 0; i < TY_COUNT(one_for_each_gpu); i++)
        if (ty_plan_policy(plan, one_for_each_gpu[i]))
            gpus = ty_plan_gpus(plan);
    ty_each_member (policy, plan->ml)
        if (ty_json_int_at(policy->value, "numProcPerNode", &n) && n > 1)
            return n;
    if (ty_plan_policy(plan, "torch")) {
        struct ty_numproc p = ty_torch_procs(plan, job);
        if (p.kind == TY_NUMPROC_INT)
            return p.v;
    }
    return gpus > 1 ? gpus : 1;
}

static const char *find_devices(const struct ty_plan *plan)
{
    if (ty_plan_gpus(plan) > 0)
        return "GPUs";
    ty_each_set (s, plan) {
        const struct ty_json *wanted = ty_plan_podset_requests(plan, s);
        ty_each_member (m, wanted)
            if (ty_preflight_is_device(m->key))
                return "devices";
    }
    return NULL;
}

bool ty_shrink_measure(struct ty_arena *a, const struct ty_json *job, const struct ty_json *runtime,
                       struct ty_shrink_size *ret)
{
    struct ty_plan_in in = { .runtime = runtime };
    struct ty_trainjob parsed;
    struct ty_plan plan;
    struct ty_err err;

    ty_trainjob_parse(&parsed, job);
    if (!runtime || ty_plan_init(a, &parsed, &in, &plan, &err) < 0)
        return false;
    *ret = (struct ty_shrink_size){ .nodes = count_nodes(&plan, &parsed),
                                    .procs = count_procs(&plan, &parsed),
                                    .without = find_devices(&plan) };
    return true;
}

/* ---- scaling ---- */

static int64_t most_procs(const struct ty_host *host)
{
    return host->cpus < 1 ? 1 : host->cpus < TY_SHRINK_PROCS ? host->cpus : TY_SHRINK_PROCS;
}

static void clip_quantity(struct ty_arena *a, struct ty_json *list, const char *name, int64_t most)
{
    struct ty_quantity q;

    if (most > 0 && ty_quantity_of(ty_json_get(list, name), &q) && ty_quantity_value(q) > most)
        ty_json_set(a, list, name, ty_json_int(a, most));
}

/* requests or limits */
static void shrink_list(struct ty_arena *a, struct ty_json *list, const struct ty_host *host)
{
    for (size_t i = ty_json_len(list); i > 0 && list->type == TY_JSON_OBJECT; i--)
        if (ty_preflight_is_device(list->members[i - 1].key))
            ty_json_del(list, list->members[i - 1].key);
    clip_quantity(a, list, "cpu", host->cpus);
    clip_quantity(a, list, "memory", host->memory);
}

/* The members that the rule is about have these names wherever they are: in TrainJobs, runtimes and
 * in all kinds of patches. */
static int64_t most_of(struct ty_str key, const struct ty_host *host)
{
    static const char *const counts[] = { "numNodes",       "minNodes",         "maxNodes",
                                          "replicas",       "parallelism",      "completions",
                                          "succeededCount", "maxFailedIndexes", NULL };

    for (size_t i = 0; counts[i]; i++)
        if (ty_str_is(key, counts[i]))
            return TY_SHRINK_NODES;
    return ty_str_is(key, "numProcPerNode") ? most_procs(host) : INT64_MAX;
}

static bool is_placement(struct ty_str key)
{
    return ty_str_is(key, "nodeSelector") || ty_str_is(key, "runtimeClassName");
}

static void shrink_members(struct ty_arena *a, struct ty_json *at, const struct ty_host *host)
{
    for (size_t i = ty_json_len(at); i > 0; i--) {
        struct ty_json_member *m = &at->members[i - 1];
        if (is_placement(m->key))
            ty_json_del(at, m->key);
        else if (ty_json_is(m->value, TY_JSON_INT) && m->value->i > most_of(m->key, host))
            m->value = ty_json_int(a, most_of(m->key, host));
    }
    shrink_list(a, ty_json_get(at, "requests"), host);
    shrink_list(a, ty_json_get(at, "limits"), host);
}

/* Labels and annotations are anybody's names, so metadata is left alone. The depth is bounded by
 * the parser. */
static void shrink_tree(struct ty_arena *a, struct ty_json *at, const struct ty_host *host)
{
    if (ty_json_is(at, TY_JSON_ARRAY))
        ty_each_item (it, at)
            shrink_tree(a, *it, host);
    if (!ty_json_is(at, TY_JSON_OBJECT))
        return;
    shrink_members(a, at, host);
    ty_each_member (m, at)
        if (!ty_str_is(m->key, "metadata"))
            shrink_tree(a, m->value, host);
}

struct ty_json *ty_shrink_runtime(struct ty_arena *a, const struct ty_json *runtime,
                                  const struct ty_host *host)
{
    struct ty_json *copy = ty_json_copy(a, runtime, 0);

    shrink_tree(a, ty_json_get(copy, "spec"), host);
    return copy;
}

struct ty_json *ty_shrink_trainjob(struct ty_arena *a, const struct ty_json *job,
                                   const struct ty_shrink_size *before, const struct ty_host *host)
{
    struct ty_json *copy = ty_shrink_runtime(a, job, host);
    struct ty_json *spec = ty_json_ensure_object(a, copy, "spec");
    int64_t procs = before->procs < most_procs(host) ? before->procs : most_procs(host);

    if (before->procs > 1)
        ty_json_set(a, ty_json_ensure_object(a, spec, "trainer"), "numProcPerNode",
                    ty_json_int(a, procs));
    return copy;
}

/* ---- in words ---- */

static const char *size_text(struct ty_arena *a, const struct ty_shrink_size *s, const char *unit,
                             bool procs)
{
    const char *nodes = ty_arena_printf(a, "%lld%s", (long long)s->nodes, unit);

    return procs ? ty_arena_printf(a, "%s x %lld", nodes, (long long)s->procs) : nodes;
}

static const char *unit_of(const struct ty_shrink_size *s)
{
    return s->nodes == 1 ? " node" : " nodes";
}

const char *ty_shrink_text(struct ty_arena *a, const struct ty_shrink_size *before,
                           const struct ty_shrink_size *after)
{
    bool procs = before->procs > 1;
    bool same = before->nodes == after->nodes && before->procs == after->procs;
    const char *without = before->without ? ty_arena_printf(a, ", no %s", before->without) : "";

    if (same)
        return ty_arena_printf(a, "%s%s", size_text(a, before, unit_of(before), procs),
                               before->without ? without : ", as it is");
    return ty_arena_printf(a, "%s → %s%s", size_text(a, before, unit_of(before), procs),
                           size_text(a, after, "", procs), without);
}

const char *ty_shrink_offer(struct ty_arena *a, const struct ty_json *job,
                            const struct ty_json *runtime, const struct ty_host *host)
{
    struct ty_shrink_size before, after;

    if (!ty_shrink_measure(a, job, runtime, &before) ||
        !ty_shrink_measure(a, ty_shrink_trainjob(a, job, &before, host),
                           ty_shrink_runtime(a, runtime, host), &after))
        return NULL;
    return size_text(a, &after, unit_of(&after), before.procs > 1);
}
