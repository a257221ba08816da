/* Copies of objects with only the members that are needed. */
#include "controller/cache_project.h"

#include "trainer/child.h"
#include "trainer/gang.h"

#define SAME_MOUNTS  32
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

struct ty_str ty_cache_project_owner(const struct ty_json *obj, struct ty_str *ret_uid)
{
    const struct ty_json *owners = ty_json_at(obj, "metadata.ownerReferences");

    ty_each_item (o, owners) {
        struct ty_str group = { 0 };
        ty_str_cut(ty_json_str_at(*o, "apiVersion"), '/', &group);
        if (!ty_json_true_at(*o, "controller") ||
            !ty_str_is(ty_json_str_at(*o, "kind"), ty_kind_trainjob.kind) ||
            !ty_str_is(group, ty_kind_trainjob.group))
            continue;
        if (ret_uid)
            *ret_uid = ty_json_str_at(*o, "uid");
        return ty_json_str_at(*o, "name");
    }
    return (struct ty_str){ 0 };
}

struct ty_str ty_cache_project_name_owner(const struct ty_kind *kind, struct ty_str name)
{
    return kind == &ty_kind_configmap || kind == &ty_kind_secret ? ty_child_job(name) : name;
}

static void copy_member(struct ty_arena *a, struct ty_json *to, const struct ty_json *from,
                        const char *key)
{
    struct ty_json *v = ty_json_get(from, key);

    if (v)
        ty_json_set(a, to, key, v);
}

static struct ty_json *object_new(struct ty_arena *a, const struct ty_kind *kind)
{
    struct ty_json *kept = ty_json_object(a);

    ty_json_set(a, kept, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, kind)));
    ty_json_set(a, kept, "kind", ty_json_cstr(a, kind->kind));
    return kept;
}

/* Drops kubectl's last-applied-configuration, a copy of the whole object; other annotations
 * stay. */
static struct ty_json *without_last_applied(struct ty_arena *a, struct ty_json *annotations)
{
    struct ty_json *less = ty_json_object(a);

    ty_each_member (m, annotations)
        if (!ty_str_is(m->key, LAST_APPLIED))
            ty_json_append(a, less, m->key, m->value);
    return less;
}

static struct ty_json *project_whole(struct ty_arena *a, const struct ty_kind *kind,
                                     const struct ty_json *obj)
{
    struct ty_json *kept = object_new(a, kind), *meta = ty_json_object(a);

    ty_each_member (m, ty_json_get(obj, "metadata")) {
        if (ty_str_is(m->key, "managedFields"))
            continue;
        struct ty_json *v = m->value;
        if (ty_str_is(m->key, "annotations") && kind == &ty_kind_trainjob)
            v = without_last_applied(a, v);
        if (v->n || v->type < TY_JSON_ARRAY)
            ty_json_append(a, meta, m->key, v);
    }
    ty_json_set(a, kept, "metadata", meta);
    ty_each_member (m, obj)
        if (!ty_str_is(m->key, "metadata") && !ty_str_is(m->key, "apiVersion") &&
            !ty_str_is(m->key, "kind"))
            ty_json_append(a, kept, m->key, m->value);
    return kept;
}

/* Identity and owner: a pass asks only whether the object exists and who owns it. */
static struct ty_json *project_identity(struct ty_arena *a, const struct ty_kind *kind,
                                        const struct ty_json *obj)
{
    static const char *const keys[] = { "name", "namespace", "uid", "ownerReferences" };
    struct ty_json *kept = object_new(a, kind), *meta = ty_json_object(a);

    for (size_t i = 0; i < TY_COUNT(keys); i++)
        copy_member(a, meta, ty_json_get(obj, "metadata"), keys[i]);
    ty_json_set(a, kept, "metadata", meta);
    return kept;
}

/* Jobs mount the same few names one after the other: only the last entries are compared. */
static void add_mount(struct ty_arena *a, struct ty_json *mounts, struct ty_str name)
{
    for (uint32_t i = mounts->n; i > 0 && mounts->n - i < SAME_MOUNTS; i--)
        if (ty_str_eq(ty_json_as_str(mounts->items[i - 1]), name))
            return;
    if (name.n)
        ty_json_push(a, mounts, ty_json_str(a, name));
}

static void add_mounts(struct ty_arena *a, struct ty_json *mounts, const struct ty_json *rjob)
{
    const struct ty_json *volumes = ty_json_at(rjob, "template.spec.template.spec.volumes");

    ty_each_item (v, volumes) {
        add_mount(a, mounts, ty_json_str_at(*v, "configMap.name"));
        add_mount(a, mounts, ty_json_str_at(*v, "secret.secretName"));
    }
}

/* The policy of the PodGroup, named like the JobSet, that the pods of this job belong to; NULL:
 * none. */
static const char *gang_of(const struct ty_json *obj, const struct ty_json *rjob)
{
    const struct ty_json *meta = ty_json_at(rjob, "template.spec.template.metadata");
    const struct ty_json *labels = ty_json_get(meta, "labels");
    const struct ty_json *annotations = ty_json_get(meta, "annotations");
    struct ty_str name = ty_json_str_at(obj, "metadata.name");

    if (ty_str_eq(ty_json_as_str(ty_json_get(labels, TY_GANG_LABEL)), name))
        return "coscheduling";
    if (ty_str_eq(ty_json_as_str(ty_json_get(annotations, TY_GANG_ANNOTATION)), name))
        return "volcano";
    return NULL;
}

static struct ty_json *project_jobset(struct ty_arena *a, const struct ty_json *obj)
{
    struct ty_json *kept = project_identity(a, &ty_kind_jobset, obj), *spec = ty_json_object(a);
    struct ty_json *mounts = ty_json_array(a);
    const struct ty_json *rjobs = ty_json_at(obj, "spec.replicatedJobs");

    copy_member(a, spec, ty_json_get(obj, "spec"), "suspend");
    ty_each_item (it, rjobs) {
        const char *gang = gang_of(obj, *it);
        add_mounts(a, mounts, *it);
        if (gang)
            ty_json_set(a, spec, "gang", ty_json_cstr(a, gang));
    }
    if (mounts->n)
        ty_json_set(a, spec, "mounts", mounts);
    ty_json_set(a, kept, "spec", spec);
    copy_member(a, kept, obj, "status");
    return kept;
}

struct ty_json *ty_cache_project(struct ty_arena *a, const struct ty_kind *kind,
                                 const struct ty_json *obj)
{
    if (kind->ours || kind == &ty_kind_limitrange || kind == &ty_kind_runtimeclass ||
        kind == &ty_kind_priorityclass)
        return project_whole(a, kind, obj);
    if (ty_cache_project_owner(obj, NULL).n == 0 &&
        ty_cache_project_name_owner(kind, ty_json_str_at(obj, "metadata.name")).n == 0)
        return NULL;
    return kind == &ty_kind_jobset ? project_jobset(a, obj) : project_identity(a, kind, obj);
}
