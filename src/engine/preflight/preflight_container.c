/* Checks one container: command, references, probes. */
#include "engine/pod/pod_env_ref.h"
#include "engine/pod/pod_plan_image.h"
#include "engine/pod/pod_plan_probe.h"
#include "engine/preflight/preflight_inner.h"

static void check_image(struct ty_preflight *x, const struct ty_json *c,
                        const struct ty_field_path *at)
{
    struct ty_str image = ty_json_str_at(c, "image");
    const char *text;

    if (!image.n)
        ty_preflight_error(x, TY_KEY(at, "image"), "image is required");
    if (ty_pod_initializer(c))
        return; /* our own program does what the image does */
    if (!ty_json_len(ty_json_get(c, "command")))
        ty_preflight_error(
            x, TY_KEY(at, "command"),
            "command is required: images are not used here, so the entrypoint of %.*s is unknown; "
            "set it, for example --set 'spec.trainer.command=[python3, train.py]'",
            TY_ARG(image));
    text = ty_arena_printf(x->out->arena,
                           "image %.*s is not used; the command runs on this host's filesystem",
                           TY_ARG(image));
    if (image.n && !ty_preflight_has_warning(x, text))
        ty_preflight_warn(x, TY_KEY(at, "image"), "%s", text);
}

static void check_fields(struct ty_preflight *x, const struct ty_json *c,
                         const struct ty_field_path *at)
{
    static const char *const without_effect[] = { "imagePullPolicy", "stdin", "stdinOnce", "tty",
                                                  "resizePolicy" };
    size_t i = 0;

    for (size_t k = 0; k < TY_COUNT(without_effect); k++) {
        const struct ty_json *v = ty_json_get(c, without_effect[k]);
        if (v && !(v->type == TY_JSON_BOOL && !v->b))
            ty_preflight_warn(x, TY_KEY(at, without_effect[k]), "has no effect here");
    }
    if (ty_json_len(ty_json_get(c, "volumeDevices")))
        ty_preflight_error(x, TY_KEY(at, "volumeDevices"), "not available without a cluster");
    if (ty_json_len(ty_json_at(c, "resources.claims")))
        ty_preflight_error(x, TY_KEY(TY_KEY(at, "resources"), "claims"),
                           "not available without a cluster");
    ty_each_item (p, ty_json_get(c, "ports")) {
        if (ty_json_get(*p, "hostPort"))
            ty_preflight_warn(x, TY_KEY(TY_IDX(TY_KEY(at, "ports"), i), "hostPort"),
                              "has no effect here");
        i++;
    }
}

/* ---- references ---- */

static void check_object(struct ty_preflight *x, const struct ty_kind *kind,
                         const struct ty_json *ref, bool with_key, const struct ty_field_path *at)
{
    struct ty_str name = ty_json_str_at(ref, "name"), key = ty_json_str_at(ref, "key"), value;
    const struct ty_json *obj = ty_pod_object(&x->pod, kind, name);

    if (ty_json_true_at(ref, "optional"))
        return;
    if (!obj)
        ty_preflight_error(x, at, "%s %.*s/%.*s was not supplied", kind->kind, TY_ARG(x->pod.ns),
                           TY_ARG(name));
    else if (with_key && !ty_pod_key(x->out->arena, kind, obj, key, false, &value))
        ty_preflight_error(x, at, "couldn't find key %.*s in %s %.*s/%.*s", TY_ARG(key), kind->kind,
                           TY_ARG(x->pod.ns), TY_ARG(name));
}

static void check_value_from(struct ty_preflight *x, const struct ty_json *c,
                             const struct ty_json *from, const struct ty_field_path *at)
{
    const struct ty_json *ref = ty_json_get(from, "configMapKeyRef");
    struct ty_err err = { 0 };
    struct ty_str value;

    if (ref)
        check_object(x, &ty_kind_configmap, ref, true, TY_KEY(at, "configMapKeyRef"));
    ref = ty_json_get(from, "secretKeyRef");
    if (ref)
        check_object(x, &ty_kind_secret, ref, true, TY_KEY(at, "secretKeyRef"));
    ref = ty_json_get(from, "fieldRef");
    if (ref &&
        ty_pod_env_field_ref(&x->pod, ty_json_str_at(ref, "fieldPath"), false, &value, &err) < 0)
        ty_preflight_error(x, TY_KEY(TY_KEY(at, "fieldRef"), "fieldPath"), "%s", err.text);
    ref = ty_json_get(from, "resourceFieldRef");
    if (ref && ty_pod_env_resource_ref(&x->pod, ref, c, &value, &err) < 0)
        ty_preflight_error(x, TY_KEY(at, "resourceFieldRef"), "%s", err.text);
    if (ty_json_get(from, "fileKeyRef"))
        ty_preflight_error(x, TY_KEY(at, "fileKeyRef"),
                           "fileKeyRef is not read here; set value or use a configMapKeyRef");
}

