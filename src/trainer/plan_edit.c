/* Changes of a plan by plugins: variables, ports, mounts, volumes, children. Each value gets the
 * current origin, which `render --origins` prints. */
#include "trainer/plan.h"

#include <stdarg.h>

/* Replaces the item whose `key` equals v's, else appends v. */
static void upsert_item(struct ty_plan *plan, struct ty_json *list, const char *key,
                        struct ty_json *v)
{
    size_t at = 0;

    if (ty_json_find_item(list, key, ty_json_str_at(v, key), &at))
        list->items[at] = v;
    else
        ty_json_push(plan->arena, list, v);
}

static struct ty_json *with_origin(struct ty_plan *plan, struct ty_json *v)
{
    ty_json_set_origin(v, plan->origin);
    return v;
}

static struct ty_json *env_named(struct ty_plan *plan, const char *name)
{
    struct ty_json *e = ty_json_object(plan->arena);

    ty_json_set(plan->arena, e, "name", ty_json_cstr(plan->arena, name));
    return e;
}

void ty_plan_env(struct ty_plan *plan, struct ty_json *container, const char *name, const char *fmt,
                 ...)
{
    struct ty_json *e = env_named(plan, name);
    va_list ap;

    va_start(ap, fmt);
    ty_json_set(plan->arena, e, "value",
                ty_json_cstr(plan->arena, ty_arena_vprintf(plan->arena, fmt, ap)));
    va_end(ap);
    upsert_item(plan, ty_json_ensure_array(plan->arena, container, "env"), "name",
                with_origin(plan, e));
}

void ty_plan_env_field(struct ty_plan *plan, struct ty_json *container, const char *name,
                       const char *field_path)
{
    struct ty_json *e = env_named(plan, name), *from = ty_json_object(plan->arena);
    struct ty_json *ref = ty_json_object(plan->arena);

    ty_json_set(plan->arena, ref, "fieldPath", ty_json_cstr(plan->arena, field_path));
    ty_json_set(plan->arena, from, "fieldRef", ref);
    ty_json_set(plan->arena, e, "valueFrom", from);
    upsert_item(plan, ty_json_ensure_array(plan->arena, container, "env"), "name",
                with_origin(plan, e));
}

/* v2.3.0 writes all parts of a resource reference, even those that were not given. */
static void complete_resource_ref(struct ty_plan *plan, struct ty_json *e)
{
    struct ty_json *ref = ty_json_at(e, "valueFrom.resourceFieldRef");

    if (!ref)
        return;
    if (!ty_json_get(ref, "containerName"))
        ty_json_set(plan->arena, ref, "containerName", ty_json_cstr(plan->arena, ""));
    if (!ty_json_get(ref, "divisor"))
        ty_json_set(plan->arena, ref, "divisor", ty_json_cstr(plan->arena, "0"));
}

void ty_plan_env_list(struct ty_plan *plan, struct ty_json *container, const struct ty_json *list)
{
    if (ty_json_len(list) == 0)
        return;
    struct ty_json *typed = ty_json_array(plan->arena);
    ty_each_item (it, list) {
        struct ty_json *e = ty_schema_normalize(plan->arena, &ty_schema_EnvVar, *it);
        if (!ty_json_get(e, "valueFrom") && !ty_json_get(e, "value"))
            ty_json_set(plan->arena, e, "value", ty_json_cstr(plan->arena, ""));
        complete_resource_ref(plan, e);
        ty_json_push(plan->arena, typed, with_origin(plan, e));
    }
    ty_json_upsert_all(plan->arena, ty_json_ensure_array(plan->arena, container, "env"), "name",
                       typed);
}

void ty_plan_port(struct ty_plan *plan, struct ty_json *container, int port)
{
    struct ty_json *ports = ty_json_ensure_array(plan->arena, container, "ports");

    ty_each_item (p, ports) {
        int64_t number = 0;
        struct ty_str protocol = ty_json_str_at(*p, "protocol");
        if (ty_json_int_at(*p, "containerPort", &number) && number == port &&
            (protocol.n == 0 || ty_str_is(protocol, "TCP")))
            return;
    }
    struct ty_json *p = ty_json_object(plan->arena);
    ty_json_set(plan->arena, p, "containerPort", ty_json_int(plan->arena, port));
    ty_json_push(plan->arena, ports, with_origin(plan, p));
}

