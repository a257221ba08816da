/* Builds the children of a JobSet: Jobs, the headless Service, claims. */
#include "engine/jobset/jobset_children.h"

#include "engine/job/job.h"
#include "engine/job/job_spec.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_labels.h"
#include "engine/jobset/jobset_read.h"

char *ty_jobset_claim_name(struct ty_arena *a, struct ty_str jobset, struct ty_str claim)
{
    return ty_arena_printf(a, "%.*s-%.*s", TY_ARG(claim), TY_ARG(jobset));
}

static void set_owner(struct ty_jobset_ctx *js, struct ty_json *metadata)
{
    struct ty_arena *a = js->arena;
    struct ty_json *owner = ty_json_object(a);

    ty_json_set(a, owner, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, &ty_kind_jobset)));
    ty_json_set(a, owner, "kind", ty_json_cstr(a, ty_kind_jobset.kind));
    ty_json_set(a, owner, "name", ty_json_str(a, js->name));
    ty_json_set(a, owner, "uid", ty_json_str(a, js->uid));
    ty_json_set(a, owner, "controller", ty_json_bool(a, true));
    ty_json_set(a, owner, "blockOwnerDeletion", ty_json_bool(a, true));
    ty_json_push(a, ty_json_ensure_array(a, metadata, "ownerReferences"), owner);
}

/* apiVersion, kind and metadata; *ret_metadata may be filled further. */
static struct ty_json *new_child(struct ty_jobset_ctx *js, const struct ty_kind *kind,
                                 const char *name, struct ty_json **ret_metadata)
{
    struct ty_arena *a = js->arena;
    struct ty_json *obj = ty_json_object(a), *metadata;

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, kind)));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, kind->kind));
    metadata = ty_json_ensure_object(a, obj, "metadata");
    ty_json_set(a, metadata, "name", ty_json_cstr(a, name));
    ty_json_set(a, metadata, "namespace", ty_json_str(a, js->ns));
    *ret_metadata = metadata;
    return obj;
}

/* Of a template's metadata only labels and annotations count; its name is ignored. */
static void take_marks(struct ty_jobset_ctx *js, const struct ty_json *from,
                       struct ty_json *metadata)
{
    static const char *const kept[] = { "labels", "annotations" };

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *v = ty_json_get(from, kept[i]);
        if (ty_json_len(v) > 0)
            ty_json_set(js->arena, metadata, kept[i], ty_json_copy(js->arena, v, 0));
    }
}

static bool list_mounts(const struct ty_json *containers, struct ty_str volume)
{
    ty_each_item (c, containers)
        if (ty_json_find_item(ty_json_get(*c, "volumeMounts"), "name", volume, NULL))
            return true;
    return false;
}

bool ty_jobset_mounts(const struct ty_json *pod_spec, struct ty_str volume)
{
    return list_mounts(ty_json_get(pod_spec, "containers"), volume) ||
           list_mounts(ty_json_get(pod_spec, "initContainers"), volume);
}

/* A claim becomes a volume of exactly those pods that mount its name. */
static void add_claims(struct ty_jobset_ctx *js, struct ty_json *pod)
{
    struct ty_arena *a = js->arena;
    const struct ty_json *policies = ty_json_get(js->spec, "volumeClaimPolicies");

    ty_each_item (policy, policies) {
        const struct ty_json *templates = ty_json_get(*policy, "templates");
        ty_each_item (it, templates) {
            struct ty_str name = ty_json_str_at(*it, "metadata.name");
            if (!ty_jobset_mounts(pod, name))
                continue;
            struct ty_json *volume = ty_json_object(a);
            ty_json_set(a, volume, "name", ty_json_str(a, name));
            ty_json_set(a, ty_json_ensure_object(a, volume, "persistentVolumeClaim"), "claimName",
                        ty_json_cstr(a, ty_jobset_claim_name(a, js->name, name)));
            ty_json_push(a, ty_json_ensure_array(a, pod, "volumes"), volume);
        }
    }
}

struct ty_json *ty_jobset_make_job(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r,
                                   int64_t index)
{
    struct ty_arena *a = js->arena;
    const struct ty_json *from = ty_json_get(r->obj, "template");
    const struct ty_json *spec_template = ty_json_get(from, "spec");
    struct ty_json *metadata;
    struct ty_json *job =
        new_child(js, &ty_kind_job, ty_jobset_job_name(a, js->name, r->name, index), &metadata);
    struct ty_json *spec = ty_json_is(spec_template, TY_JSON_OBJECT)
                               ? ty_json_copy(a, spec_template, 0)
                               : ty_json_object(a);

    ty_json_set(a, job, "spec", spec);
    take_marks(js, ty_json_get(from, "metadata"), metadata);
    set_owner(js, metadata);
    ty_jobset_mark(js, r, index, metadata);
    struct ty_json *pod_template = ty_json_ensure_object(a, spec, "template");
    ty_jobset_mark(js, r, index, ty_json_ensure_object(a, pod_template, "metadata"));
    ty_jobset_mark_placement(js, metadata, pod_template);
    struct ty_json *pod = ty_json_ensure_object(a, pod_template, "spec");
    if (js->dns)
        ty_json_set(a, pod, "subdomain", ty_json_str(a, js->subdomain));
    ty_json_set(a, spec, "suspend", ty_json_bool(a, js->suspended));
    add_claims(js, pod);
    ty_job_default(a, job);
    return job;
}

struct ty_json *ty_jobset_make_service(struct ty_jobset_ctx *js)
{
    struct ty_arena *a = js->arena;
    const struct ty_json *publish = ty_json_at(js->spec, "network.publishNotReadyAddresses");
    struct ty_json *metadata, *spec;
    struct ty_json *service =
        new_child(js, &ty_kind_service, ty_arena_cstr(a, js->subdomain), &metadata);

    set_owner(js, metadata);
    spec = ty_json_ensure_object(a, service, "spec");
    ty_json_set(a, spec, "clusterIP", ty_json_cstr(a, "None"));
    ty_json_set(a, ty_json_ensure_object(a, spec, "selector"), TY_JOBSET_NAME,
                ty_json_str(a, js->name));
    ty_json_set(a, spec, "publishNotReadyAddresses",
                ty_json_bool(a, !ty_json_is(publish, TY_JSON_BOOL) || publish->b));
    return service;
}

struct ty_json *ty_jobset_make_claim(struct ty_jobset_ctx *js, const struct ty_json *policy,
                                     const struct ty_json *claim_template)
{
    struct ty_arena *a = js->arena;
    struct ty_str name = ty_json_str_at(claim_template, "metadata.name");
    const struct ty_json *spec = ty_json_get(claim_template, "spec");
    struct ty_json *metadata;
    struct ty_json *claim =
        new_child(js, &ty_kind_pvc, ty_jobset_claim_name(a, js->name, name), &metadata);

    take_marks(js, ty_json_get(claim_template, "metadata"), metadata);
    ty_json_set(a, ty_json_ensure_object(a, metadata, "labels"), TY_JOBSET_NAME,
                ty_json_str(a, js->name));
    if (ty_str_is(ty_json_str_at(policy, "retentionPolicy.whenDeleted"), "Delete"))
        set_owner(js, metadata); /* a retained claim has no owner */
    ty_json_set(a, claim, "spec", spec ? ty_json_copy(a, spec, 0) : ty_json_object(a));
    return claim;
}