static void check_environment(struct ty_preflight *x, const struct ty_json *c,
                              const struct ty_field_path *at)
{
    size_t i = 0;

    ty_each_item (from, ty_json_get(c, "envFrom")) {
        const struct ty_field_path *here = TY_IDX(TY_KEY(at, "envFrom"), i++);
        const struct ty_json *ref = ty_json_get(*from, "configMapRef");
        if (ref)
            check_object(x, &ty_kind_configmap, ref, false, TY_KEY(here, "configMapRef"));
        ref = ty_json_get(*from, "secretRef");
        if (ref)
            check_object(x, &ty_kind_secret, ref, false, TY_KEY(here, "secretRef"));
    }
    i = 0;
    ty_each_item (var, ty_json_get(c, "env")) {
        const struct ty_field_path *here = TY_IDX(TY_KEY(at, "env"), i++);
        if (!ty_json_str_at(*var, "value").n)
            check_value_from(x, c, ty_json_get(*var, "valueFrom"), TY_KEY(here, "valueFrom"));
    }
}

/* ---- probes, hooks, restarts ---- */

static void check_probe(struct ty_preflight *x, const struct ty_json *c,
                        const struct ty_json *probe, const struct ty_field_path *at, bool only_once)
{
    const struct ty_probe *parsed;
    struct ty_err err = { 0 };
    int64_t n;

    if (!probe)
        return;
    if (ty_json_get(probe, "grpc"))
        ty_preflight_error(x, TY_KEY(at, "grpc"),
                           "grpc probes are not made here; use tcpSocket, httpGet or exec");
    else if (ty_pod_probe(&x->pod, c, probe, &parsed, &err) < 0)
        ty_preflight_error(x, at, "%s", err.text);
    if (only_once && ty_json_int_at(probe, "successThreshold", &n) && n > 1)
        ty_preflight_error(x, TY_KEY(at, "successThreshold"), "must be 1");
}

static void check_probes(struct ty_preflight *x, const struct ty_json *c, bool plain_init,
                         const struct ty_field_path *at)
{
    static const char *const keys[] = { "startupProbe", "livenessProbe", "readinessProbe" };
    static const char *const hooks[] = { "postStart", "preStop" };
    const struct ty_json *lifecycle = ty_json_get(c, "lifecycle");

    for (size_t i = 0; i < 3; i++) {
        const struct ty_json *probe = ty_json_get(c, keys[i]);
        if (probe && plain_init)
            ty_preflight_error(x, TY_KEY(at, keys[i]),
                               "may not be set for init containers without restartPolicy=Always");
        else
            check_probe(x, c, probe, TY_KEY(at, keys[i]), i < 2);
    }
    if (lifecycle && plain_init) {
        ty_preflight_error(x, TY_KEY(at, "lifecycle"),
                           "may not be set for init containers without restartPolicy=Always");
        return;
    }
    for (size_t i = 0; i < 2; i++)
        check_probe(x, c, ty_json_get(lifecycle, hooks[i]),
                    TY_KEY(TY_KEY(at, "lifecycle"), hooks[i]), false);
    if (ty_json_get(lifecycle, "stopSignal"))
        ty_preflight_error(x, TY_KEY(TY_KEY(at, "lifecycle"), "stopSignal"),
                           "stopSignal=%.*s has no local equivalent",
                           TY_ARG(ty_json_str_at(lifecycle, "stopSignal")));
}

void ty_preflight_check_container(struct ty_preflight *x, const struct ty_json *c, bool init,
                                  const struct ty_field_path *at)
{
    struct ty_str restart = ty_json_str_at(c, "restartPolicy");

    check_image(x, c, at);
    check_fields(x, c, at);
    check_environment(x, c, at);
    check_probes(x, c, init && !ty_str_is(restart, "Always"), at);
    if (ty_json_len(ty_json_get(c, "restartPolicyRules")) && !restart.n)
        ty_preflight_error(x, TY_KEY(at, "restartPolicy"),
                           "must specify restartPolicy when restart rules are used");
    ty_preflight_check_security(x, ty_json_get(c, "securityContext"), true,
                                TY_KEY(at, "securityContext"));
    ty_preflight_check_limits(x, ty_json_get(c, "resources"), TY_KEY(at, "resources"));
    ty_preflight_check_mounts(x, c, at);
}
