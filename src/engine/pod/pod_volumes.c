/* Plans a pod's volumes and the mounts of its containers. */
#include "engine/pod/pod_volumes.h"

#include <errno.h>

#include "engine/pod/env_expand.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pod_plan_inner.h"
#include "engine/pod/pod_volumes_files.h"

bool ty_pod_path_ok(struct ty_str path)
{
    struct ty_str rest = path;

    if (!path.n || path.p[0] == '/' || memchr(path.p, '\0', path.n))
        return false;
    while (rest.n) {
        struct ty_str part;
        rest = ty_str_cut(rest, '/', &part);
        if (ty_str_is(part, ".."))
            return false;
    }
    return true;
}

static void host_volume(struct ty_pod_ctx *x, const struct ty_json *source, struct ty_volume *v)
{
    v->kind = TY_MOUNT_HOST;
    v->host_path = ty_arena_cstr(x->a, ty_json_str_at(source, "path"));
    v->host_type = ty_arena_cstr(x->a, ty_json_str_at(source, "type"));
}

static int read_volume(struct ty_pod_ctx *x, const struct ty_json *spec, struct ty_volume *v,
                       struct ty_err *err)
{
    static const char *const written[] = { "configMap", "secret", "projected", "downwardAPI" };
    const struct ty_json *source = ty_json_get(spec, "hostPath");

    v->name = ty_arena_cstr(x->a, ty_json_str_at(spec, "name"));
    if (source) {
        host_volume(x, source, v);
        return 0;
    }
    source = ty_json_get(spec, "persistentVolumeClaim");
    if (source) {
        v->kind = TY_MOUNT_CLAIM;
        v->claim = ty_arena_cstr(x->a, ty_json_str_at(source, "claimName"));
        return 0;
    }
    for (size_t i = 0; i < TY_COUNT(written); i++) {
        if (!ty_json_get(spec, written[i]))
            continue;
        v->kind = TY_MOUNT_FILES;
        return ty_pod_volumes_files(x, spec, v, err);
    }
    source = ty_json_get(spec, "emptyDir");
    if (!source && ty_json_len(spec) > 1) /* its name and a source that we do not know */
        return ty_fail(err, -ENOTSUP, "its source is not available here");
    v->kind =
        ty_str_is(ty_json_str_at(source, "medium"), "Memory") ? TY_MOUNT_MEMORY : TY_MOUNT_SCRATCH;
    return 0;
}

int ty_pod_volumes(struct ty_pod_ctx *x, struct ty_volume **ret, struct ty_err *err)
{
    struct ty_volume *first = NULL, **end = &first;

    ty_each_item (spec, ty_json_get(x->spec, "volumes")) {
        if (!ty_pod_plan_has_room(x))
            break;
        struct ty_volume *v = ty_new(x->a, struct ty_volume);
        if (read_volume(x, *spec, v, err) < 0)
            return ty_wrap(err, "volume %s", v->name);
        *end = v;
        end = &v->next;
    }
    *ret = first;
    return 0;
}

static const struct ty_volume *volume_named(const struct ty_volume *v, struct ty_str name)
{
    while (v && !ty_str_is(name, v->name))
        v = v->next;
    return v;
}

static bool claim_read_only(const struct ty_json *spec, const char *volume)
{
    const struct ty_json *v =
        ty_json_find_item(ty_json_get(spec, "volumes"), "name", ty_str(volume), NULL);
    return ty_json_true_at(v, "persistentVolumeClaim.readOnly");
}

static int sub_path(struct ty_pod_ctx *x, const struct ty_json *spec, const char *const *declared,
                    const char **ret, struct ty_err *err)
{
    struct ty_str path = ty_json_str_at(spec, "subPath"),
                  expr = ty_json_str_at(spec, "subPathExpr");
    const char *missing;

    if (expr.n) {
        const char *text;
        if (!ty_env_expand_strict(x->a, expr, declared, &text, &missing))
            return ty_fail(err, -EINVAL, "missing value for %s", missing);
        path = ty_str(text);
    }
    if (path.n && !ty_pod_path_ok(path))
        return ty_fail(err, -EINVAL, "subPath \"%.*s\" must be relative and without '..'",
                       TY_ARG(path));
    *ret = path.n ? ty_arena_cstr(x->a, path) : NULL;
    return 0;
}

static size_t path_depth(const char *path)
{
    size_t n = 0;
    for (; *path; path++)
        n += path[0] == '/' && path[1] && path[1] != '/';
    return n;
}

/* Parents before children, so that none is hidden by a later mount; else in the order given. */
static void insert_mount(struct ty_mount **list, struct ty_mount *m)
{
    while (*list && path_depth((*list)->path) <= path_depth(m->path))
        list = &(*list)->next;
    m->next = *list;
    *list = m;
}

static int read_mount(struct ty_pod_ctx *x, const struct ty_json *spec, struct ty_str container,
                      const struct ty_volume *volumes, struct ty_mount *m, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(spec, "name"), path = ty_json_str_at(spec, "mountPath");

    m->volume = volume_named(volumes, name);
    if (!m->volume)
        return ty_fail(err, -ENOENT, "cannot find volume \"%.*s\" to mount into container \"%.*s\"",
                       TY_ARG(name), TY_ARG(container));
    m->read_only = ty_json_true_at(spec, "readOnly") || claim_read_only(x->spec, m->volume->name);
    /* A relative path is taken from the root, as container runtimes do. */
    m->path = ty_arena_printf(x->a, "%s%.*s", path.n && path.p[0] == '/' ? "" : "/", TY_ARG(path));
    return 0;
}

int ty_pod_mounts(struct ty_pod_ctx *x, const struct ty_json *container,
                  const char *const *declared, const struct ty_volume *volumes,
                  struct ty_mount **ret, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(container, "name");
    struct ty_mount *first = NULL;

    ty_each_item (spec, ty_json_get(container, "volumeMounts")) {
        if (!ty_pod_plan_has_room(x))
            break;
        struct ty_mount *m = ty_new(x->a, struct ty_mount);
        int r = read_mount(x, *spec, name, volumes, m, err);
        if (r == 0)
            r = sub_path(x, *spec, declared, &m->sub_path, err);
        if (r < 0)
            return r;
        insert_mount(&first, m);
    }
    *ret = first;
    return 0;
}