void ty_plan_mount(struct ty_plan *plan, struct ty_json *container, const char *volume,
                   const char *path, bool read_only)
{
    struct ty_json *m = ty_json_object(plan->arena);

    ty_json_set(plan->arena, m, "name", ty_json_cstr(plan->arena, volume));
    ty_json_set(plan->arena, m, "mountPath", ty_json_cstr(plan->arena, path));
    if (read_only)
        ty_json_set(plan->arena, m, "readOnly", ty_json_bool(plan->arena, true));
    upsert_item(plan, ty_json_ensure_array(plan->arena, container, "volumeMounts"), "mountPath",
                with_origin(plan, m));
}

void ty_plan_volume(struct ty_plan *plan, struct ty_podset *set, struct ty_json *v)
{
    upsert_item(plan, ty_json_ensure_array(plan->arena, set->pod, "volumes"), "name",
                with_origin(plan, v));
}

/* With a uid only if the input has one, so that the output of `render` for a file can be applied
 * anywhere. */
static struct ty_json *owner_reference(struct ty_arena *a, const struct ty_trainjob *job)
{
    struct ty_json *ref = ty_json_object(a);

    ty_json_set(a, ref, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, &ty_kind_trainjob)));
    ty_json_set(a, ref, "kind", ty_json_cstr(a, ty_kind_trainjob.kind));
    ty_json_set(a, ref, "name", ty_json_str(a, job->name));
    if (job->uid.n)
        ty_json_set(a, ref, "uid", ty_json_str(a, job->uid));
    ty_json_set(a, ref, "controller", ty_json_bool(a, true));
    ty_json_set(a, ref, "blockOwnerDeletion", ty_json_bool(a, true));
    return ref;
}

struct ty_json *ty_plan_child_new(struct ty_arena *a, const struct ty_trainjob *job,
                                  const struct ty_kind *kind, const char *name)
{
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_object(a);
    struct ty_json *owners = ty_json_array(a);

    ty_json_push(a, owners, owner_reference(a, job));
    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, kind)));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, kind->kind));
    ty_json_set(a, meta, "name", ty_json_cstr(a, name));
    if (job->ns.n)
        ty_json_set(a, meta, "namespace", ty_json_str(a, job->ns));
    ty_json_set(a, meta, "ownerReferences", owners);
    ty_json_set(a, obj, "metadata", meta);
    return obj;
}

struct ty_json *ty_plan_child(struct ty_plan *plan, const struct ty_trainjob *job,
                              const struct ty_kind *kind, const char *name)
{
    struct ty_desired_object *w = ty_new(plan->arena, struct ty_desired_object);

    w->kind = kind;
    w->obj = with_origin(plan, ty_plan_child_new(plan->arena, job, kind, name));
    ty_append(plan->want, plan->want_last, w);
    return w->obj;
}

uint16_t ty_plan_origin(struct ty_plan *plan, const char *fmt, ...)
{
    va_list ap;

    ty_room(plan->arena, plan->origins, plan->n_origins, plan->cap_origins);
    if (plan->n_origins == 0)
        plan->n_origins = 1; /* 0 is unknown */
    if (plan->n_origins > UINT16_MAX)
        return plan->origin; /* thousands of patches: they share the last name */
    va_start(ap, fmt);
    plan->origins[plan->n_origins] = ty_arena_vprintf(plan->arena, fmt, ap);
    va_end(ap);
    plan->origin = (uint16_t)plan->n_origins++;
    return plan->origin;
}

const char *ty_plan_origin_text(const struct ty_plan *plan, uint16_t origin)
{
    return origin && origin < plan->n_origins ? plan->origins[origin] : NULL;
}
