/* Checks volumes and mounts: their sources exist here, their objects were submitted, their paths
 * can be created.
 */
#include "api/name.h"
#include "engine/pod/pod_env_ref.h"
#include "engine/pod/pod_files.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pod_plan_inner.h"
#include "engine/pod/pod_volumes.h"
#include "engine/pod/pod_volumes_files.h"
#include "engine/preflight/preflight_inner.h"

static const char *const sources[] = { "emptyDir",
                                       "hostPath",
                                       "configMap",
                                       "secret",
                                       "projected",
                                       "downwardAPI",
                                       "persistentVolumeClaim" };

static const char *known_source(const struct ty_json *volume)
{
    for (size_t i = 0; i < TY_COUNT(sources); i++)
        if (ty_json_get(volume, sources[i]))
            return sources[i];
    return NULL;
}

static void check_empty_dir(struct ty_preflight *x, const struct ty_json *source,
                            const struct ty_field_path *at)
{
    struct ty_str medium = ty_json_str_at(source, "medium");
    const struct ty_json *limit = ty_json_get(source, "sizeLimit");

    if (medium.n && !ty_str_is(medium, "Memory"))
        ty_preflight_error(x, TY_KEY(at, "medium"), "medium=%.*s has no local equivalent",
                           TY_ARG(medium));
    if (ty_str_is(medium, "Memory") && !x->pod.host->mounts)
        ty_preflight_warn(x, TY_KEY(at, "medium"), "a plain directory is used instead of memory");
    if (limit)
        ty_preflight_warn(x, TY_KEY(at, "sizeLimit"), "sizeLimit %.*s not enforced: no quota here",
                          TY_ARG(ty_preflight_value(x, limit)));
}

/* ---- claims ---- */

static bool from_policy(const struct ty_preflight *x, struct ty_str claim)
{
    ty_each_item (p, x->policies) {
        ty_each_item (t, ty_json_get(*p, "templates")) {
            const char *name =
                ty_arena_printf(x->out->arena, "%.*s-%.*s",
                                TY_ARG(ty_json_str_at(*t, "metadata.name")), TY_ARG(x->jobset));
            if (ty_str_is(claim, name))
                return true;
        }
    }
    return false;
}

static bool policy_volume(const struct ty_preflight *x, struct ty_str volume)
{
    ty_each_item (p, x->policies) {
        ty_each_item (t, ty_json_get(*p, "templates"))
            if (ty_str_eq(volume, ty_json_str_at(*t, "metadata.name")))
                return true;
    }
    return false;
}

/* Said once: all claims are alike. */
static void say_plain_directory(struct ty_preflight *x, const struct ty_json *spec,
                                const struct ty_field_path *at)
{
    static const char *const fields[] = { "resources", "accessModes", "storageClassName" };
    static const char text[] = "not enforced; claim is a plain directory";

    for (size_t i = 0; i < 3; i++)
        if (ty_json_get(spec, fields[i]) && !ty_preflight_has_warning(x, text))
            ty_preflight_warn(x, TY_KEY(at, fields[i]), "%s", text);
}

void ty_preflight_check_policies(struct ty_preflight *x, const struct ty_field_path *at)
{
    size_t i = 0;

    ty_each_item (p, x->policies) {
        const struct ty_field_path *here = TY_KEY(TY_IDX(at, i++), "templates");
        size_t k = 0;
        ty_each_item (t, ty_json_get(*p, "templates"))
            say_plain_directory(x, ty_json_get(*t, "spec"), TY_KEY(TY_IDX(here, k++), "spec"));
    }
}

static void check_claim(struct ty_preflight *x, const struct ty_json *source,
                        const struct ty_field_path *at)
{
    struct ty_str name = ty_json_str_at(source, "claimName");
    const struct ty_json *claim;

    if (!ty_name_is_dns1123_subdomain(name)) { /* it names a directory */
        ty_preflight_error(x, TY_KEY(at, "claimName"), "%s", ty_name_dns1123_subdomain_msg);
        return;
    }
    if (ty_json_find(x->pod.host->claims, name) || from_policy(x, name))
        return;
    claim = ty_pod_object(&x->pod, &ty_kind_pvc, name);
    if (claim)
        say_plain_directory(x, ty_json_get(claim, "spec"), at);
    else
        ty_preflight_error(x, TY_KEY(at, "claimName"),
                           "claim %.*s is unknown; add the PersistentVolumeClaim to the input",
                           TY_ARG(name));
}

