/* Volumes whose files the engine writes: configMap, secret, downwardAPI, and projected, which
 * merges them. No two files may have one path. */
#include "engine/pod/pod_volumes_files.h"

#include <errno.h>

#include "engine/pod/pod_env_ref.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pod_plan_inner.h"
#include "engine/pod/pod_volumes.h"

#define DEFAULT_MODE 0644u

struct files {
    struct ty_pod_ctx *x;
    struct ty_file *first, **end;
    unsigned mode; /* defaultMode */
};

static int add_file(struct files *f, struct ty_str path, struct ty_str data, unsigned mode,
                    struct ty_err *err)
{
    struct ty_file *file;

    if (!ty_pod_path_ok(path))
        return ty_fail(err, -EINVAL, "path \"%.*s\" must be relative and without '..'",
                       TY_ARG(path));
    for (file = f->first; file; file = file->next)
        if (ty_str_is(path, file->path))
            return ty_fail(err, -EINVAL, "conflicting duplicate paths: %.*s", TY_ARG(path));
    file = ty_new(f->x->a, struct ty_file);
    file->path = ty_arena_cstr(f->x->a, path);
    file->data = data;
    file->mode = mode;
    *f->end = file;
    f->end = &file->next;
    return 0;
}

static unsigned mode_of(const struct ty_json *item, const char *key, unsigned otherwise)
{
    int64_t v;
    return ty_json_int_at(item, key, &v) && v >= 0 && v <= 0777 ? (unsigned)v : otherwise;
}

/* items: the chosen keys under their own paths. */
static int add_items(struct files *f, const struct ty_kind *kind, const struct ty_json *obj,
                     const struct ty_json *source, struct ty_err *err)
{
    bool secret = kind == &ty_kind_secret;

    ty_each_item (it, ty_json_get(source, "items")) {
        if (!ty_pod_plan_has_room(f->x))
            return 0;
        struct ty_str key = ty_json_str_at(*it, "key"), data;
        int r;
        if (ty_pod_key(f->x->a, kind, obj, key, true, &data))
            r = add_file(f, ty_json_str_at(*it, "path"), data, mode_of(*it, "mode", f->mode), err);
        else if (ty_json_true_at(source, "optional"))
            continue;
        else
            r = ty_fail(err, -ENOENT,
                        secret ? "references non-existent secret key: %.*s"
                               : "configmap references non-existent config key: %.*s",
                        TY_ARG(key));
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_members(struct files *f, const struct ty_kind *kind, const struct ty_json *obj,
                       const char *member, struct ty_err *err)
{
    ty_each_member (m, ty_json_get(obj, member)) {
        if (!ty_pod_plan_has_room(f->x))
            return 0;
        struct ty_str data;
        bool overridden = kind == &ty_kind_secret && strcmp(member, "data") == 0 &&
                          ty_json_find(ty_json_get(obj, "stringData"), m->key);
        if (overridden || !ty_pod_key(f->x->a, kind, obj, m->key, true, &data))
            continue;
        int r = add_file(f, m->key, data, f->mode, err);
        if (r < 0)
            return r;
    }
    return 0;
}

/* A configMap or secret source; `key`: how it names the object. */
static int add_object(struct files *f, const struct ty_kind *kind, const struct ty_json *source,
                      const char *key, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(source, key);
    const struct ty_json *obj = ty_pod_object(f->x, kind, name);
    int r;

    if (!obj && ty_json_true_at(source, "optional"))
        return 0;
    if (!obj)
        return ty_fail(err, -ENOENT, "%s %.*s/%.*s was not supplied", kind->kind, TY_ARG(f->x->ns),
                       TY_ARG(name));
    if (ty_json_len(ty_json_get(source, "items")))
        return add_items(f, kind, obj, source, err);
    r = add_members(f, kind, obj, "data", err);
    if (r < 0)
        return r;
    return add_members(f, kind, obj, kind == &ty_kind_secret ? "stringData" : "binaryData", err);
}

static int add_downward(struct files *f, const struct ty_json *source, struct ty_err *err)
{
    ty_each_item (it, ty_json_get(source, "items")) {
        const struct ty_json *field = ty_json_get(*it, "fieldRef");
        struct ty_str data = { 0 };
        int r =
            field ? ty_pod_env_field_ref(f->x, ty_json_str_at(field, "fieldPath"), true, &data, err)
                  : ty_pod_env_resource_ref(f->x, ty_json_get(*it, "resourceFieldRef"), NULL, &data,
                                            err);
        if (r < 0)
            return r;
        data.p = ty_arena_cstr(f->x->a, data); /* of the Pod object, which changes */
        r = add_file(f, ty_json_str_at(*it, "path"), data, mode_of(*it, "mode", f->mode), err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_token(struct files *f, const struct ty_json *source, struct ty_err *err)
{
    if (!ty_pod_token_issued(f->x->host, source))
        return ty_fail(err, -ENOTSUP, "no token issuer here");
    return add_file(f, ty_json_str_at(source, "path"), ty_str(f->x->host->token), f->mode, err);
}

static int add_projection(struct files *f, const struct ty_json *source, struct ty_volume *v,
                          struct ty_err *err)
{
    const struct ty_json *part = ty_json_get(source, "configMap");
    if (part)
        return add_object(f, &ty_kind_configmap, part, "name", err);
    part = ty_json_get(source, "secret");
    v->secret = v->secret || part;
    if (part)
        return add_object(f, &ty_kind_secret, part, "name", err);
    part = ty_json_get(source, "downwardAPI");
    if (part)
        return add_downward(f, part, err);
    part = ty_json_get(source, "serviceAccountToken");
    v->secret = v->secret || part;
    if (part)
        return add_token(f, part, err);
    return ty_fail(err, -ENOTSUP, "projected source is not available here");
}

int ty_pod_volumes_files(struct ty_pod_ctx *x, const struct ty_json *volume, struct ty_volume *v,
                         struct ty_err *err)
{
    static const char *const kinds[] = { "configMap", "secret", "downwardAPI", "projected" };
    const struct ty_json *source = NULL;
    struct files f = { .x = x };
    size_t k = 0;
    int r = 0;

    for (; k < 4 && !source; k++)
        source = ty_json_get(volume, kinds[k]);
    f.end = &f.first;
    f.mode = mode_of(source, "defaultMode", DEFAULT_MODE);
    v->secret = k == 2;
    if (k == 1)
        r = add_object(&f, &ty_kind_configmap, source, "name", err);
    else if (k == 2)
        r = add_object(&f, &ty_kind_secret, source, "secretName", err);
    else if (k == 3)
        r = add_downward(&f, source, err);
    ty_each_item (it, k == 4 ? ty_json_get(source, "sources") : NULL) {
        r = add_projection(&f, *it, v, err);
        if (r < 0)
            break;
    }
    if (r == 0)
        v->files = f.first;
    return r;
}
