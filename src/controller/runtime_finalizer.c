/* Checks whether a TrainJob refers to the runtime, and edits its finalizers. */
#include "controller/runtime_finalizer.h"

#include "trainer/runtime_resolve.h"

#define FINALIZER "trainer.kubeflow.org/resource-in-use"

struct runtime_use {
    const struct ty_cached *runtime;
    struct ty_arena *a;
    bool used;
};

static void check_use(void *ctx, const struct ty_cached *o)
{
    struct runtime_use *u = ctx;
    const struct ty_kind *kind = u->runtime->id.kind;
    struct ty_trainjob job;

    if (u->used || (kind->namespaced && strcmp(o->id.ns, u->runtime->id.ns) != 0))
        return;
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    ty_trainjob_parse(&job, ty_cache_parse(a, o));
    u->used = ty_runtime_kind(&job) == kind && ty_str_is(job.ref_name, u->runtime->id.name);
}

static bool has_finalizer(const struct ty_json *list)
{
    ty_each_item (it, list)
        if (ty_str_is(ty_json_as_str(*it), FINALIZER))
            return true;
    return false;
}

struct ty_str ty_runtime_finalizer_patch(struct ty_arena *a, const struct ty_cache *cache,
                                         const struct ty_cached *runtime,
                                         enum ty_runtime_protection protection)
{
    struct ty_json *obj = ty_cache_parse(a, runtime), *list = ty_json_array(a);
    const struct ty_json *now = ty_json_at(obj, "metadata.finalizers");
    bool going = ty_json_at(obj, "metadata.deletionTimestamp") != NULL;
    struct runtime_use use = { .runtime = runtime, .a = a };

    if (!obj || ty_json_is(now, TY_JSON_NULL))
        return (struct ty_str){
            0
        }; /* so many that the cache does not store them: they must not be overwritten */
    if (protection == TY_PROTECT_FINALIZER)
        ty_cache_each(cache, &ty_kind_trainjob, check_use, &use);
    /* The API server accepts no new finalizers on an object that is being deleted. */
    bool want = use.used && (has_finalizer(now) || !going);
    /* v2.2 added it at the first use and kept it until the deletion. */
    want |= protection == TY_PROTECT_FINALIZER && has_finalizer(now) && !going;
    if (want == has_finalizer(now))
        return (struct ty_str){ 0 };
    ty_each_item (it, now)
        if (!ty_str_is(ty_json_as_str(*it), FINALIZER))
            ty_json_push(a, list, *it);
    if (want)
        ty_json_push(a, list, ty_json_cstr(a, FINALIZER));
    struct ty_json *patch = ty_json_object(a), *meta = ty_json_object(a);
    ty_json_set(a, meta, "finalizers", list);
    /* With a resourceVersion the API server refuses the patch if the list has changed, and the
     * runtime is reconciled again. */
    ty_json_set(a, meta, "resourceVersion",
                ty_json_strf(a, "%llu", (unsigned long long)runtime->id.version));
    ty_json_set(a, patch, "metadata", meta);
    return ty_json_text(a, patch);
}