/* ---- files ---- */

static void check_modes(struct ty_preflight *x, const struct ty_json *source,
                        const struct ty_field_path *at)
{
    static const char text[] = "must be a number between 0 and 0777 (octal), both inclusive";
    size_t i = 0;
    int64_t v;

    if (ty_json_int_at(source, "defaultMode", &v) && (v < 0 || v > 0777))
        ty_preflight_error(x, TY_KEY(at, "defaultMode"), "%s", text);
    ty_each_item (it, ty_json_get(source, "items")) {
        if (ty_json_int_at(*it, "mode", &v) && (v < 0 || v > 0777))
            ty_preflight_error(x, TY_KEY(TY_IDX(TY_KEY(at, "items"), i), "mode"), "%s", text);
        i++;
    }
}

/* Where the first container that mounts the volume sees it. */
static struct ty_str mount_path(const struct ty_preflight *x, struct ty_str volume)
{
    static const char *const lists[] = { "containers", "initContainers" };

    for (size_t l = 0; l < 2; l++) {
        ty_each_item (c, ty_json_get(x->pod.spec, lists[l])) {
            const struct ty_json *m =
                ty_json_find_item(ty_json_get(*c, "volumeMounts"), "name", volume, NULL);
            if (m)
                return ty_json_str_at(m, "mountPath");
        }
    }
    return TY_LIT("");
}

/* True: nothing to say. */
static bool check_files(struct ty_preflight *x, const struct ty_json *volume,
                        const struct ty_field_path *at)
{
    struct ty_volume v = { 0 };
    struct ty_err err = { 0 };

    if (ty_pod_volumes_files(&x->pod, volume, &v, &err) == 0)
        return true;
    ty_preflight_error(x, at, "%s", err.text);
    return false;
}

static bool check_projection(struct ty_preflight *x, struct ty_str volume, struct ty_json *source,
                             const struct ty_field_path *at)
{
    static const char *const issued[] = { "serviceAccountToken", "clusterTrustBundle",
                                          "podCertificate" };
    struct ty_arena *a = x->out->arena;
    struct ty_json *one = ty_json_object(a), *list = ty_json_array(a);

    for (size_t i = 0; i < 3; i++) {
        const struct ty_json *s = ty_json_get(source, issued[i]);
        if (!s || (i == 0 && ty_pod_token_issued(x->pod.host, s)))
            continue;
        struct ty_str path = ty_json_str_at(s, i == 2 ? "credentialBundlePath" : "path");
        ty_preflight_error(x, TY_KEY(at, issued[i]),
                           "no token issuer here; program will not find %.*s/%.*s",
                           TY_ARG(mount_path(x, volume)), TY_ARG(path));
        return false;
    }
    ty_each_member (m, source)
        check_modes(x, m->value, TY_KEYS(at, m->key));
    ty_json_push(a, list, source);
    ty_json_set(a, ty_json_ensure_object(a, one, "projected"), "sources", list);
    return check_files(x, one, at);
}

static void check_projected(struct ty_preflight *x, const struct ty_json *volume,
                            const struct ty_field_path *at)
{
    const struct ty_field_path *here = TY_KEY(at, "sources");
    bool ok = true;
    size_t i = 0;

    ty_each_item (s, ty_json_at(volume, "projected.sources"))
        ok = check_projection(x, ty_json_str_at(volume, "name"), *s, TY_IDX(here, i++)) && ok;
    if (ok)
        check_files(x, volume, at); /* together: two files of one path */
}

