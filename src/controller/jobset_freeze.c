/* Builds an apply that leaves a JobSet's rendering as it is. */
#include "controller/jobset_freeze.h"

#include "api/kind.h"
#include "base/map.h"
#include "controller/applied_digest.h"
#include "trainer/gang.h"

#define MANAGER "trainer"

static const char *const pod_metadata[] = { "labels", "annotations", NULL };
static const char *const pod_spec[] = { "nodeSelector", "tolerations", "schedulingGates", NULL };

/* Copies these members, and removes those that `from` lacks. */
static void copy_members(struct ty_arena *a, struct ty_json *to, const struct ty_json *from,
                         const char *const *keys)
{
    for (; *keys; keys++) {
        const struct ty_json *v = ty_json_get(from, *keys);
        if (v)
            ty_json_set(a, to, *keys, ty_json_copy(a, v, 0));
        else
            ty_json_del(to, ty_str(*keys));
    }
}

static void restore_member(struct ty_arena *a, struct ty_json *meta, const char *map,
                           const char *key, const struct ty_json *was)
{
    const struct ty_json *old = ty_json_find(ty_json_get(was, map), ty_str(key));
    struct ty_json *now = ty_json_get(meta, map);

    if (old)
        ty_json_set(a, ty_json_ensure_object(a, meta, map), key, ty_json_copy(a, old, 0));
    else if (now)
        ty_json_del(now, ty_str(key));
}

static void copy_pod_members(struct ty_arena *a, struct ty_json *job, const struct ty_json *wanted,
                             bool gang)
{
    static const char *const way[] = { "template", "spec", "template" };
    const struct ty_json *from = ty_json_at(wanted, "template.spec.template");
    struct ty_json *pod = job;

    for (size_t i = 0; i < TY_COUNT(way); i++)
        pod = ty_json_ensure_object(a, pod, way[i]);
    struct ty_json *meta = ty_json_ensure_object(a, pod, "metadata");
    const struct ty_json *was = ty_json_copy(a, meta, 0);
    copy_members(a, meta, ty_json_get(from, "metadata"), pod_metadata);
    if (gang) {
        restore_member(a, meta, "labels", TY_GANG_LABEL, was);
        restore_member(a, meta, "annotations", TY_GANG_ANNOTATION, was);
    }
    copy_members(a, ty_json_ensure_object(a, pod, "spec"), ty_json_get(from, "spec"), pod_spec);
}

static void index_jobs(const struct ty_json *jobs, struct ty_map *ret)
{
    ty_each_item (it, jobs) {
        struct ty_str name = ty_json_str_at(*it, "name");
        if (name.n)
            ty_map_put(ret, name, *it);
    }
}

/* Pod templates are matched by job name. A job that only wanted has is not added, and one that only
 * live has stays. For a JobSet without managedFields (a restored backup) the body has no jobs yet:
 * they are added with the fields that may change. */
static void copy_all_pod_members(struct ty_arena *a, struct ty_json *jobs,
                                 const struct ty_json *wanted, const struct ty_json *live,
                                 bool gang)
{
    struct ty_map owned = { 0 }, there = { 0 };

    index_jobs(jobs, &owned);
    index_jobs(live, &there);
    ty_each_item (it, wanted) {
        struct ty_str name = ty_json_str_at(*it, "name");
        struct ty_json *job = ty_map_get(&owned, name);
        if (ty_arena_full(a) || !ty_map_get(&there, name))
            continue;
        if (!job) {
            job = ty_json_object(a);
            ty_json_set(a, job, "name", ty_json_str(a, name));
            ty_json_push(a, jobs, job);
        }
        copy_pod_members(a, job, *it, gang);
    }
    ty_map_done(&owned);
    ty_map_done(&there);
}

static struct ty_json *owned_part(struct ty_arena *a, const struct ty_json *live)
{
    struct ty_json *body = ty_applied_digest_extract(a, ty_kind_jobset.schema, live, MANAGER);

    ty_json_set(a, body, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, &ty_kind_jobset)));
    ty_json_set(a, body, "kind", ty_json_cstr(a, ty_kind_jobset.kind));
    return body;
}

struct ty_json *ty_jobset_freeze_overlay(struct ty_arena *a, struct ty_json *body,
                                         const struct ty_json *wanted, const struct ty_json *live,
                                         bool gang)
{
    static const char *const suspend[] = { "suspend", NULL }, *const meta[] = { "metadata", NULL };
    struct ty_json *spec = ty_json_ensure_object(a, body, "spec");
    struct ty_json *jobs = ty_json_ensure_array(a, spec, "replicatedJobs");

    copy_members(a, body, wanted, meta);
    copy_members(a, spec, ty_json_get(wanted, "spec"), suspend);
    copy_all_pod_members(a, jobs, ty_json_at(wanted, "spec.replicatedJobs"),
                         ty_json_at(live, "spec.replicatedJobs"), gang);
    if (jobs->n == 0)
        ty_json_del(spec, TY_LIT("replicatedJobs"));
    return body;
}

struct ty_json *ty_jobset_freeze(struct ty_arena *a, const struct ty_json *wanted,
                                 const struct ty_json *live, bool gang)
{
    return ty_jobset_freeze_overlay(a, owned_part(a, live), wanted, live, gang);
}

struct ty_json *ty_jobset_freeze_suspend(struct ty_arena *a, const struct ty_json *live,
                                         bool suspend)
{
    struct ty_json *body = owned_part(a, live);

    ty_json_set(a, ty_json_ensure_object(a, body, "metadata"), "name",
                ty_json_str(a, ty_json_str_at(live, "metadata.name")));
    ty_json_set(a, ty_json_ensure_object(a, body, "spec"), "suspend", ty_json_bool(a, suspend));
    return body;
}

/* Either its spec has not changed since its creation, or no JobSet controller has processed it
 * yet. */
bool ty_jobset_freeze_never_ran(const struct ty_json *live)
{
    int64_t generation = 0;
    bool first = ty_json_int_at(live, "metadata.generation", &generation) && generation == 1;

    return ty_json_true_at(live, "spec.suspend") &&
           (first || ty_json_len(ty_json_get(live, "status")) == 0);
}