void ty_preflight_check_volumes(struct ty_preflight *x, const struct ty_field_path *spec_at)
{
    const struct ty_field_path *list = TY_KEY(spec_at, "volumes");
    size_t i = 0;

    ty_each_item (v, ty_json_get(x->pod.spec, "volumes")) {
        const struct ty_field_path *here = TY_IDX(list, i++);
        const char *kind = known_source(*v);
        const struct ty_field_path *at = kind ? TY_KEY(here, kind) : here;

        if (kind)
            check_modes(x, ty_json_get(*v, kind), at);
        ty_each_member (m, kind ? NULL : *v)
            if (!ty_str_is(m->key, "name"))
                ty_preflight_error(
                    x, TY_KEYS(here, m->key),
                    "volume source %.*s is not available; use persistentVolumeClaim, "
                    "hostPath or emptyDir",
                    TY_ARG(m->key));
        if (!kind || strcmp(kind, "hostPath") == 0)
            continue;
        if (strcmp(kind, "emptyDir") == 0)
            check_empty_dir(x, ty_json_get(*v, kind), at);
        else if (strcmp(kind, "persistentVolumeClaim") == 0)
            check_claim(x, ty_json_get(*v, kind), at);
        else if (strcmp(kind, "projected") == 0)
            check_projected(x, *v, at);
        else
            check_files(x, *v, at);
    }
}

/* ---- mounts ---- */

/* Nothing has to be mounted where the host has the same thing at the same place. */
static bool is_there_anyway(const struct ty_json *volume, struct ty_str path)
{
    return ty_str_eq(ty_json_str_at(volume, "hostPath.path"), path) ||
           (ty_str_is(ty_json_str_at(volume, "emptyDir.medium"), "Memory") &&
            ty_str_is(path, "/dev/shm"));
}

static void check_mount(struct ty_preflight *x, const struct ty_json *m, struct ty_str container,
                        const struct ty_field_path *at)
{
    struct ty_str name = ty_json_str_at(m, "name"), path = ty_json_str_at(m, "mountPath");
    struct ty_str sub = ty_json_str_at(m, "subPath"),
                  spread = ty_json_str_at(m, "mountPropagation");
    const struct ty_json *volume =
        ty_json_find_item(ty_json_get(x->pod.spec, "volumes"), "name", name, NULL);
    const char *why = x->pod.host->no_mounts;

    if (!volume && !policy_volume(x, name))
        ty_preflight_error(x, TY_KEY(at, "name"),
                           "cannot find volume \"%.*s\" to mount into container \"%.*s\"",
                           TY_ARG(name), TY_ARG(container));
    if (!x->pod.host->mounts && !is_there_anyway(volume, path))
        ty_preflight_error(x, TY_KEY(at, "mountPath"), "cannot mount at %.*s: %s", TY_ARG(path),
                           why ? why : "Operation not permitted");
    if (sub.n && !ty_pod_path_ok(sub))
        ty_preflight_error(x, TY_KEY(at, "subPath"), "must be a relative path without '..'");
    if (ty_str_is(spread, "Bidirectional"))
        ty_preflight_error(x, TY_KEY(at, "mountPropagation"),
                           "mountPropagation=Bidirectional has no local equivalent");
    if (ty_str_is(ty_json_str_at(m, "recursiveReadOnly"), "Enabled"))
        ty_preflight_error(x, TY_KEY(at, "recursiveReadOnly"),
                           "recursiveReadOnly=Enabled has no local equivalent");
}

void ty_preflight_check_mounts(struct ty_preflight *x, const struct ty_json *c,
                               const struct ty_field_path *at)
{
    const struct ty_field_path *list = TY_KEY(at, "volumeMounts");
    size_t i = 0, n = ty_json_len(ty_json_get(c, "volumeMounts"));

    if (n >
        TY_POD_FILES_MOUNTS_MAX) { /* before any work on them, which grows faster than they do */
        ty_preflight_error(x, list, "has %zu items; a local run mounts at most %d in a container",
                           n, TY_POD_FILES_MOUNTS_MAX);
        return;
    }
    ty_each_item (m, ty_json_get(c, "volumeMounts"))
        check_mount(x, *m, ty_json_str_at(c, "name"), TY_IDX(list, i++));
}
